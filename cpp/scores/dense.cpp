#include "scores/dense.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "simd/kernels.hpp"

namespace fuzzbow {

void dense_pairs(const DenseRows& left, const DenseRows& right, const float* weights, const SetSimilarity& similarity,
                 Execution& execution, float* out) {
  execution.for_chunks(left.size, 64, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      out[i] = similarity.score_rows(left.row(i), right.row(i), weights, left.width);
  });
}

void dense_matrix(const DenseRows& rows, const DenseRows& columns, const float* weights,
                  const SetSimilarity& similarity, Execution& execution, float* out) {
  // A block of columns stays in the second-level cache while the rows of a chunk are compared with it.
  const std::int64_t block = std::max<std::int64_t>(1, (1 << 17) / std::max<std::int64_t>(1, rows.width));
  execution.for_chunks(rows.size, 16, [&](int worker, std::int64_t begin, std::int64_t end) {
    for (std::int64_t start = 0; start < columns.size; start += block) {
      if (execution.stopped(worker)) throw Interrupted();
      const std::int64_t stop = std::min(columns.size, start + block);
      for (std::int64_t i = begin; i < end; ++i)
        for (std::int64_t j = start; j < stop; ++j)
          out[i * columns.size + j] = similarity.score_rows(rows.row(i), columns.row(j), weights, rows.width);
    }
  });
}

void memberships(const Ragged& texts, const DenseRows& word_rows, Execution& execution, float* out) {
  const std::int64_t width = word_rows.width;
  execution.for_chunks(texts.size, 64, [&](int worker, std::int64_t begin, std::int64_t end) {
    std::vector<float> counted(texts.counts ? width : 0);
    for (std::int64_t text = begin; text < end; ++text) {
      if (execution.stopped(worker)) throw Interrupted();
      float* target = out + text * width;
      std::memset(target, 0, sizeof(float) * width);
      for (std::int64_t i = texts.offsets[text]; i < texts.offsets[text + 1]; ++i) {
        const float* row = word_rows.row(texts.ids[i]);
        if (texts.counts) {
          for (std::int64_t k = 0; k < width; ++k) counted[k] = texts.counts[i] * row[k];
          row = counted.data();
        }
        kernels().raise(row, width, target);
      }
    }
  });
}

void pooled_rows(const Ragged& texts, const DenseRows& word_rows, Pooling pooling, Execution& execution, double* out) {
  const std::int64_t width = word_rows.width;
  execution.for_chunks(texts.size, 64, [&](int worker, std::int64_t begin, std::int64_t end) {
    for (std::int64_t text = begin; text < end; ++text) {
      if (execution.stopped(worker)) throw Interrupted();
      double* target = out + text * width;
      std::fill_n(target, width, 0.0);
      double total = 0;
      for (std::int64_t i = texts.offsets[text]; i < texts.offsets[text + 1]; ++i) {
        const float* row = word_rows.row(texts.ids[i]);
        const double count = texts.counts ? texts.counts[i] : 1.0;
        const bool smallest = pooling == Pooling::kMin && i > texts.offsets[text];
        for (std::int64_t k = 0; k < width; ++k)
          target[k] = smallest ? std::min(target[k], count * row[k]) : target[k] + count * row[k];
        total += count;
      }
      if (pooling == Pooling::kAverage && total > 0)
        for (std::int64_t k = 0; k < width; ++k) target[k] /= total;
    }
  });
}

}  // namespace fuzzbow
