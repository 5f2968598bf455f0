// Fixed universes: every text is one membership row, and set similarities compare rows.
#pragma once
#include <cstdint>

#include "scores/set_similarity.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"

namespace fuzzbow {

struct DenseRows {
  const float* values = nullptr;  // (size, width), contiguous
  std::int64_t size = 0, width = 0;
  const float* row(std::int64_t i) const { return values + i * width; }
};

// weights (width,) may be null.
void dense_pairs(const DenseRows& left, const DenseRows& right, const float* weights, const SetSimilarity& similarity,
                 Execution& execution, float* out);
void dense_matrix(const DenseRows& rows, const DenseRows& columns, const float* weights,
                  const SetSimilarity& similarity, Execution& execution, float* out);
// out (n, width): the maximum with zero over the rows of a text's words, times their counts.
void memberships(const Ragged& texts, const DenseRows& word_rows, Execution& execution, float* out);

// The ablations: minima, sums or averages of the same rows. They may be negative and cancel, hence double.
enum class Pooling { kMin, kSum, kAverage };
void pooled_rows(const Ragged& texts, const DenseRows& word_rows, Pooling pooling, Execution& execution, double* out);

}  // namespace fuzzbow
