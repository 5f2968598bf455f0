// NEON with the dot products of bytes of ARMv8.2 and later.
#include <arm_neon.h>

#include <cmath>
#include <cstring>

#include "simd/compiler.hpp"
#include "simd/kernels.hpp"
#define FUZZBOW_NEON 1

namespace fuzzbow {
namespace {

#include "simd/neon.inl"

template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  int32x4_t sums[kWords][4];
  clear(sums);
  const std::uint32_t* line = query.bytes + first;
  for (int q = 0; q < query.quads; ++q, line += query.stride) {
    int8x16_t words[4];
    FUZZBOW_UNROLL
    for (int j = 0; j < 4; ++j) words[j] = vld1q_s8(panel.values + 64 * q + 16 * j);
    FUZZBOW_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const int8x16_t quad = spread_quad(line[i]);
      FUZZBOW_UNROLL
      for (int j = 0; j < 4; ++j) sums[i][j] = vdotq_s32(sums[i][j], words[j], quad);
    }
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) {
    FUZZBOW_UNROLL
    for (int j = 0; j < 4; ++j) vst1q_s32(out + i * kPanel + 4 * j, sums[i][j]);
  }
}
constexpr int kQueryBlock = 5;  // more sums in flight spill registers

#include "simd/panel_similarities.inl"
#include "simd/table.inl"

}  // namespace

const Kernels& dotprod_kernels() {
  static const Kernels table = table_of("dotprod", false);  // no pages, as in neon.cpp
  return table;
}

}  // namespace fuzzbow
