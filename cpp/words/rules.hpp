// Similarities that are not dot products: of equal words, of numbers, and of words without a vector.
#pragma once
#include <cstdint>
#include <vector>

#include "words/edits.hpp"
#include "words/table.hpp"

namespace fuzzbow {

constexpr std::uint32_t kNoWord = 0xFFFFFFFFu;  // no word; as an identity it equals no other

// A word prepared for comparison by letters, as fuzzbow.engine.letters defines it. The table must outlive it.
class LetterComparer {
 public:
  LetterComparer(const Table& table, std::uint32_t id) : table_(table), id_(id) {}

  // Similarity with a word of a table; `common` is the number of trigrams that both words have. It is 0 without a
  // common trigram, so a trigram index finds every word with a positive similarity.
  float similarity(const Table& table, std::uint32_t id, const Spelling& spelling, std::int64_t common);

 private:
  double with_edits(const Table& table, std::uint32_t id, double dice);

  const Table& table_;
  std::uint32_t id_;
  EditPattern pattern_;  // set when edits are first counted
};

// Words of one text as the rules see them. Equal identities mean the same word.
struct RuleWords {
  const Table* table;
  const std::uint32_t* ids;
  const std::uint32_t* identities;
  std::uint8_t kind(int i) const { return table->kind(ids[i]); }
};

// Overwrites cells of a rows x columns block of dot products that a rule decides. letters: true compares unknown words
// by letters, cell by cell; false leaves their product, 0, for the caller to replace.
void apply_rules(const RuleWords& rows, int row_count, const RuleWords& columns, int column_count, bool letters,
                 float* block, int stride);

// An index from trigrams to the words of a table that contain them.
class TrigramIndex {
 public:
  // The table must outlive the index.
  explicit TrigramIndex(const Table& table) : table_(table) {}

  // Adds word `id` of the table under the number `local`.
  void add(std::uint32_t id, std::uint32_t local);
  struct Match {
    std::uint32_t local;
    float similarity;
  };
  struct Scratch {                      // reusable buffers
    std::vector<std::uint16_t> common;  // by local id; all zero between calls
    std::vector<std::uint32_t> touched;
    std::vector<Match> found;
  };
  // Returns all added words that share a trigram with a word, ascending by local id. The word may be of another table.
  // The result lives in the scratch.
  const std::vector<Match>& matches(const Table& table, std::uint32_t id, Scratch& scratch) const;
  std::size_t bytes() const;

 private:
  const Table& table_;
  std::vector<std::vector<std::uint32_t>> postings_;
  std::vector<std::uint32_t> ids_;   // by local id
  std::vector<Spelling> spellings_;  // by local id; rules out most words without reading the table
};

}  // namespace fuzzbow
