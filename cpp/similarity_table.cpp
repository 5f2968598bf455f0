#include "similarity_table.hpp"

#include <algorithm>
#include <cstring>

#include "pairs.hpp"
#include "rules.hpp"
#include "scoring.hpp"
#include "simd/kernels.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kRowsAtOnce = 48;
constexpr std::int64_t kLargestTable = std::int64_t{1} << 26;  // floats

std::int64_t stride_for(std::int64_t query_length) { return std::max<std::int64_t>(16, (query_length + 15) / 16 * 16); }

// Scores through the pair kernel: bag counts, or a query too long for a table.
void scores_by_pairs(const Table& table, const TextWords& query, const Ragged& documents, const float* self,
                     Measure measure, Execution& execution, float* out) {
  execution.for_chunks(documents.size, 64, [&](int worker, std::int64_t begin, std::int64_t end) {
    PairScorer scorer(execution, worker);
    Gathered gathered;
    for (std::int64_t text = begin; text < end; ++text)
      out[text] = scorer.score(measure, query, gathered.gather(table, documents, text, self)).score;
  });
}

void scores_by_table(const SimilarityTable& similarities, const Table& table, const TextWords& query,
                     const DistinctWords& distinct, const Ragged& documents, const float* self, Measure measure,
                     std::int64_t begin, std::int64_t end, SimilarityTable::Scratch& scratch, float* out) {
  for (std::int64_t text = begin; text < end; ++text) {
    const std::int64_t start = documents.start(text);
    out[text] = similarities
                    .score(measure, query, table, distinct.words.data(), distinct.positions.data() + start,
                           documents.length(text), self + start, scratch)
                    .score;
  }
}

}  // namespace

bool SimilarityTable::fits(std::int64_t words, std::int64_t query_length) {
  return query_length <= 4096 && words * stride_for(query_length) <= kLargestTable;
}

void SimilarityTable::resize(std::int64_t count, std::int64_t query_length) {
  stride_ = static_cast<int>(stride_for(query_length));
  similarities_.at_least(static_cast<std::size_t>(count) * stride_);
  highest_.at_least(count);
}

void SimilarityTable::fill(const Table& table, const std::uint32_t* words, std::int64_t begin, std::int64_t end,
                           const TextWords& query) {
  const float* rows[kRowsAtOnce];
  for (std::int64_t start = begin; start < end; start += kRowsAtOnce) {
    const int count = static_cast<int>(std::min(kRowsAtOnce, end - start));
    for (int i = 0; i < count; ++i) rows[i] = table.row(words[start + i]);
    float* block = similarities_.data() + start * stride_;
    std::memset(block, 0, sizeof(float) * count * stride_);
    kernels().dot_block(rows, count, query.rows, static_cast<int>(query.length), table.padded(), block, stride_,
                        upcoming_);
    if (table.equal_is_one()) {
      const RuleWords row_words = {&table, words + start, words + start};
      const RuleWords column_words = {query.table, query.ids, query.identities};
      apply_rules(row_words, count, column_words, static_cast<int>(query.length), block, stride_);
    }
    for (int i = 0; i < count; ++i) {
      const float* line = block + static_cast<std::int64_t>(i) * stride_;
      highest_[start + i] = std::max(0.0f, *std::max_element(line, line + stride_));
    }
  }
}

void SimilarityTable::build(const Table& table, const std::uint32_t* words, std::int64_t count, const TextWords& query,
                            Execution& execution, int worker) {
  resize(count, query.length);
  for (std::int64_t begin = 0; begin < count; begin += 1024) {
    if (execution.stopped(worker)) throw Interrupted();
    fill(table, words, begin, std::min(count, begin + 1024), query);
  }
}

PairScore SimilarityTable::score(Measure measure, const TextWords& query, const Table& table,
                                 const std::uint32_t* words, const std::uint32_t* positions, std::int64_t length,
                                 const float* self, Scratch& scratch) const {
  scratch.cross.resize(length);
  scratch.weights.resize(length);
  scratch.query_cross.resize(stride_);
  kernels().table_maxima(similarities_.data(), stride_, positions, length, scratch.query_cross.data());
  for (std::int64_t j = 0; j < length; ++j) {
    scratch.cross[j] = highest_[positions[j]];
    scratch.weights[j] = table.weight(words[positions[j]]);
  }
  return score_sides(measure, {query.self, scratch.query_cross.data(), query.weights, query.length},
                     {self, scratch.cross.data(), scratch.weights.data(), length});
}

DistinctWords::DistinctWords(const Table& table, const Ragged& texts) {
  std::vector<std::uint32_t> numbers(table.size(), kNobody);
  positions.resize(texts.total());
  for (std::int64_t i = 0; i < texts.total(); ++i) {
    std::uint32_t& number = numbers[texts.ids[i]];
    if (number == kNobody) {
      number = static_cast<std::uint32_t>(words.size());
      words.push_back(texts.ids[i]);
    }
    positions[i] = number;
  }
}

void query_scores(const Table& table, const std::uint32_t* query_ids, std::int64_t query_length,
                  const float* query_counts, const Ragged& documents, const float* document_self, Measure measure,
                  Execution& execution, float* out) {
  std::vector<float> query_self(query_length), computed_self;
  Gathered gathered;
  TextWords query = gathered.gather(table, query_ids, query_length, query_counts, nullptr);
  PairScorer(execution, 0).self(query, query_self.data());
  query.self = query_self.data();
  if (!document_self) {
    computed_self.resize(documents.total());
    self_memberships(table, documents, execution, computed_self.data());
    document_self = computed_self.data();
  }
  const DistinctWords distinct(table, documents);
  const std::int64_t words = static_cast<std::int64_t>(distinct.words.size());
  if (query_counts || documents.counts || !SimilarityTable::fits(words, query_length)) {
    scores_by_pairs(table, query, documents, document_self, measure, execution, out);
    return;
  }
  SimilarityTable similarities;
  similarities.resize(words, query_length);
  execution.for_chunks(words, 960, [&](int, std::int64_t begin, std::int64_t end) {
    similarities.fill(table, distinct.words.data(), begin, end, query);
  });
  execution.for_chunks(documents.size, 4096, [&](int, std::int64_t begin, std::int64_t end) {
    SimilarityTable::Scratch scratch;
    scores_by_table(similarities, table, query, distinct, documents, document_self, measure, begin, end, scratch, out);
  });
}

void matrix(const Table& table, const Ragged& rows, const Ragged& columns, const float* row_self,
            const float* column_self, Measure measure, Execution& execution, float* out) {
  std::vector<float> computed_rows, computed_columns;
  if (!row_self) {
    computed_rows.resize(rows.total());
    self_memberships(table, rows, execution, computed_rows.data());
    row_self = computed_rows.data();
  }
  if (!column_self) {
    computed_columns.resize(columns.total());
    self_memberships(table, columns, execution, computed_columns.data());
    column_self = computed_columns.data();
  }
  const DistinctWords distinct(table, columns);
  const std::int64_t words = static_cast<std::int64_t>(distinct.words.size());
  execution.for_chunks(rows.size, 1, [&](int worker, std::int64_t row, std::int64_t) {
    PairScorer scorer(execution, worker);
    SimilarityTable similarities;
    SimilarityTable::Scratch scratch;
    Gathered row_words, column_words;
    const TextWords query = row_words.gather(table, rows, row, row_self);
    float* line = out + row * columns.size;
    if (!rows.counts && !columns.counts && SimilarityTable::fits(words, query.length)) {
      similarities.build(table, distinct.words.data(), words, query, execution, worker);
      scores_by_table(similarities, table, query, distinct, columns, column_self, measure, 0, columns.size, scratch,
                      line);
    } else {
      for (std::int64_t column = 0; column < columns.size; ++column) {
        if (execution.stopped(worker)) throw Interrupted();
        line[column] = scorer.score(measure, query, column_words.gather(table, columns, column, column_self)).score;
      }
    }
  });
}

}  // namespace fuzzbow
