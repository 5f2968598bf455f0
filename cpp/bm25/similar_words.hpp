// For words of queries: the words of a corpus that count for them, found by 8-bit bounds, then compared exactly.
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

// A word of a query's table, and which word of the corpus's table it is, or kNobody.
struct AskedWord {
  std::uint32_t id, identity;
};

struct Similar {
  std::uint32_t local;
  double gain;
};
using SimilarList = std::vector<Similar>;  // ascending local ids, gains above 0

// Similarities of one word with others, as every kernel computes them: (count,).
class WordSimilarities {
 public:
  const float* read(const Table& table, const AskedWord& word, const Table& others, const std::uint32_t* ids,
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
  // One list per word; what was found before is remembered.
  Lists find(const Table& table, const std::vector<AskedWord>& asked, Execution& execution) const;
  // New words of the corpus may count for any word.
  void forget();
  std::size_t bytes() const;

 private:
  using Candidates = std::vector<std::uint32_t>;
  bool cacheable(const Table& table, const AskedWord& word) const;
  void find_candidates(const Table& table, const std::vector<AskedWord>& asked, Execution& execution,
                       std::vector<Candidates>& found) const;
  QuantisedBlock quantised(const Table& table, const AskedWord* asked, std::int64_t count) const;
  void search_panels(const QuantisedBlock& block, std::int64_t begin, std::int64_t end, Candidates* found) const;
  SimilarList compare(const Table& table, const AskedWord& word, TrigramIndex::Scratch& scratch,
                      Candidates& candidates) const;
  void add_letters(const Table& table, const AskedWord& word, TrigramIndex::Scratch& scratch,
                   Candidates& candidates) const;
  Lists remembered(const Table& table, const std::vector<AskedWord>& asked) const;
  void remember(const Table& table, const std::vector<AskedWord>& asked, const Lists& lists) const;

  const CorpusWords& words_;
  Bm25Options options_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint32_t, std::shared_ptr<const SimilarList>> cache_;  // by identity
  mutable std::size_t cached_ = 0;                                                       // entries of all lists
};

}  // namespace fuzzbow
