#include "search/query.hpp"

#include <algorithm>

#include "scores/pair_scorer.hpp"

namespace fuzzbow {

void PreparedQuery::read(const Corpus& corpus, const QueryTexts& queries, std::int64_t text, Execution& execution,
                         int worker) {
  gather(corpus, queries, text);
  self_.resize(words_.length);
  // Inside the query a word is identified by its id in the query table: words that the corpus lacks may be equal.
  TextWords alone = words_;
  alone.identities = words_.ids;
  PairScorer(execution, worker).self(alone, self_.data());
  words_.self = self_.data();
  size_ = corpus.similarity().text_size(self_.data(), weights_.data(), words_.length);
}

void PreparedQuery::gather(const Corpus& corpus, const QueryTexts& queries, std::int64_t text) {
  const Table& table = *queries.table;
  const std::int64_t start = queries.texts.start(text), length = queries.texts.length(text);
  const std::uint32_t* ids = queries.texts.ids + start;
  // A table of zeros, or of no words, has no scale yet: use the other's.
  const float given = table.scale() > 0 ? table.scale() : 1.0f;
  const float wanted = corpus.table().scale() > 0 ? corpus.table().scale() : given;
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
    // Two steps: the quotient of the factors alone may leave float32.
    for (int t = 0; t < table.padded(); ++t) copy[t] = rows_[i][t] / given * wanted;
    rows_[i] = copy;
  }
  const float* counts = queries.texts.counts ? queries.texts.counts + start : nullptr;
  words_ = {&table, length, ids, identities_.data(), counts, rows_.data(), weights_.data(), nullptr};
}

// Repeats of a word add to its factor.
void PreparedQuery::name_words(const Corpus& corpus, QueryWords& words) {
  const bool squares = corpus.similarity().squares();
  std::vector<int> positions;  // by column
  columns_.clear();
  clips_.clear();
  factors_.clear();
  for (std::int64_t i = 0; i < words_.length; ++i) {
    const float factor = (squares ? weights_[i] * self_[i] : weights_[i]) * 1.000001f;
    const int column = words.column(words_.ids[i], identities_[i], rows_[i]);
    positions.resize(words.count(), -1);
    if (positions[column] >= 0) {
      factors_[positions[column]] += factor * 1.000001f;
      continue;
    }
    positions[column] = distinct();
    columns_.push_back(column);
    clips_.push_back(self_[i]);
    factors_.push_back(factor);
  }
}

// Bounds are valid for any beta >= 0, and tightest about where 0.4 words of a document are more similar than beta.
void PreparedQuery::choose_factors(const Corpus& corpus, const QueryWords& words) {
  ceiling_ = 0;
  betas_.resize(distinct());
  for (int i = 0; i < distinct(); ++i) {
    const float highest = words.highest(columns_[i]);
    ceiling_ = std::max(ceiling_, highest);
    // Minima are at most the query word's own membership; products use the whole similarity.
    if (corpus.similarity().squares()) clips_[i] = highest;
    betas_[i] = std::min(clips_[i], words.typical(columns_[i]));
  }
}

}  // namespace fuzzbow
