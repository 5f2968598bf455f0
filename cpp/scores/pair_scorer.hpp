// Exact scores of two texts: the one kernel behind pairs, search and join.
#pragma once
#include <cstdint>
#include <vector>

#include "scores/set_similarity.hpp"
#include "simd/kernels.hpp"
#include "support/aligned.hpp"
#include "support/parallel.hpp"
#include "words/letters.hpp"
#include "words/text_words.hpp"
#include "words/united_words.hpp"

namespace fuzzbow {

// Scores pairs; one per worker, as it holds scratch.
class PairScorer {
 public:
  PairScorer(Execution& execution, int worker) : execution_(execution), worker_(worker) {}

  // Writes the memberships of a text's words in the text itself.
  void self(const TextWords& text, float* out);
  PairScore score(const SetSimilarity& similarity, const TextWords& left, const TextWords& right);
  // Score of two texts of one table without bag counts, computing self memberships on the way. Bit for bit equal to
  // `score`. Requires UnitedWords::fits.
  PairScore score_united(const SetSimilarity& similarity, const Table& table, const std::uint32_t* left,
                         std::int64_t left_length, const std::uint32_t* right, std::int64_t right_length);

  // Vectors that the next call will read: prefetched while this one computes.
  void forget_upcoming() { upcoming_rows_.clear(); }
  void prefetch(const Table& table, const std::uint32_t* ids, std::int64_t length);

 private:
  struct Cross {
    const float *left, *right;
  };
  Cross cross_maxima(const TextWords& left, const TextWords& right);
  Cross large_cross(const TextWords& left, const TextWords& right);
  void own_maxima(const TextWords& text, float* best);
  void raise_by_tiles(const TextWords& left, std::int64_t left_count, const TextWords& right, std::int64_t right_count);
  void raise_by_letters(const TextWords& left, const TextWords& right);
  void tile(const TextWords& left, std::int64_t i, int rows, const TextWords& right, std::int64_t j, int columns,
            bool triangle);
  void check() {
    if (execution_.stopped(worker_)) throw Interrupted();
  }

  Execution& execution_;
  int worker_;
  int stride_ = 16;
  Upcoming upcoming_;
  std::vector<const float*> upcoming_rows_;
  AlignedBuffer<float> block_, left_cross_, right_cross_;
  UnitedWords united_;
  // Scratch of large pairs.
  UniqueWords left_unique_, right_unique_;
  std::vector<float> left_spread_, right_spread_;
  Letters letters_;
  Letters::Scratch letters_scratch_;
};

}  // namespace fuzzbow
