#include "search/bounds.hpp"

#include <algorithm>
#include <utility>

#include "simd/compiler.hpp"

namespace fuzzbow {

namespace {

constexpr float kUp = 1.000002f;

}  // namespace

void BoundTables::resize(const Corpus& corpus, const PreparedQuery& query) {
  count_ = query.distinct();
  rows_kept_ = count_ <= kLongestRow;  // longer queries use the linear bound only
  const std::size_t width = static_cast<std::size_t>(corpus.panels().panels()) * kPanel;
  linear_.at_least(width);
  levels_.at_least(width);
  peak_ = frequent_peak_ = 1;
  document_side_.at_least(width);
  row_width_ = rows_kept_ ? static_cast<std::size_t>(count_ + kPanel - 1) / kPanel * kPanel : 0;
  double base = 0, slack = 0, excess = 0;
  row_units_.resize(count_);
  row_values_.resize(count_);
  for (int i = 0; i < count_; ++i) {
    const double factor = query.factors()[i], clip = query.clips()[i], beta = query.betas()[i];
    base += factor * beta;
    excess += factor * std::max(0.0, clip - beta);
    slack += factor * clip * 1e-8;     // underflow of cells
    const bool usable = clip > 1e-30;  // otherwise a row unit would overflow float32, and the whole clip joins the base
    row_units_[i] = usable ? static_cast<float>(255.0 / clip) : 0.0f;
    if (!usable) slack += factor * clip;
    row_values_[i] = static_cast<float>(factor * clip / 255.0) * kUp;
  }
  const double own = corpus.largest_own() * (corpus.similarity().squares() ? query.ceiling() : 1.0);
  const double largest = (own + excess) * 1.0001;
  const bool measurable = largest > 1e-30;  // otherwise everything passes, and exact scores decide
  unit_ = measurable ? static_cast<float>(60000.0 / largest) : 0.0f;
  inverse_unit_ = measurable ? kUp / unit_ : 0.0f;
  base_ = measurable ? static_cast<float>(base) * kUp : 3e38f;
  rows_kept_ = rows_kept_ && measurable;
  row_base_ = static_cast<float>(slack) * kUp;
  if (rows_kept_) rows_.at_least(width * row_width_);
}

void BoundTables::fill(const Corpus& corpus, const PreparedQuery& query, std::int64_t begin, std::int64_t end,
                       const float* similarities, int stride) {
  const std::size_t word = static_cast<std::size_t>(begin) * kPanel;
  const BoundFactors bound = {query.columns().data(),
                              query.clips().data(),
                              query.betas().data(),
                              query.factors().data(),
                              row_units_.data(),
                              corpus.limits() + word,
                              corpus.multipliers() + word,
                              query.ceiling(),
                              unit_,
                              count_};
  const BoundOutput out = {linear_.data() + word, document_side_.data() + word,
                           rows_kept_ ? rows_.data() + word * row_width_ : nullptr, row_width_};
  const std::uint32_t highest = kernels().panel_bounds(similarities, stride, static_cast<int>(end - begin), bound, out);
  const auto raise = [highest](Peak& peak) {
    std::uint32_t seen = peak.load(std::memory_order_relaxed);
    while (highest > seen && !peak.compare_exchange_weak(seen, highest)) {
    }
  };
  if (begin * kPanel < kFrequentWords) raise(frequent_peak_);
  if (end * kPanel > kFrequentWords) raise(peak_);
}

void BoundTables::set_levels(std::int64_t begin, std::int64_t end) {
  const float factor = kLevels / static_cast<float>(peak_);
  kernels().linear_levels(linear_.data() + begin, end - begin, factor, levels_.data() + begin);
  if (begin > 0) return;
  const float frequent_factor = kLevels / static_cast<float>(frequent_peak_);
  for (std::uint32_t first = 0, page = 0; page < kPages && first < linear_.size(); ++page, first += kFrequentWords) {
    std::uint8_t* levels = frequent_levels_ + page * (kFrequentWords + 1);
    const std::int64_t count = std::min<std::int64_t>(kFrequentWords, linear_.size() - first);
    kernels().linear_levels(linear_.data() + first, count, page == 0 ? frequent_factor : factor, levels);
    levels[kFrequentWords] = 0;
  }
}

void BatchLevels::resize(std::int64_t words, std::vector<const BoundTables*> queries) {
  queries_ = std::move(queries);
  levels_.at_least(static_cast<std::size_t>(words) * kBatch);
  frequent_levels_.resize(kPages * (kFrequentWords + 1) * kBatch);
}

void BatchLevels::set_levels(std::int64_t begin, std::int64_t end) {
  const std::uint16_t* linear[kBatch];
  float factors[kBatch];
  const std::size_t count = queries_.size();
  for (std::size_t q = 0; q < count; ++q) {
    linear[q] = queries_[q]->linear_.data();
    factors[q] = BoundTables::kLevels / static_cast<float>(peak(q));
  }
  for (std::int64_t word = begin; word < end; ++word) {
    std::uint8_t* row = levels_.data() + word * kBatch;
    for (std::size_t q = 0; q < count; ++q) row[q] = BoundTables::level(linear[q][word], factors[q]);
    if (word < kPagedWords)  // each page has one more row
      std::copy_n(row, kBatch, frequent_levels_.data() + (word + word / kFrequentWords) * kBatch);
  }
}

void BoundTables::prefetch_rows(const std::vector<std::uint32_t>& local) const {
  if (!rows_kept_) return;
  for (std::uint32_t word : local) {
    FUZZBOW_PREFETCH(rows_.data() + word * row_width_);
    FUZZBOW_PREFETCH(document_side_.data() + word);
  }
}

float BoundTables::row_numerator(const std::vector<std::uint32_t>& local, float linear) const {
  if (!rows_kept_) return linear;
  std::uint8_t highest[kLongestRow];
  kernels().row_maxima(rows_.data(), row_width_, local.data(), static_cast<std::int64_t>(local.size()), highest);
  double sum = row_base_;
  for (std::uint32_t word : local) sum += document_side_[word];
  for (int i = 0; i < count_; ++i) sum += highest[i] * row_values_[i];
  return std::min(linear, static_cast<float>(sum) * kUp);
}

}  // namespace fuzzbow
