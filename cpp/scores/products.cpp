#include "scores/products.hpp"

#include <algorithm>
#include <vector>

#include "simd/kernels.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kBlockRows = 64;

// Transposes rows [first, first + 8) of a matrix into a panel (width, 8), padded with zeros.
void pack(const DoubleRows& rows, std::int64_t first, double* panel) {
  const std::int64_t count = std::min<std::int64_t>(kProductColumns, rows.size - first);
  for (std::int64_t c = 0; c < kProductColumns; ++c)
    for (std::int64_t k = 0; k < rows.width; ++k)
      panel[k * kProductColumns + c] = c < count ? rows.row(first + c)[k] : 0.0;
}

// Multiplies rows [first, first + 4) with a panel. Missing rows repeat the last one.
void multiply(const DoubleRows& rows, std::int64_t first, const double* panel, double* tile) {
  const double* some[kProductRows];
  for (std::int64_t r = 0; r < kProductRows; ++r) some[r] = rows.row(std::min(first + r, rows.size - 1));
  kernels().product_tile(some, panel, rows.width, tile);
}

}  // namespace

void products(const DoubleRows& rows, const DoubleRows& columns, Execution& execution, double* out) {
  // The smaller side is packed into panels; a product is the same from either side.
  const bool flip = columns.size > rows.size;
  const DoubleRows& many = flip ? columns : rows;
  const DoubleRows& few = flip ? rows : columns;
  const std::int64_t step_many = flip ? 1 : columns.size, step_few = flip ? columns.size : 1;
  const std::int64_t panels = (few.size + kProductColumns - 1) / kProductColumns;
  const std::int64_t panel_size = few.width * kProductColumns;
  std::vector<double> packed(panels * panel_size);
  for (std::int64_t p = 0; p < panels; ++p) pack(few, p * kProductColumns, packed.data() + p * panel_size);
  execution.for_chunks(many.size, kBlockRows, [&](int worker, std::int64_t begin, std::int64_t end) {
    double tile[kProductRows * kProductColumns];
    for (std::int64_t p = 0; p < panels; ++p) {
      if (execution.stopped(worker)) throw Interrupted();
      const std::int64_t first = p * kProductColumns, count = std::min<std::int64_t>(kProductColumns, few.size - first);
      for (std::int64_t i = begin; i < end; i += kProductRows) {
        multiply(many, i, packed.data() + p * panel_size, tile);
        for (std::int64_t r = 0; r < std::min<std::int64_t>(kProductRows, end - i); ++r)
          for (std::int64_t c = 0; c < count; ++c)
            out[(i + r) * step_many + (first + c) * step_few] = tile[r * kProductColumns + c];
      }
    }
  });
}

void row_products(const DoubleRows& left, const DoubleRows& right, Execution& execution, double* out) {
  execution.for_chunks(left.size, kBlockRows, [&](int worker, std::int64_t begin, std::int64_t end) {
    std::vector<double> panel(left.width * kProductColumns);
    double tile[kProductRows * kProductColumns];
    for (std::int64_t i = begin; i < end; ++i) {
      if (execution.stopped(worker)) throw Interrupted();
      const std::int64_t column = (i - begin) % kProductColumns, row = (i - begin) % kProductRows;
      if (column == 0) pack(right, i, panel.data());
      if (row == 0) multiply(left, i, panel.data(), tile);
      out[i] = tile[row * kProductColumns + column];
    }
  });
}

}  // namespace fuzzbow
