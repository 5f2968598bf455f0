#include "scores/matrix.hpp"

#include <vector>

#include "scores/pair_scorer.hpp"
#include "scores/self_memberships.hpp"
#include "scores/similarity_table.hpp"
#include "words/rules.hpp"

namespace fuzzbow {

namespace {

// Texts with their distinct words numbered in order of appearance.
struct NumberedTexts {
  NumberedTexts(const Table& table, const Ragged& texts, const Indices& chosen) : offsets(1, 0) {
    std::vector<std::uint32_t> numbers(table.size(), kNoWord);
    for (std::int64_t i = 0; i < chosen.size; ++i) {
      const std::int64_t start = texts.start(chosen[i]), length = texts.length(chosen[i]);
      for (std::int64_t j = start; j < start + length; ++j) {
        std::uint32_t& number = numbers[texts.ids[j]];
        if (number == kNoWord) {
          number = static_cast<std::uint32_t>(words.size());
          words.push_back(texts.ids[j]);
        }
        positions.push_back(number);
      }
      offsets.push_back(static_cast<std::int64_t>(positions.size()));
    }
  }
  std::int64_t distinct() const { return static_cast<std::int64_t>(words.size()); }

  std::vector<std::uint32_t> words;      // table ids
  std::vector<std::uint32_t> positions;  // indices into words; text i has those from offsets[i] to offsets[i + 1]
  std::vector<std::int64_t> offsets;
};

}  // namespace

void matrix(const Table& table, const Ragged& texts, const Indices& rows, const Indices& columns,
            const SetSimilarity& similarity, Execution& execution, float* out) {
  const SelfMemberships self(table, texts, {rows, columns}, execution);
  const NumberedTexts numbered(table, texts, columns);
  execution.for_chunks(rows.size, 1, [&](int worker, std::int64_t row, std::int64_t) {
    Gathered row_words;
    TextWords query = row_words.gather(table, texts, rows[row], nullptr);
    query.self = self.of(rows[row]);
    float* line = out + row * columns.size;
    if (!texts.counts && SimilarityTable::fits(numbered.distinct(), query.length)) {
      SimilarityTable similarities;
      SimilarityTable::Scratch scratch;
      similarities.build(table, numbered.words.data(), numbered.distinct(), query, execution, worker);
      for (std::int64_t j = 0; j < columns.size; ++j) {
        const std::int64_t start = numbered.offsets[j], length = numbered.offsets[j + 1] - start;
        line[j] = similarities
                      .score(similarity, query, table, numbered.words.data(), numbered.positions.data() + start, length,
                             self.of(columns[j]), scratch)
                      .score;
      }
      return;
    }
    // Bag counts, or a query too long for a table.
    PairScorer scorer(execution, worker);
    Gathered column_words;
    for (std::int64_t j = 0; j < columns.size; ++j) {
      if (execution.stopped(worker)) throw Interrupted();
      TextWords text = column_words.gather(table, texts, columns[j], nullptr);
      text.self = self.of(columns[j]);
      line[j] = scorer.score(similarity, query, text).score;
    }
  });
}

}  // namespace fuzzbow
