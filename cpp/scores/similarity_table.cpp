#include "scores/similarity_table.hpp"

#include <algorithm>
#include <cstring>

#include "simd/kernels.hpp"
#include "words/rules.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kBlockRows = 48;
constexpr std::int64_t kShortQuery = 64;                       // longer queries compare letters through an index
constexpr std::int64_t kLargestTable = std::int64_t{1} << 26;  // floats

std::int64_t stride_for(std::int64_t query_length) { return std::max<std::int64_t>(16, (query_length + 15) / 16 * 16); }

}  // namespace

bool SimilarityTable::fits(std::int64_t words, std::int64_t query_length) {
  return query_length <= 4096 && words * stride_for(query_length) <= kLargestTable;
}

void SimilarityTable::resize(std::int64_t count, const TextWords& query) {
  stride_ = static_cast<int>(stride_for(query.length));
  by_letters_ = query.table->rules() && query.length > kShortQuery;
  if (by_letters_) letters_.read(query);
  similarities_.at_least(static_cast<std::size_t>(count) * stride_);
  highest_.at_least(count);
}

void SimilarityTable::fill(const Table& table, const std::uint32_t* words, std::int64_t begin, std::int64_t end,
                           const TextWords& query) {
  const float* rows[kBlockRows];
  Letters::Scratch scratch;
  for (std::int64_t start = begin; start < end; start += kBlockRows) {
    const int count = static_cast<int>(std::min(kBlockRows, end - start));
    for (int i = 0; i < count; ++i) rows[i] = table.row(words[start + i]);
    float* block = similarities_.data() + start * stride_;
    std::memset(block, 0, sizeof(float) * count * stride_);
    kernels().dot_block(rows, count, query.rows, static_cast<int>(query.length), table.padded(), block, stride_,
                        upcoming_);
    if (table.equal_is_one()) {
      const RuleWords row_words = {&table, words + start, words + start};
      const RuleWords column_words = {query.table, query.ids, query.identities};
      apply_rules(row_words, count, column_words, static_cast<int>(query.length), !by_letters_, block, stride_);
    }
    if (by_letters_) compare_letters(table, words + start, count, query, scratch, block);
    for (int i = 0; i < count; ++i) {
      const float* line = block + static_cast<std::int64_t>(i) * stride_;
      highest_[start + i] = std::max(0.0f, *std::max_element(line, line + stride_));
    }
  }
}

// Replaces products of words that are compared by letters. Equal words are already 1.
void SimilarityTable::compare_letters(const Table& table, const std::uint32_t* words, int count, const TextWords& query,
                                      Letters::Scratch& scratch, float* block) const {
  for (int i = 0; i < count; ++i)
    letters_.matches(table, words[i], scratch, [&](std::uint32_t position, float similarity) {
      if (query.identities[position] != words[i]) block[static_cast<std::int64_t>(i) * stride_ + position] = similarity;
    });
}

void SimilarityTable::build(const Table& table, const std::uint32_t* words, std::int64_t count, const TextWords& query,
                            Execution& execution, int worker) {
  resize(count, query);
  for (std::int64_t begin = 0; begin < count; begin += 1024) {
    if (execution.stopped(worker)) throw Interrupted();
    fill(table, words, begin, std::min(count, begin + 1024), query);
  }
}

PairScore SimilarityTable::score(const SetSimilarity& similarity, const TextWords& query, const Table& table,
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
  return similarity.score_sides({query.self, scratch.query_cross.data(), query.weights, query.length},
                                {self, scratch.cross.data(), scratch.weights.data(), length});
}

}  // namespace fuzzbow
