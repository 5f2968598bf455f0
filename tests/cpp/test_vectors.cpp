// Products, maxima and sums of vectors of floats.
#include <algorithm>

#include "checks.hpp"

namespace fuzzbow {

namespace {

struct Rows {
  std::vector<float> values;
  std::vector<const float*> rows;
  Rows(Source& source, int count, int padded)
      : values(source.numbers(static_cast<std::size_t>(count) * padded, -2, 2)) {
    for (int i = 0; i < count; ++i) rows.push_back(values.data() + static_cast<std::size_t>(i) * padded);
  }
};

constexpr int kStride = 32;

std::vector<float> products(const Kernels& kernels, const Rows& left, const Rows& right, int padded) {
  std::vector<float> block(left.rows.size() * kStride, -1.0f), out;
  Upcoming upcoming;  // some lines to ask for, which must change nothing
  upcoming.row = right.rows.data();
  upcoming.last = right.rows.data() + right.rows.size();
  upcoming.row_bytes = 256;
  kernels.dot_block(left.rows.data(), static_cast<int>(left.rows.size()), right.rows.data(),
                    static_cast<int>(right.rows.size()), padded, block.data(), kStride, upcoming);
  for (std::size_t i = 0; i < left.rows.size(); ++i)
    out.insert(out.end(), block.begin() + i * kStride, block.begin() + i * kStride + right.rows.size());
  return out;
}

}  // namespace

void test_dot_block(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int padded : {16, 64, 304})
    for (int rows = 1; rows <= 13; ++rows)
      for (int columns = 1; columns <= 9; columns += rows % 2 + 1) {
        const Rows left(source, rows, padded), right(source, columns, padded);
        const std::vector<float> block = products(kernels, left, right, padded);
        checks.agree(source.kind(), products(portable, left, right, padded), block, padded * 1e-5);
        std::vector<float> one_by_one(block.size());
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            float out[4];
            Upcoming nothing;
            kernels.dot_block(&left.rows[i], 1, &right.rows[j], 1, padded, out, 4, nothing);
            one_by_one[i * columns + j] = out[0];
          }
        checks.equal(one_by_one, block);
      }
}

void test_dot_triangle(const Kernels&, const Kernels& kernels, Source& source, Checks& checks) {
  for (int padded : {16, 112})
    for (int count = 1; count <= 20; ++count) {
      const Rows text(source, count, padded);
      std::vector<float> block(count * kStride, -1.0f), upper, expected;
      Upcoming nothing;
      kernels.dot_triangle(text.rows.data(), count, padded, block.data(), kStride, nothing);
      const std::vector<float> all = products(kernels, text, text, padded);
      for (int i = 0; i < count; ++i)
        for (int j = i; j < count; ++j) {
          upper.push_back(block[i * kStride + j]);
          expected.push_back(all[i * count + j]);
        }
      checks.equal(expected, upper);
    }
}

void test_maxima(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int stride : {16, 32, 48})
    for (int rows = 0; rows <= 7; ++rows) {
      const std::vector<float> block = source.numbers(rows * stride, -4, 1);
      std::vector<float> row_maxima = source.numbers(rows, 0, 1), column_maxima = source.numbers(stride, 0, 1);
      std::vector<float> expected_rows = row_maxima, expected_columns = column_maxima;
      portable.block_maxima(block.data(), rows, stride, expected_rows.data(), expected_columns.data());
      kernels.block_maxima(block.data(), rows, stride, row_maxima.data(), column_maxima.data());
      checks.equal(expected_rows, row_maxima);
      checks.equal(expected_columns, column_maxima);

      const std::vector<float> table = source.numbers(50 * stride, -4, 4);
      const auto words = source.integers<std::uint32_t>(rows, 0, 49);
      std::vector<float> expected(stride), cross(stride);
      portable.table_maxima(table.data(), stride, words.data(), rows, expected.data());
      kernels.table_maxima(table.data(), stride, words.data(), rows, cross.data());
      checks.equal(expected, cross);
    }
  for (int count = 0; count <= kLargestTriangle; count += 1 + count / 7) {
    const int stride = (count + 15) / 16 * 16;
    std::vector<float> block(static_cast<std::size_t>(count) * stride);
    for (int i = 0; i < count; ++i) {
      const std::vector<float> line = source.numbers(count, -4, 1);
      for (int j = i; j < count; ++j) block[i * stride + j] = line[j];
      for (int j = i / 3 * 3; j < i; ++j) block[i * stride + j] = block[j * stride + i];  // some of the lower triangle
    }
    std::vector<float> inside(2 * stride), expected(2 * stride), found(2 * stride, -1.0f);
    const auto sets = source.integers<int>(count, 1, 3);  // one of the two, or both
    for (int i = 0; i < count; ++i)
      for (int part = 0; part < 2; ++part) inside[part * stride + i] = sets[i] >> part & 1 ? INFINITY : 0.0f;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        for (int part = 0; part < 2; ++part)
          if (sets[j] >> part & 1)
            expected[part * stride + i] =
                std::max(expected[part * stride + i], block[std::min(i, j) * stride + std::max(i, j)]);
    kernels.triangle_maxima(block.data(), count, stride, inside.data(), inside.data() + stride, found.data(),
                            found.data() + stride);
    for (int part = 0; part < 2; ++part) {  // beyond the count there may be anything
      const auto from = [&](std::vector<float>& all) { return all.begin() + part * stride; };
      checks.equal(std::vector<float>(from(expected), from(expected) + count),
                   std::vector<float>(from(found), from(found) + count));
    }
  }
  for (int count = 0; count <= 40; ++count) {
    const std::vector<float> values = source.numbers(count, -1, 1);
    std::vector<float> target = source.numbers(count, -1, 1), expected = target;
    portable.raise(values.data(), count, expected.data());
    kernels.raise(values.data(), count, target.data());
    checks.equal(expected, target);
  }
}

void test_first_places(const Kernels&, const Kernels& kernels, Source& source, Checks& checks) {
  for (int count = 0; count <= kLargestTriangle; ++count)
    for (int most : {0, 7, 1000}) {
      const auto ids = source.integers<std::uint32_t>(kLargestTriangle, 0, most);
      std::vector<std::uint8_t> expected(count), found(count, 99);
      for (int i = 0; i < count; ++i)
        expected[i] = static_cast<std::uint8_t>(std::find(ids.begin(), ids.end(), ids[i]) - ids.begin());
      kernels.first_positions(ids.data(), count, found.data());
      checks.equal(expected, found);
    }
}

void test_row_sums(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int count : {0, 1, 3, 4, 5, 15, 16, 17, 300, 1025, 9001})
    for (bool weighted : {false, true}) {
      const std::vector<float> left = source.numbers(count, 0, 2), right = source.numbers(count, 0, 2);
      const std::vector<float> some = source.numbers(count, 0, 2);
      const float* weights = weighted ? some.data() : nullptr;
      std::vector<double> expected(5), sums(5), own(3);
      portable.min_max_sums(left.data(), right.data(), weights, count, expected.data());
      portable.product_sums(left.data(), right.data(), weights, count, expected.data() + 2);
      kernels.min_max_sums(left.data(), right.data(), weights, count, sums.data());
      kernels.product_sums(left.data(), right.data(), weights, count, sums.data() + 2);
      checks.agree(source.kind(), expected, sums, count * 1e-5);
      kernels.product_sums(left.data(), left.data(), weights, count, own.data());
      checks.equal(std::vector<double>(3, own[0]), own);
    }
}

void test_product_tile(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int depth : {0, 1, 2, 7, 300}) {
    // Rows and columns are the same vectors, so that every product is there from both sides.
    const std::vector<float> values = source.numbers(kProductRows * depth, -2, 2);
    std::vector<double> rows(values.begin(), values.end()), panel(depth * kProductColumns);
    for (int k = 0; k < depth; ++k)
      for (int c = 0; c < kProductColumns; ++c) panel[k * kProductColumns + c] = rows[c % kProductRows * depth + k];
    const double* starts[kProductRows];
    for (int r = 0; r < kProductRows; ++r) starts[r] = rows.data() + r * depth;
    std::vector<double> expected(kProductRows * kProductColumns), tile(expected.size()), mirrored(expected.size());
    portable.product_tile(starts, panel.data(), depth, expected.data());
    kernels.product_tile(starts, panel.data(), depth, tile.data());
    checks.agree(source.kind(), expected, tile, 1e-11);
    for (int r = 0; r < kProductRows; ++r)
      for (int c = 0; c < kProductColumns; ++c)
        mirrored[r * kProductColumns + c] =
            tile[c % kProductRows * kProductColumns + r + c / kProductRows * kProductRows];
    checks.equal(mirrored, tile);
  }
}

}  // namespace fuzzbow
