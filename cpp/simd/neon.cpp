// NEON, which every 64-bit ARM processor has.
#include <arm_neon.h>

#include <cmath>
#include <cstring>

#include "simd/compiler.hpp"
#include "simd/kernels.hpp"
#define FUZZBOW_NEON 1

namespace fuzzbow {
namespace {

#include "simd/neon.inl"

// Multiplies eight words with one or two quads of a query word. 16 bits hold the sum of two products of bytes.
template <int kWords, int kQuads>
FUZZBOW_INLINE void add_quads(const std::int8_t* values, const std::uint32_t* line, int stride, int32x4_t (*sums)[4]) {
  int8x16_t words[kQuads][2];
  FUZZBOW_UNROLL
  for (int q = 0; q < kQuads; ++q) {
    words[q][0] = vld1q_s8(values + 64 * q);
    words[q][1] = vld1q_s8(values + 64 * q + 16);
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) {
    int8x16_t quads[kQuads];
    FUZZBOW_UNROLL
    for (int q = 0; q < kQuads; ++q) quads[q] = spread_quad(line[q * stride + i]);
    FUZZBOW_UNROLL
    for (int half = 0; half < 2; ++half) {
      int16x8_t low = vmull_s8(vget_low_s8(words[0][half]), vget_low_s8(quads[0]));
      int16x8_t high = vmull_high_s8(words[0][half], quads[0]);
      FUZZBOW_UNROLL
      for (int q = 1; q < kQuads; ++q) {
        low = vmlal_s8(low, vget_low_s8(words[q][half]), vget_low_s8(quads[q]));
        high = vmlal_high_s8(high, words[q][half], quads[q]);
      }
      sums[i][2 * half] = vpadalq_s16(sums[i][2 * half], low);
      sums[i][2 * half + 1] = vpadalq_s16(sums[i][2 * half + 1], high);
    }
  }
}

// Eight words of a panel at a time.
template <int kWords>
FUZZBOW_INLINE void half_products(const std::int8_t* values, const QuantisedWords& query, int first,
                                  std::int32_t* out) {
  int32x4_t sums[kWords][4];
  clear(sums);
  const std::uint32_t* line = query.bytes + first;
  int q = 0;
  for (; q + 2 <= query.quads; q += 2, values += 128, line += 2 * static_cast<std::size_t>(query.stride))
    add_quads<kWords, 2>(values, line, query.stride, sums);
  if (q < query.quads) add_quads<kWords, 1>(values, line, query.stride, sums);
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) {
    vst1q_s32(out + i * kPanel, vpaddq_s32(sums[i][0], sums[i][1]));
    vst1q_s32(out + i * kPanel + 4, vpaddq_s32(sums[i][2], sums[i][3]));
  }
}

template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  half_products<kWords>(panel.values, query, first, out);
  half_products<kWords>(panel.values + 32, query, first, out + 8);
}
constexpr int kQueryBlock = 3;  // more sums in flight spill registers

#include "simd/panel_similarities.inl"
#include "simd/table.inl"

}  // namespace

const Kernels& neon_kernels() {
  static const Kernels table = table_of("neon", false);  // no pages: a lookup costs four instructions for 16 words
  return table;
}

}  // namespace fuzzbow
