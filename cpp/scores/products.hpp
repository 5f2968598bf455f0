// Dot products in double that are the same numbers in whatever batch they are computed.
//
// The libraries that multiply matrices add up in an order that depends on the shape of the matrices, so that equal
// texts in two batches may get scores that differ in the last digit. Here every sum goes from the first element to the
// last.
#pragma once
#include <cstdint>

#include "support/parallel.hpp"

namespace fuzzbow {

struct DoubleRows {
  const double* values = nullptr;  // (size, width), contiguous
  std::int64_t size = 0, width = 0;
  const double* row(std::int64_t i) const { return values + i * width; }
};

// out (n, m): every row with every column.
void products(const DoubleRows& rows, const DoubleRows& columns, Execution& execution, double* out);
// out (n,): row i with row i.
void row_products(const DoubleRows& left, const DoubleRows& right, Execution& execution, double* out);

}  // namespace fuzzbow
