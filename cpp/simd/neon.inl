// NEON without the products of bytes. Included inside an anonymous namespace by units that include <arm_neon.h>.

struct Lanes {
  static constexpr int kWidth = 4;
  using Type = float32x4_t;
  static Type zero() { return vdupq_n_f32(0.0f); }
  static Type spread(float x) { return vdupq_n_f32(x); }
  static Type load(const float* p) { return vld1q_f32(p); }
  // Keeps the value in a register: the compiler would otherwise reload it for every product.
  static void hold(Type& value) { asm("" : "+w"(value)); }
  static void store(float* p, Type value) { vst1q_f32(p, value); }
  static Type add(Type a, Type b) { return vaddq_f32(a, b); }
  static Type subtract(Type a, Type b) { return vsubq_f32(a, b); }
  static Type multiply(Type a, Type b) { return vmulq_f32(a, b); }
  static Type multiply_add(Type a, Type b, Type c) { return vfmaq_f32(c, a, b); }
  // The sign of a zero may differ from other instruction sets; sums are not affected.
  static Type max(Type a, Type b) { return vmaxnmq_f32(a, b); }
  static Type min(Type a, Type b) { return vminnmq_f32(a, b); }
  static unsigned bits(uint32x4_t lanes) {
    static constexpr std::uint32_t kBits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(lanes, vld1q_u32(kBits)));
  }
  static unsigned reaches(Type a, Type b) { return bits(vcgeq_f32(a, b)); }
  // Bit mask of the lanes equal to x.
  static unsigned equals(const std::uint32_t* p, std::uint32_t x) {
    return bits(vceqq_u32(vld1q_u32(p), vdupq_n_u32(x)));
  }
  static float total(Type v) { return vpadds_f32(vadd_f32(vget_low_f32(v), vget_high_f32(v))); }
  static float highest(Type v) { return vmaxnmvq_f32(v); }
  // Four sums; every column is folded by the same tree.
  static void store_sums(const Type* sums, float* out) {
    vst1q_f32(out, vpaddq_f32(vpaddq_f32(sums[0], sums[1]), vpaddq_f32(sums[2], sums[3])));
  }
  // Stores the highest lane of each of four vectors.
  static void store_maxima(const Type* values, float* out) {
    vst1q_f32(out, vpmaxnmq_f32(vpmaxnmq_f32(values[0], values[1]), vpmaxnmq_f32(values[2], values[3])));
  }
  static Type from_integers(const std::int32_t* p) { return vcvtq_f32_s32(vld1q_s32(p)); }
  static Type from_shorts(const std::uint16_t* p) { return vcvtq_f32_u32(vmovl_u16(vld1_u16(p))); }
  // Values must be at least 0. Rounds up, to at most 255.
  static void store_ceilings(Type v, std::uint8_t* out) {
    const uint16x4_t shorts = vqmovn_u32(vcvtpq_u32_f32(v));
    const std::uint32_t four = vget_lane_u32(vreinterpret_u32_u8(vqmovn_u16(vcombine_u16(shorts, shorts))), 0);
    std::memcpy(out, &four, sizeof four);
  }
  // Values must be at most 65535.
  static void store_shorts(Type v, std::uint16_t* out) { vst1_u16(out, vqmovn_u32(vcvtq_u32_f32(v))); }
};

struct Doubles {
  static constexpr int kWidth = 2;
  using Type = float64x2_t;
  static Type spread(double x) { return vdupq_n_f64(x); }
  static Type load(const double* p) { return vld1q_f64(p); }
  static void store(double* p, Type value) { vst1q_f64(p, value); }
  static Type multiply_add(Type a, Type b, Type c) { return vfmaq_f64(c, a, b); }
};

#include "simd/product_tile.inl"

#define FUZZBOW_TILE_ROWS 6
#include "simd/dot_block.inl"
#include "simd/row_sums.inl"
#include "simd/bytes.inl"
#include "simd/bounds.inl"

// Looks up sixteen bytes in a table of 256: four lookups of 64, of which all but one find nothing and keep the result.
FUZZBOW_INLINE uint8x16_t look_up(const uint8x16x4_t* table, uint8x16_t words) {
  uint8x16_t level = vqtbl4q_u8(table[0], words);
  FUZZBOW_UNROLL
  for (int part = 1; part < 4; ++part) {
    words = vsubq_u8(words, vdupq_n_u8(64));
    level = vqtbx4q_u8(level, table[part], words);
  }
  return level;
}

template <bool kAdd>
FUZZBOW_INLINE void frequent_sums(const std::uint8_t* words, int count, const std::uint8_t* levels,
                                  std::int32_t* sums) {
  uint8x16x4_t table[4];
  FUZZBOW_UNROLL
  for (int i = 0; i < 16; ++i) table[i / 4].val[i % 4] = vld1q_u8(levels + 16 * i);
  for (int slot = 0; slot < kBlock; slot += 16) {
    uint32x4_t wide[4];
    FUZZBOW_UNROLL
    for (int i = 0; i < 4; ++i) wide[i] = kAdd ? vreinterpretq_u32_s32(vld1q_s32(sums + slot + 4 * i)) : vdupq_n_u32(0);
    for (int first = 0; first < count; first += 256) {  // 16 bits hold 256 levels
      uint16x8_t low = vdupq_n_u16(0), high = vdupq_n_u16(0);
      const int last = count - first < 256 ? count : first + 256;
      for (int j = first; j < last; ++j) {
        const uint8x16_t level = look_up(table, vld1q_u8(words + j * kBlock + slot));
        low = vaddw_u8(low, vget_low_u8(level));
        high = vaddw_high_u8(high, level);
      }
      wide[0] = vaddw_u16(wide[0], vget_low_u16(low));
      wide[1] = vaddw_high_u16(wide[1], low);
      wide[2] = vaddw_u16(wide[2], vget_low_u16(high));
      wide[3] = vaddw_high_u16(wide[3], high);
    }
    FUZZBOW_UNROLL
    for (int i = 0; i < 4; ++i) vst1q_s32(sums + slot + 4 * i, vreinterpretq_s32_u32(wide[i]));
  }
}

struct Shorts {
  uint16x8_t values[kBatch / 8];
  Shorts() {
    for (uint16x8_t& eight : values) eight = vdupq_n_u16(0);
  }
  void add(const std::uint8_t* levels) {
    FUZZBOW_UNROLL
    for (int i = 0; i < kBatch / 16; ++i) {
      const uint8x16_t bytes = vld1q_u8(levels + 16 * i);
      values[2 * i] = vaddw_u8(values[2 * i], vget_low_u8(bytes));
      values[2 * i + 1] = vaddw_high_u8(values[2 * i + 1], bytes);
    }
  }
  Lanes::Type part(int part) const {
    const uint16x8_t eight = values[part / 2];
    return vcvtq_f32_u32(part % 2 == 0 ? vmovl_u16(vget_low_u16(eight)) : vmovl_high_u16(eight));
  }
};

#include "simd/scan.inl"

// Repeats four values of a query word for each of four words of a panel.
FUZZBOW_INLINE int8x16_t spread_quad(std::uint32_t bytes) {
  return vreinterpretq_s8_u32(vdupq_n_u32(bytes ^ 0x80808080u));
}

template <int kWords>
FUZZBOW_INLINE void clear(int32x4_t (&sums)[kWords][4]) {
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) {
    FUZZBOW_UNROLL
    for (int j = 0; j < 4; ++j) sums[i][j] = vdupq_n_s32(0);
  }
}
