// AVX-512 with VNNI.
#include <immintrin.h>

#include "simd/compiler.hpp"
#include "simd/kernels.hpp"

namespace fuzzbow {
namespace {

struct Lanes {
  static constexpr int kWidth = 16;
  using Type = __m512;
  static Type zero() { return _mm512_setzero_ps(); }
  static Type spread(float x) { return _mm512_set1_ps(x); }
  static Type load(const float* p) { return _mm512_loadu_ps(p); }
#if defined(__GNUC__)
  // Loaded once and held: the compiler would rather load it again for every product.
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
  static float total(Type v) { return _mm512_reduce_add_ps(v); }
  static float highest(Type v) { return _mm512_reduce_max_ps(v); }
  // Four sums at once; every column is folded by the same tree.
  static void store_sums(const Type* sums, float* out) {
    const __m512 first = _mm512_add_ps(_mm512_unpacklo_ps(sums[0], sums[1]), _mm512_unpackhi_ps(sums[0], sums[1]));
    const __m512 second = _mm512_add_ps(_mm512_unpacklo_ps(sums[2], sums[3]), _mm512_unpackhi_ps(sums[2], sums[3]));
    const __m512d low = _mm512_unpacklo_pd(_mm512_castps_pd(first), _mm512_castps_pd(second));
    const __m512d high = _mm512_unpackhi_pd(_mm512_castps_pd(first), _mm512_castps_pd(second));
    const __m512 all = _mm512_add_ps(_mm512_castpd_ps(low), _mm512_castpd_ps(high));
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
    _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1)));
  }
  static Type from_integers(const std::int32_t* p) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(p)); }
  static void store_bytes(Type v, std::uint8_t* out) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_cvtusepi32_epi8(_mm512_cvttps_epi32(v)));
  }
  static void store_shorts(Type v, std::uint16_t* out) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm512_cvtusepi32_epi16(_mm512_cvttps_epi32(_mm512_min_ps(v, spread(65535.0f)))));
  }
};

#define FUZZBOW_TILE_ROWS 6
#include "simd/dot_block.inl"
#include "simd/row_sums.inl"
#include "simd/bounds.inl"

FUZZBOW_INLINE std::int64_t keep_survivors(const ScanJob& job, std::int64_t start, int block, const std::uint32_t* sums,
                                           std::int64_t found) {
  const __mmask16 valid = static_cast<__mmask16>((1u << block) - 1);
  const __m512 counted = _mm512_cvtepu32_ps(_mm512_load_si512(sums));
  const __m512 numerator = _mm512_fmadd_ps(counted, _mm512_set1_ps(job.inverse_unit), _mm512_set1_ps(job.base));
  const __m512 line = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(valid, job.sizes + start), _mm512_set1_ps(job.slope),
                                      _mm512_set1_ps(job.intercept));
  const __mmask16 kept = _mm512_mask_cmp_ps_mask(valid, numerator, line, _CMP_GE_OQ);
  if (kept) {
    const __m512i numbers = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(start)),
                                             _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_mask_compressstoreu_epi32(job.survivors + found, kept, numbers);
    _mm512_mask_compressstoreu_ps(job.numerators + found, kept, numerator);
    found += _mm_popcnt_u32(kept);
  }
  return found;
}

#include "simd/scan.inl"

// Unsigned query bytes (value + 128) times signed word bytes; 128 times the word's sum is taken off again.
template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  __m512i sums[kWords];
  const __m512i offset = _mm512_slli_epi32(_mm512_loadu_si512(panel.value_sums), 7);
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) sums[i] = _mm512_sub_epi32(_mm512_setzero_si512(), offset);
  const std::uint32_t* line = query.bytes + first;
  for (int q = 0; q < query.quads; ++q, line += query.count) {
    const __m512i words = _mm512_loadu_si512(panel.values + 64 * q);
    FUZZBOW_UNROLL
    for (int i = 0; i < kWords; ++i)
      sums[i] = _mm512_dpbusd_epi32(sums[i], _mm512_set1_epi32(static_cast<int>(line[i])), words);
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < kWords; ++i) _mm512_storeu_si512(out + i * kPanel, sums[i]);
}

void panel_products(const WordPanel& panel, const QuantisedWords& query, int first, int count, std::int32_t* out) {
  switch (count) {
#define FUZZBOW_CASE(n)                       \
  case n:                                     \
    panel_block<n>(panel, query, first, out); \
    break;
    // clang-format off
    FUZZBOW_CASE(1) FUZZBOW_CASE(2) FUZZBOW_CASE(3) FUZZBOW_CASE(4) FUZZBOW_CASE(5) FUZZBOW_CASE(6)
    FUZZBOW_CASE(7) FUZZBOW_CASE(8) FUZZBOW_CASE(9) FUZZBOW_CASE(10) FUZZBOW_CASE(11) FUZZBOW_CASE(12)
    FUZZBOW_CASE(13) FUZZBOW_CASE(14) FUZZBOW_CASE(15) FUZZBOW_CASE(16) FUZZBOW_CASE(17) FUZZBOW_CASE(18)
    FUZZBOW_CASE(19) FUZZBOW_CASE(20) FUZZBOW_CASE(21) FUZZBOW_CASE(22) FUZZBOW_CASE(23) FUZZBOW_CASE(24)
    // clang-format on
#undef FUZZBOW_CASE
                    default : break;
  }
}
constexpr int kQueryBlock = 24;

#include "simd/panel_similarities.inl"

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table = {"avx512",     dot_block,           dot_triangle,        block_maxima,
                                raise,        min_max_sums,        product_sums,        panel_similarities,
                                panel_bounds, scan<std::uint16_t>, scan<std::uint32_t>, table_maxima};
  return table;
}

}  // namespace fuzzbow
