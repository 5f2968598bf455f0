// AVX-512 with VNNI.
#include <immintrin.h>

#include <cmath>
#include <cstring>

#include "simd/compiler.hpp"
#include "simd/kernels.hpp"
#define FUZZBOW_SSE2 1

namespace fuzzbow {
namespace {

struct Lanes {
  static constexpr int kWidth = 16;
  using Type = __m512;
  static Type zero() { return _mm512_setzero_ps(); }
  static Type spread(float x) { return _mm512_set1_ps(x); }
  static Type load(const float* p) { return _mm512_loadu_ps(p); }
#if defined(__GNUC__)
  // Keeps the value in a register: the compiler would otherwise reload it for every product.
  static void hold(Type& value) { asm("" : "+v"(value)); }
#else
  static void hold(Type&) {}
#endif
  static void store(float* p, Type value) { _mm512_storeu_ps(p, value); }
  static Type add(Type a, Type b) { return _mm512_add_ps(a, b); }
  static Type subtract(Type a, Type b) { return _mm512_sub_ps(a, b); }
  static Type multiply(Type a, Type b) { return _mm512_mul_ps(a, b); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm512_fmadd_ps(a, b, c); }
  static Type max(Type a, Type b) { return _mm512_max_ps(a, b); }
  static Type min(Type a, Type b) { return _mm512_min_ps(a, b); }
  static unsigned reaches(Type a, Type b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
  static float total(Type v) { return _mm512_reduce_add_ps(v); }
  static float highest(Type v) { return _mm512_reduce_max_ps(v); }
  // Four sums; every column is folded by the same tree.
  static void store_sums(const Type* sums, float* out) {
    const __m512 first = _mm512_add_ps(_mm512_unpacklo_ps(sums[0], sums[1]), _mm512_unpackhi_ps(sums[0], sums[1]));
    const __m512 second = _mm512_add_ps(_mm512_unpacklo_ps(sums[2], sums[3]), _mm512_unpackhi_ps(sums[2], sums[3]));
    const __m512d low = _mm512_unpacklo_pd(_mm512_castps_pd(first), _mm512_castps_pd(second));
    const __m512d high = _mm512_unpackhi_pd(_mm512_castps_pd(first), _mm512_castps_pd(second));
    const __m512 all = _mm512_add_ps(_mm512_castpd_ps(low), _mm512_castpd_ps(high));
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
  }
  // Stores the highest lane of each of four vectors.
  static void store_maxima(const Type* values, float* out) {
    const __m512 first = max(_mm512_unpacklo_ps(values[0], values[1]), _mm512_unpackhi_ps(values[0], values[1]));
    const __m512 second = max(_mm512_unpacklo_ps(values[2], values[3]), _mm512_unpackhi_ps(values[2], values[3]));
    const __m512d low = _mm512_unpacklo_pd(_mm512_castps_pd(first), _mm512_castps_pd(second));
    const __m512d high = _mm512_unpackhi_pd(_mm512_castps_pd(first), _mm512_castps_pd(second));
    const __m512 all = max(_mm512_castpd_ps(low), _mm512_castpd_ps(high));
    const __m256 half = _mm256_max_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
    _mm_storeu_ps(out, _mm_max_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
  }
  // Bit mask of the lanes equal to x.
  static unsigned equals(const std::uint32_t* p, std::uint32_t x) {
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(p), _mm512_set1_epi32(static_cast<int>(x)));
  }
  static Type from_integers(const std::int32_t* p) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(p)); }
  static Type from_shorts(const std::uint16_t* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
  }
  // Values must be at least 0. Rounds up, to at most 255.
  static void store_ceilings(Type v, std::uint8_t* out) {
    const __m512i wide = _mm512_cvt_roundps_epi32(v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtusepi32_epi8(wide));
  }
  // Values must be at most 65535.
  static void store_shorts(Type v, std::uint16_t* out) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtusepi32_epi16(_mm512_cvttps_epi32(v)));
  }
};

struct Doubles {
  static constexpr int kWidth = 8;
  using Type = __m512d;
  static Type spread(double x) { return _mm512_set1_pd(x); }
  static Type load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Type value) { _mm512_storeu_pd(p, value); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm512_fmadd_pd(a, b, c); }
};

#include "simd/product_tile.inl"

#define FUZZBOW_TILE_ROWS 6
#include "simd/dot_block.inl"
#include "simd/row_sums.inl"
#include "simd/bytes.inl"
#include "simd/bounds.inl"

// Looks up bytes in a table of 256: two permutations of 128, selected by the top bit.
FUZZBOW_INLINE __m512i looked_up(const __m512i* table, __m512i bytes) {
  return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(table[0], bytes, table[1]), _mm512_movepi8_mask(bytes),
                              _mm512_permutex2var_epi8(table[2], bytes, table[3]));
}

template <bool kAdd>
FUZZBOW_INLINE void frequent_sums(const std::uint8_t* words, int count, const std::uint8_t* levels,
                                  std::int32_t* sums) {
  const __m512i table[4] = {_mm512_loadu_si512(levels), _mm512_loadu_si512(levels + 64),
                            _mm512_loadu_si512(levels + 128), _mm512_loadu_si512(levels + 192)};
  __m512i wide[4];
  FUZZBOW_UNROLL
  for (int i = 0; i < 4; ++i) wide[i] = kAdd ? _mm512_loadu_si512(sums + 16 * i) : _mm512_setzero_si512();
  for (int first = 0; first < count; first += 256) {  // 16 bits hold 256 levels
    __m512i low = _mm512_setzero_si512(), high = _mm512_setzero_si512();
    const int last = count - first < 256 ? count : first + 256;
    for (int j = first; j < last; ++j) {
      const __m512i level = looked_up(table, _mm512_loadu_si512(words + j * kBlock));
      low = _mm512_add_epi16(low, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(level)));
      high = _mm512_add_epi16(high, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(level, 1)));
    }
    const __m256i quarters[4] = {_mm512_castsi512_si256(low), _mm512_extracti64x4_epi64(low, 1),
                                 _mm512_castsi512_si256(high), _mm512_extracti64x4_epi64(high, 1)};
    FUZZBOW_UNROLL
    for (int i = 0; i < 4; ++i) wide[i] = _mm512_add_epi32(wide[i], _mm512_cvtepu16_epi32(quarters[i]));
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < 4; ++i) _mm512_storeu_si512(sums + 16 * i, wide[i]);
}

struct Shorts {
  __m512i values = _mm512_setzero_si512();
  void add(const std::uint8_t* levels) {
    values =
        _mm512_add_epi16(values, _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels))));
  }
  __m512 part(int part) const {
    const __m256i half = part == 0 ? _mm512_castsi512_si256(values) : _mm512_extracti64x4_epi64(values, 1);
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(half));
  }
};

#include "simd/scan.inl"

// Multiplies unsigned query bytes (value + 128) with signed word bytes, then subtracts 128 times the word's sum.
template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  __m512i sums[kWords];
  const __m512i offset = _mm512_slli_epi32(_mm512_loadu_si512(panel.value_sums), 7);
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) sums[i] = _mm512_sub_epi32(_mm512_setzero_si512(), offset);
  const std::uint32_t* line = query.bytes + first;
  for (int q = 0; q < query.quads; ++q, line += query.stride) {
    const __m512i words = _mm512_loadu_si512(panel.values + 64 * q);
    FUZZBOW_UNROLL
    for (int i = 0; i < kWords; ++i)
      sums[i] = _mm512_dpbusd_epi32(sums[i], _mm512_set1_epi32(static_cast<int>(line[i])), words);
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) _mm512_storeu_si512(out + i * kPanel, sums[i]);
}

constexpr int kQueryBlock = 12;  // more sums in flight spill registers

#include "simd/panel_similarities.inl"
#include "simd/table.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table = table_of("avx512", true);
  return table;
}

}  // namespace fuzzbow
