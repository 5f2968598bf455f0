// AVX2 with FMA.
#include <immintrin.h>

#include <cmath>
#include <cstring>

#include "simd/compiler.hpp"
#include "simd/kernels.hpp"
#define FUZZBOW_SSE2 1

namespace fuzzbow {
namespace {

struct Lanes {
  static constexpr int kWidth = 8;
  using Type = __m256;
  static Type zero() { return _mm256_setzero_ps(); }
  static Type spread(float x) { return _mm256_set1_ps(x); }
  static Type load(const float* p) { return _mm256_loadu_ps(p); }
#if defined(__GNUC__)
  // Keeps the value in a register: the compiler would otherwise reload it for every product.
  static void hold(Type& value) { asm("" : "+x"(value)); }
#else
  static void hold(Type&) {}
#endif
  static void store(float* p, Type value) { _mm256_storeu_ps(p, value); }
  static Type add(Type a, Type b) { return _mm256_add_ps(a, b); }
  static Type subtract(Type a, Type b) { return _mm256_sub_ps(a, b); }
  static Type multiply(Type a, Type b) { return _mm256_mul_ps(a, b); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
  static Type max(Type a, Type b) { return _mm256_max_ps(a, b); }
  static Type min(Type a, Type b) { return _mm256_min_ps(a, b); }
  static unsigned reaches(Type a, Type b) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ)));
  }
  static float total(Type v) {
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
  }
  static float highest(Type v) {
    const __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(pair, _mm_movehdup_ps(pair)));
  }
  // Four sums; every column is folded by the same tree.
  static void store_sums(const Type* sums, float* out) {
    const __m256 first = _mm256_hadd_ps(sums[0], sums[1]), second = _mm256_hadd_ps(sums[2], sums[3]);
    const __m256 both = _mm256_hadd_ps(first, second);
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1)));
  }
  // Stores the highest lane of each of four vectors.
  static void store_maxima(const Type* values, float* out) {
    const __m256 first = max(_mm256_unpacklo_ps(values[0], values[1]), _mm256_unpackhi_ps(values[0], values[1]));
    const __m256 second = max(_mm256_unpacklo_ps(values[2], values[3]), _mm256_unpackhi_ps(values[2], values[3]));
    const __m256d low = _mm256_unpacklo_pd(_mm256_castps_pd(first), _mm256_castps_pd(second));
    const __m256d high = _mm256_unpackhi_pd(_mm256_castps_pd(first), _mm256_castps_pd(second));
    const __m256 all = max(_mm256_castpd_ps(low), _mm256_castpd_ps(high));
    _mm_storeu_ps(out, _mm_max_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
  }
  // Bit mask of the lanes equal to x.
  static unsigned equals(const std::uint32_t* p, std::uint32_t x) {
    const __m256i lanes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i same = _mm256_cmpeq_epi32(lanes, _mm256_set1_epi32(static_cast<int>(x)));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
  }
  static Type from_integers(const std::int32_t* p) {
    return _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Type from_shorts(const std::uint16_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  // Values must be at least 0. Rounds up, to at most 255.
  static void store_ceilings(Type v, std::uint8_t* out) {
    const __m256i wide = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_ceil_ps(v), spread(255.0f)));
    const __m128i shorts = _mm_packus_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(shorts, shorts));
  }
  // Values must be at most 65535.
  static void store_shorts(Type v, std::uint16_t* out) {
    const __m256i wide = _mm256_cvttps_epi32(v);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm_packus_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1)));
  }
};

struct Doubles {
  static constexpr int kWidth = 4;
  using Type = __m256d;
  static Type spread(double x) { return _mm256_set1_pd(x); }
  static Type load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Type value) { _mm256_storeu_pd(p, value); }
  static Type multiply_add(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
};

#include "simd/product_tile.inl"

#define FUZZBOW_TILE_ROWS 3
#include "simd/dot_block.inl"
#include "simd/row_sums.inl"
#include "simd/bytes.inl"
#include "simd/bounds.inl"
#include "simd/frequent_sums.inl"

struct Shorts {
  __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
  void add(const std::uint8_t* levels) {
    const __m128i* halves = reinterpret_cast<const __m128i*>(levels);
    low = _mm256_add_epi16(low, _mm256_cvtepu8_epi16(_mm_loadu_si128(halves)));
    high = _mm256_add_epi16(high, _mm256_cvtepu8_epi16(_mm_loadu_si128(halves + 1)));
  }
  __m256 part(int part) const {
    const __m256i half = part < 2 ? low : high;
    const __m128i quarter = part % 2 == 0 ? _mm256_castsi256_si128(half) : _mm256_extracti128_si256(half, 1);
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(quarter));
  }
};

#include "simd/scan.inl"

// Eight words of a panel at a time, int8 widened to int16 and multiplied pairwise into int32.
template <int kWords>
FUZZBOW_INLINE void half_products(const std::int8_t* values, const QuantisedWords& query, int first,
                                  std::int32_t* out) {
  __m256i sums[kWords][2];
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) sums[i][0] = sums[i][1] = _mm256_setzero_si256();
  for (int q = 0; q < query.quads; ++q, values += 64) {
    const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
    const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values + 16)));
    const std::int16_t* line = query.shorts + (static_cast<std::size_t>(q) * query.stride + first) * 4;
    FUZZBOW_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const __m256i word = _mm256_broadcastq_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(line + 4 * i)));
      sums[i][0] = _mm256_add_epi32(sums[i][0], _mm256_madd_epi16(low, word));
      sums[i][1] = _mm256_add_epi32(sums[i][1], _mm256_madd_epi16(high, word));
    }
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) {
    const __m256i mixed = _mm256_hadd_epi32(sums[i][0], sums[i][1]);  // words 0 1 4 5 | 2 3 6 7
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i * kPanel), _mm256_permute4x64_epi64(mixed, 0xD8));
  }
}

template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  half_products<kWords>(panel.values, query, first, out);
  half_products<kWords>(panel.values + 32, query, first, out + 8);
}
constexpr int kQueryBlock = 6;

#include "simd/panel_similarities.inl"
#include "simd/table.inl"

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels table = table_of("avx2", false);
  return table;
}

}  // namespace fuzzbow
