// Scores of one query text with many texts: each distinct word is compared with the query once.
#pragma once
#include <cstdint>
#include <vector>

#include "scores/set_similarity.hpp"
#include "simd/kernels.hpp"
#include "support/aligned.hpp"
#include "support/parallel.hpp"
#include "words/letters.hpp"
#include "words/text_words.hpp"

namespace fuzzbow {

// Similarities of a word list with every query word, bit for bit those of the pair kernel. Without bag counts.
class SimilarityTable {
 public:
  // Computes the table for these table ids. Requires fits(count, query.length).
  void build(const Table& table, const std::uint32_t* words, std::int64_t count, const TextWords& query,
             Execution& execution, int worker);
  static bool fits(std::int64_t words, std::int64_t query_length);
  // Computes rows [begin, end) only, after resize(), for workers that share the work.
  void resize(std::int64_t count, const TextWords& query);
  void fill(const Table& table, const std::uint32_t* words, std::int64_t begin, std::int64_t end,
            const TextWords& query);

  // Score of a document, given as positions in the word list.
  struct Scratch {
    std::vector<float> cross, query_cross, weights;
  };
  PairScore score(const SetSimilarity& similarity, const TextWords& query, const Table& table,
                  const std::uint32_t* words, const std::uint32_t* positions, std::int64_t length, const float* self,
                  Scratch& scratch) const;

 private:
  void compare_letters(const Table& table, const std::uint32_t* words, int count, const TextWords& query,
                       Letters::Scratch& scratch, float* block) const;

  int stride_ = 16;
  Upcoming upcoming_;  // always empty: nothing to prefetch
  bool by_letters_ = false;
  Letters letters_;  // of a long query
  AlignedBuffer<float> similarities_, highest_;
};

}  // namespace fuzzbow
