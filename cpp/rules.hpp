// Similarities that are not dot products: equal words, numbers, and words without a vector.
#pragma once
#include <cstdint>
#include <vector>

#include "table.hpp"

namespace fuzzbow {

constexpr std::uint32_t kNobody = 0xFFFFFFFFu;  // an identity that equals no other

inline float dice(std::int64_t common, std::int64_t a_count, std::int64_t b_count) {
  return a_count + b_count > 0 ? static_cast<float>(2.0 * common / static_cast<double>(a_count + b_count)) : 0.0f;
}

// 2 |a and b| / (|a| + |b|) over sorted unique trigram ids; 0 where both are empty.
float trigram_dice(const std::uint32_t* a, std::int64_t a_count, const std::uint32_t* b, std::int64_t b_count);

// Words of one text as the rules see them. Two words are the same when their identities are equal.
struct RuleWords {
  const Table* table;
  const std::uint32_t* ids;
  const std::uint32_t* identities;
  std::uint8_t kind(int i) const { return table->kind(ids[i]); }
};

// Replaces cells of a rows x columns block of dot products by what the rules say. letters: also those of unknown
// words, cell by cell; else they keep their product, 0, and the caller compares letters.
void apply_rules(const RuleWords& rows, int row_count, const RuleWords& columns, int column_count, bool letters,
                 float* block, int stride);

// Which words share trigrams with a given word: postings by trigram id.
class TrigramIndex {
 public:
  // Adds word `local`, whose trigrams are those of table id `id`.
  void add(const Table& table, std::uint32_t id, std::uint32_t local);
  struct Match {
    std::uint32_t local;
    float dice;
  };
  struct Scratch {                      // for one call after another
    std::vector<std::uint16_t> common;  // by local id, all zero between calls
    std::vector<std::uint32_t> touched;
    std::vector<Match> found;
  };
  // All added words with a positive Dice to the given trigrams, ascending by local id; they live in the scratch.
  const std::vector<Match>& matches(const std::uint32_t* trigrams, std::int64_t count, Scratch& scratch) const;
  std::size_t bytes() const;

 private:
  std::vector<std::vector<std::uint32_t>> postings_;
  std::vector<std::uint32_t> lengths_;  // by local id
};

}  // namespace fuzzbow
