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

constexpr int kMostCounted = 255;  // trigrams of a word; more are not counted in WordLengths

// Letters that edits compare, and distinct trigrams, of a word.
struct WordLengths {
  std::uint8_t letters = 0, trigrams = 0;
};

// An index from trigrams to the words of a table that contain them.
//
// Idea: two words of similarity s have a least number T of common trigrams, from the Dice coefficient or from edits,
// each of which changes at most four trigrams. So a word of that similarity is in one of the lists of all trigrams but
// the T - 1 with the longest lists. Only these lists are read; what they find is sifted by lengths and letters, and the
// rest is compared exactly.
// Invariant: letters and trigrams of a word are of the same spelling, as TableRows requires; no word of at least the
// asked similarity is missed.
// Complexity: linear in the lists that are read, plus the exact comparison of the words that pass the sieve.
class TrigramIndex {
 public:
  // The table must outlive the index.
  explicit TrigramIndex(const Table& table) : table_(table) {}

  // Adds word `id` of the table under the number `local`, which must be above all numbers added before.
  void add(std::uint32_t id, std::uint32_t local);
  struct Match {
    std::uint32_t local;
    float similarity;
  };
  using List = std::vector<std::uint32_t>;
  struct Lists {
    List known, unknown;  // ascending local ids
  };
  struct Scratch {                      // reusable buffers
    std::vector<std::uint16_t> common;  // by local id; all zero between calls
    std::vector<std::uint32_t> touched;
    std::vector<const Lists*> lists;
    std::vector<Match> found;
  };
  // Returns the added words that are compared with a word by letters, share a trigram with it and have at least this
  // similarity, ascending by local id; of unknown words those from `first` on. Only unknown words are compared with a
  // word that has a vector. The word may be of another table. The result lives in the scratch.
  const std::vector<Match>& matches(const Table& table, std::uint32_t id, float least, Scratch& scratch,
                                    std::uint32_t first = 0) const;
  std::size_t bytes() const;

 private:
  const Table& table_;
  std::vector<Lists> postings_;       // by trigram
  std::vector<std::uint32_t> ids_;    // by local id
  std::vector<WordLengths> lengths_;  // by local id; rule out most words without reading the table
};

}  // namespace fuzzbow
