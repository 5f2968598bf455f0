// Dot products in double whose bits do not depend on the batch. Matrix libraries add in an order that depends on the
// shapes, so that equal texts in two batches may get scores that differ in the last digit. Here every sum runs from the
// first element to the last.
#pragma once
#include "support/parallel.hpp"
#include "support/rows.hpp"

namespace fuzzbow {

using DoubleRows = Rows<double>;

// out (n, m): product of every row with every column.
void products(const DoubleRows& rows, const DoubleRows& columns, Execution& execution, double* out);
// out (n,): product of row i of left with row i of right.
void row_products(const DoubleRows& left, const DoubleRows& right, Execution& execution, double* out);

}  // namespace fuzzbow
