// Texts over a fixed universe: each text is one row of memberships, and set similarities compare rows.
#pragma once
#include "scores/set_similarity.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "support/rows.hpp"

namespace fuzzbow {

using DenseRows = Rows<float>;

// Score row i of left with row i of right: out (n,). weights (width,) may be null.
void dense_pairs(const DenseRows& left, const DenseRows& right, const float* weights, const SetSimilarity& similarity,
                 Execution& execution, float* out);
void dense_matrix(const DenseRows& rows, const DenseRows& columns, const float* weights,
                  const SetSimilarity& similarity, Execution& execution, float* out);
// Pool by the maximum: out (n, width) is the maximum of 0 and of count times row, over the words of each text.
void memberships(const Ragged& texts, const DenseRows& word_rows, Execution& execution, float* out);

// Pool by minimum, sum or average (ablations). Values may be negative and cancel, so sums are in double.
enum class Pooling { kMin, kSum, kAverage };
void pooled_rows(const Ragged& texts, const DenseRows& word_rows, Pooling pooling, Execution& execution, double* out);

}  // namespace fuzzbow
