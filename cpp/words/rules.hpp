// Similarities that are not dot products: equal words, numbers, and words without a vector.
#pragma once
#include <cstdint>
#include <vector>

#include "words/edits.hpp"
#include "words/table.hpp"

namespace fuzzbow {

constexpr std::uint32_t kNobody = 0xFFFFFFFFu;  // an identity that equals no other

// A word to compare others with by their letters, as fuzzbow.engine.letters defines it. The table must outlive it.
class LetterComparer {
 public:
  LetterComparer(const Table& table, std::uint32_t id) : table_(table), id_(id) {}

  // Similarity with a word of a table that has so many trigrams in common with this one. Without a common trigram it
  // is 0, so that an index of trigrams finds every word that is like another.
  float similarity(const Table& table, std::uint32_t id, const Spelling& spelling, std::int64_t common);

 private:
  double with_edits(const Table& table, std::uint32_t id, double dice);

  const Table& table_;
  std::uint32_t id_;
  EditPattern pattern_;  // read when edits are first counted
};

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

// Which words of a table share trigrams with a given word: postings by trigram id.
class TrigramIndex {
 public:
  // The table must outlive the index.
  explicit TrigramIndex(const Table& table) : table_(table) {}

  // Adds word `id` of the table as `local`.
  void add(std::uint32_t id, std::uint32_t local);
  struct Match {
    std::uint32_t local;
    float similarity;
  };
  struct Scratch {                      // for one call after another
    std::vector<std::uint16_t> common;  // by local id, all zero between calls
    std::vector<std::uint32_t> touched;
    std::vector<Match> found;
  };
  // All added words whose letters are like those of a word, which may be of another table, ascending by local id; they
  // live in the scratch.
  const std::vector<Match>& matches(const Table& table, std::uint32_t id, Scratch& scratch) const;
  std::size_t bytes() const;

 private:
  const Table& table_;
  std::vector<std::vector<std::uint32_t>> postings_;
  std::vector<std::uint32_t> ids_;   // by local id
  std::vector<Spelling> spellings_;  // by local id: most words are ruled out without a look at the table
};

}  // namespace fuzzbow
