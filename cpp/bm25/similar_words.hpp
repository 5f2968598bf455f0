// Similar words: for each query word the corpus words whose similarity is above the floor, with their gains.
//
// Idea: 8-bit products of a query word with all panels of the vocabulary give upper bounds of its similarities; a
// trigram index adds words that are similar by letters. The few candidates whose bound is above the floor are compared
// exactly. Lists are cached by corpus word, as queries share words.
// Invariant: bounds are at least the exact similarities, so no word above the floor is missed, and gains come from the
// exact kernel, so a list does not depend on the batch or the cache. A cached list is used only for a word with the
// same vector, kind and letters; new words of the corpus clear the cache.
// Complexity: O(V d) products of bytes per new query word, for V words of the corpus and d dimensions, and O(d) per
// candidate. The cache has at most 2^21 entries and is cleared when full.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "bm25/options.hpp"
#include "search/corpus_words.hpp"
#include "simd/kernels.hpp"
#include "support/parallel.hpp"

namespace fuzzbow {

// A word of a query's table, and its id in the corpus's table or kNoWord.
struct Bm25QueryWord {
  std::uint32_t id, identity;
};

struct Similar {
  std::uint32_t local;
  double gain;
};
using SimilarList = std::vector<Similar>;  // ascending local ids, gains above 0

// Similarities of one word with others, as the exact kernel computes them: (count,).
class WordSimilarities {
 public:
  const float* read(const Table& table, const Bm25QueryWord& word, const Table& others, const std::uint32_t* ids,
                    std::int64_t count);

 private:
  AlignedBuffer<float> line_;
  std::vector<const float*> rows_;
  Upcoming nothing_;
};

class SimilarWords {
 public:
  SimilarWords(const CorpusWords& words, const Bm25Options& options) : words_(words), options_(options) {}

  using Lists = std::vector<std::shared_ptr<const SimilarList>>;
  // Returns one list per word, cached or new.
  Lists find(const Table& table, const std::vector<Bm25QueryWord>& query_words, Execution& execution) const;
  // Clears the cache: new words of the corpus may be similar to any word.
  void clear_cache();
  std::size_t bytes() const;

 private:
  using Candidates = std::vector<std::uint32_t>;
  bool cacheable(const Table& table, const Bm25QueryWord& word) const;
  void find_candidates(const Table& table, const std::vector<Bm25QueryWord>& query_words, Execution& execution,
                       std::vector<Candidates>& found) const;
  QuantisedBlock quantised(const Table& table, const Bm25QueryWord* query_words, std::int64_t count) const;
  void search_panels(const QuantisedBlock& block, std::int64_t begin, std::int64_t end, Candidates* found) const;
  SimilarList compare(const Table& table, const Bm25QueryWord& word, TrigramIndex::Scratch& scratch,
                      Candidates& candidates) const;
  void add_letters(const Table& table, const Bm25QueryWord& word, TrigramIndex::Scratch& scratch,
                   Candidates& candidates) const;
  Lists find_cached(const Table& table, const std::vector<Bm25QueryWord>& query_words) const;
  void add_to_cache(const Table& table, const std::vector<Bm25QueryWord>& query_words, const Lists& lists) const;

  const CorpusWords& words_;
  Bm25Options options_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint32_t, std::shared_ptr<const SimilarList>> cache_;  // by identity
  mutable std::size_t cached_ = 0;                                                       // entries of all lists
};

}  // namespace fuzzbow
