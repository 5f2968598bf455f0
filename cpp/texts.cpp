#include "texts.hpp"

#include "simd/compiler.hpp"

namespace fuzzbow {

const TextWords& Gathered::gather(const Table& table, const std::uint32_t* ids, std::int64_t length,
                                  const float* counts, const float* self) {
  rows_.resize(length);
  weights_.resize(length);
  for (std::int64_t i = 0; i < length; ++i) {
    rows_[i] = table.row(ids[i]);
    weights_[i] = table.weight(ids[i]);
  }
  words_ = {&table, length, ids, ids, counts, rows_.data(), weights_.data(), self};
  return words_;
}

std::uint32_t cached_rows(const Table& table) { return static_cast<std::uint32_t>((1 << 18) / table.padded()); }

void prefetch_rows(const Table& table, const std::uint32_t* ids, std::int64_t length) {
  const std::uint32_t cached = cached_rows(table);
  for (std::int64_t i = 0; i < length; ++i) {
    if (ids[i] < cached) continue;
    const float* row = table.row(ids[i]);
    for (int t = 0; t < table.padded(); t += 16) FUZZBOW_PREFETCH_EARLY(row + t);
  }
}

}  // namespace fuzzbow
