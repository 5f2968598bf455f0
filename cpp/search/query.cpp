#include "search/query.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "scoring.hpp"

namespace fuzzbow {

void PreparedQuery::prepare(const Corpus& corpus, const QueryTexts& queries, std::int64_t text, Execution& execution,
                            int worker) {
  gather(corpus, queries, text);
  self_.resize(words_.length);
  // Inside the query a word is known by its id there: two words that the corpus lacks may still be equal.
  TextWords alone = words_;
  alone.identities = words_.ids;
  PairScorer(execution, worker).self(alone, self_.data());
  words_.self = self_.data();
  size_ = text_size(corpus.measure(), self_.data(), weights_.data(), words_.length);
  find_distinct(corpus);
  quantise(corpus);
  find_overrides(corpus);
  choose_betas(corpus);
}

void PreparedQuery::gather(const Corpus& corpus, const QueryTexts& queries, std::int64_t text) {
  const Table& table = *queries.table;
  const std::int64_t start = queries.texts.start(text), length = queries.texts.length(text);
  const std::uint32_t* ids = queries.texts.ids + start;
  const float wanted = corpus.table().scale() > 0 ? corpus.table().scale() : 1.0f;
  const float given = table.scale() > 0 ? table.scale() : 1.0f;
  const bool rescale = wanted != given;
  rows_.resize(length);
  weights_.resize(length);
  identities_.resize(length);
  float* copies = rescale ? vectors_.at_least(static_cast<std::size_t>(length) * table.padded()) : nullptr;
  for (std::int64_t i = 0; i < length; ++i) {
    rows_[i] = table.row(ids[i]);
    weights_[i] = table.weight(ids[i]);
    identities_[i] = queries.identities ? queries.identities[ids[i]] : ids[i];
    if (!rescale) continue;
    float* copy = copies + i * table.padded();
    // Two factors: their quotient alone may leave float32.
    for (int t = 0; t < table.padded(); ++t) copy[t] = rows_[i][t] / given * wanted;
    rows_[i] = copy;
  }
  const float* counts = queries.texts.counts ? queries.texts.counts + start : nullptr;
  words_ = {&table, length, ids, identities_.data(), counts, rows_.data(), weights_.data(), nullptr};
}

// A repeated word counts through its factor.
void PreparedQuery::find_distinct(const Corpus& corpus) {
  const bool squares = corpus.measure() == Measure::kCosine;
  std::unordered_map<std::uint32_t, std::size_t> seen;
  first_.clear();
  clips_.clear();
  factors_.clear();
  for (std::int64_t i = 0; i < words_.length; ++i) {
    const float factor = (squares ? weights_[i] * self_[i] : weights_[i]) * 1.000001f;
    const auto found = seen.emplace(words_.ids[i], first_.size());
    if (found.second) {
      first_.push_back(i);
      clips_.push_back(self_[i]);
      factors_.push_back(factor);
    } else {
      factors_[found.first->second] += factor * 1.000001f;
    }
  }
}

void PreparedQuery::quantise(const Corpus& corpus) {
  const bool squares = corpus.measure() == Measure::kCosine;
  quantised_.resize(distinct(), corpus.panels().quads());
  ceiling_ = 0;
  for (int i = 0; i < distinct(); ++i) {
    scratch_.assign(rows_[first_[i]], corpus.panels().dimension());
    quantised_.set(i, scratch_.values.data(), scratch_.scale, scratch_.error, scratch_.norm);
    float highest = scratch_.norm * corpus.panels().largest_norm() * 1.00001f;
    if (corpus.table().equal_is_one()) highest = std::max(highest, 1.0f);
    ceiling_ = std::max(ceiling_, highest);
    // Jaccard and its kin never count more than the query word's own membership; cosine counts all of it.
    if (squares) clips_[i] = highest;
  }
}

// Any beta >= 0 is right. Good ones let about 0.4 words of a document exceed theirs.
void PreparedQuery::choose_betas(const Corpus& corpus) {
  const std::int64_t sampled = corpus.sample().size();
  betas_.assign(distinct(), 0.0f);
  if (sampled == 0 || distinct() == 0) return;
  std::vector<float> block(static_cast<std::size_t>(distinct()) * kPanel);
  std::vector<float> seen(static_cast<std::size_t>(distinct()) * sampled);
  for (std::int64_t panel = 0; panel < corpus.sample().panels(); ++panel) {
    kernels().panel_similarities(corpus.sample().panel(panel), quantised_.words(), quantised_.factors(), block.data());
    for (int i = 0; i < distinct(); ++i)
      std::copy_n(block.data() + i * kPanel, std::min<std::int64_t>(kPanel, sampled - panel * kPanel),
                  seen.data() + i * sampled + panel * kPanel);
  }
  const double rank = 0.4 * static_cast<double>(sampled) / std::max(1.0, corpus.mean_length());
  const std::int64_t place = std::min(sampled - 1, static_cast<std::int64_t>(rank));
  for (int i = 0; i < distinct(); ++i) {
    float* line = seen.data() + i * sampled;
    std::nth_element(line, line + place, line + sampled, std::greater<float>());
    betas_[i] = std::min(clips_[i], std::max(0.0f, line[place]));
    if (overridden_ && overrides_[i].zero_all) betas_[i] = 0.0f;
  }
}

void PreparedQuery::find_overrides(const Corpus& corpus) {
  overridden_ = corpus.table().equal_is_one();
  overrides_.assign(overridden_ ? distinct() : 0, Overrides());
  for (std::size_t i = 0; i < overrides_.size(); ++i) {
    Overrides& override = overrides_[i];
    const std::uint32_t id = words_.ids[first_[i]];
    const std::uint8_t kind = words_.table->kind(id);
    const std::uint32_t same = corpus.local(identities_[first_[i]]);
    override.zero_all = is_unknown(kind);
    override.zero_unknown = true;
    override.zero_numbers = is_number(kind);
    if (corpus.table().rules() && (is_unknown(kind) || corpus.table().unknown())) {
      const auto found =
          corpus.trigrams(!is_unknown(kind)).matches(words_.table->trigrams(id), words_.table->trigram_count(id));
      for (const auto& match : found) {
        const bool numbers = is_number(kind) && is_number(corpus.table().kind(corpus.table_ids()[match.local]));
        if (!numbers && match.local != same) override.cells.push_back({match.local, match.dice * 1.000001f});
      }
    }
    if (same != kNobody) {
      override.cells.push_back({same, 1.0f});
      std::sort(override.cells.begin(), override.cells.end(),
                [](const TrigramIndex::Match& a, const TrigramIndex::Match& b) { return a.local < b.local; });
    }
  }
}

}  // namespace fuzzbow
