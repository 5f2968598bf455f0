#include "search/query_words.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

// Approximates the value, at least 0, that `count` of the values exceed. Bisection by counting is faster than sorting,
// and any result is valid.
float exceeded_by(const float* values, std::int64_t size, std::int64_t count) {
  float low = 0.0f, high = 0.0f;
  for (std::int64_t i = 0; i < size; ++i) high = std::max(high, values[i]);
  for (int step = 0; step < 8; ++step) {
    const float middle = 0.5f * (low + high);
    int above = 0;
    for (std::int64_t i = 0; i < size; ++i) above += values[i] > middle;
    (above > count ? low : high) = middle;
  }
  return high;
}

}  // namespace

void QueryWords::start(const Table& table) {
  table_ = &table;
  words_.clear();
  columns_.clear();
  numbers_.clear();
}

int QueryWords::column(std::uint32_t id, std::uint32_t identity, const float* row) {
  const auto found = columns_.emplace(id, count());
  if (found.second) words_.push_back({id, identity, row, 0.0f, 0.0f, {}, {}, nullptr});
  return found.first->second;
}

void QueryWords::resize(const Corpus& corpus, WordColumns* kept) {
  compared_.clear();
  numbers_.clear();
  std::vector<std::uint32_t> ids;
  for (const Word& word : words_) ids.push_back(word.id);
  std::vector<WordColumns::Found> found(ids.size());
  const std::size_t width = static_cast<std::size_t>(corpus.panels().panels()) * kPanel;
  if (kept) found = kept->find(corpus.stamp(), width, ids);
  for (int i = 0; i < count(); ++i) {
    Word& word = words_[i];
    word.kept = std::move(found[i]);
    if (const WordColumn* column = word.kept.column.get()) {
      word.highest = column->highest;
      word.typical = column->typical;
      continue;
    }
    compared_.push_back(i);
    if (is_number(table_->kind(word.id))) numbers_.push_back(i);
  }
  quantised_.resize(compared(), corpus.panels().quads());
}

void QueryWords::fill(const Corpus& corpus, int begin, int end) {
  QuantisedVector image;
  TrigramIndex::Scratch scratch;
  for (int i = begin; i < end; ++i) {
    Word& word = words_[compared_[i]];
    image.assign(word.row, corpus.panels().dimension());
    quantised_.set(i, image.values.data(), image.scale, image.error, image.norm);
    word.highest = image.norm * corpus.panels().largest_norm() * 1.00001f;
    if (!corpus.table().equal_is_one()) continue;
    word.highest = std::max(word.highest, 1.0f);
    find_cells(corpus, word, scratch);
  }
  find_typical(corpus, begin, end);
  const std::size_t words = static_cast<std::size_t>(corpus.panels().panels()) * kPanel;
  for (int i = begin; i < end; ++i) {
    Word& word = words_[compared_[i]];
    if (word.kept.worthy) word.fresh = std::make_shared<WordColumn>(words, word.highest, word.typical);
  }
}

void QueryWords::keep(const Corpus& corpus, WordColumns& kept) const {
  for (const int i : compared_)
    if (words_[i].fresh) kept.keep(corpus.stamp(), words_[i].id, words_[i].fresh);
}

void QueryWords::find_cells(const Corpus& corpus, Word& word, TrigramIndex::Scratch& scratch) const {
  const Table& table = corpus.table();
  const std::uint8_t kind = table_->kind(word.id);
  const std::uint32_t same = corpus.local(word.identity);
  if (table.rules() && (is_unknown(kind) || table.unknown()))
    for (const Match& match : corpus.trigrams().matches(*table_, word.id, 0.0f, scratch)) {
      const bool numbers = is_number(kind) && is_number(table.kind(corpus.table_ids()[match.local]));
      if (!numbers && match.local != same) word.cells.push_back({match.local, match.similarity * 1.000001f});
    }
  if (same == kNoWord) return;
  const auto after = std::upper_bound(word.cells.begin(), word.cells.end(), same,
                                      [](std::uint32_t local, const Match& cell) { return local < cell.local; });
  word.cells.insert(after, {same, 1.0f});
}

void QueryWords::find_typical(const Corpus& corpus, int begin, int end) {
  const std::int64_t sampled = corpus.sample().size(), count = end - begin;
  if (sampled == 0) return;
  std::vector<float> block(count * kPanel), seen(count * sampled);
  for (std::int64_t panel = 0; panel < corpus.sample().panels(); ++panel) {
    kernels().panel_similarities(corpus.sample().panel(panel), quantised_.words(begin, end), quantised_.factors(begin),
                                 block.data());
    for (std::int64_t i = 0; i < count; ++i)
      std::copy_n(block.data() + i * kPanel, std::min<std::int64_t>(kPanel, sampled - panel * kPanel),
                  seen.data() + i * sampled + panel * kPanel);
  }
  const double rank = 0.4 * static_cast<double>(sampled) / std::max(1.0, corpus.mean_length());
  const std::int64_t above = std::min(sampled - 1, static_cast<std::int64_t>(rank));
  for (std::int64_t i = 0; i < count; ++i)
    words_[compared_[begin + i]].typical = exceeded_by(seen.data() + i * sampled, sampled, above);
}

QueryWords::Reader::Reader(const Corpus& corpus, const QueryWords& words, std::int64_t first_panel)
    : corpus_(corpus), words_(words) {
  const std::uint32_t first = static_cast<std::uint32_t>(first_panel * kPanel);
  for (const Word& word : words.words_) {
    if (word.kept.column) kept_.push_back(word.kept.column->at(static_cast<int>(next_.size())));
    const auto cell = std::lower_bound(word.cells.begin(), word.cells.end(), first,
                                       [](const Match& match, std::uint32_t local) { return match.local < local; });
    next_.push_back(cell - word.cells.begin());
    nearest_.push_back(cell == word.cells.end() ? kNoWord : cell->local);
  }
}

const float* QueryWords::Reader::read(std::int64_t begin, std::int64_t end) {
  const int count = words_.count(), compared = words_.compared();
  const QuantisedWords words = words_.quantised_.words(0, compared);
  const std::size_t stride = static_cast<std::size_t>(count) * kPanel;
  similarities_.at_least(stride * (end - begin));
  compared_.at_least(static_cast<std::size_t>(compared) * kPanel);
  for (std::int64_t panel = begin; compared > 0 && panel < end; ++panel) {
    float* target = similarities_.data() + stride * (panel - begin);
    float* products = compared == count ? target : compared_.data();
    if (corpus_.has_vectors(panel))
      kernels().panel_similarities(corpus_.panels().panel(panel), words, words_.quantised_.factors(0), products);
    else
      std::fill_n(products, compared * kPanel, 0.0f);
    for (int i = 0; compared < count && i < compared; ++i)
      std::copy_n(products + i * kPanel, kPanel, target + words_.compared_[i] * kPanel);
    override(panel, target);
    for (const int i : words_.compared_)
      if (WordColumn* fresh = words_.words_[i].fresh.get()) fresh->write(panel * kPanel, target + i * kPanel);
  }
  kernels().column_similarities(kept_.data(), static_cast<int>(kept_.size()), begin * kPanel,
                                static_cast<int>(end - begin), count, similarities_.data());
  return similarities_.data();
}

// Replaces products by similarities that rules decide.
void QueryWords::Reader::override(std::int64_t panel, float* similarities) {
  if (const unsigned numbers = corpus_.numbers(panel))
    for (int column : words_.numbers_)
      for (int lane = 0; lane < kPanel; ++lane)
        if (numbers >> lane & 1) similarities[column * kPanel + lane] = 0.0f;
  const std::uint32_t end = static_cast<std::uint32_t>((panel + 1) * kPanel);
  for (std::size_t i = 0; i < nearest_.size(); ++i) {
    if (nearest_[i] >= end) continue;
    const std::vector<Match>& cells = words_.words_[i].cells;
    std::size_t& next = next_[i];
    for (; next < cells.size() && cells[next].local < end; ++next)
      similarities[i * kPanel + cells[next].local % kPanel] = cells[next].similarity;
    nearest_[i] = next < cells.size() ? cells[next].local : kNoWord;
  }
}

}  // namespace fuzzbow
