// Any processor. Vectors of four floats through the compiler's vector type if it has one.
#include "simd/compiler.hpp"
#include "simd/kernels.hpp"
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define FUZZBOW_SSE2 1
#endif
#include <cmath>
#include <cstring>

namespace fuzzbow {
namespace {

struct Lanes {
  static constexpr int kWidth = 4;
#if defined(__GNUC__) || defined(__clang__)
  typedef float Type __attribute__((vector_size(16)));
  typedef std::int32_t Integers __attribute__((vector_size(16)));
  static Type spread(float x) { return Type{x, x, x, x}; }
  static Type add(Type a, Type b) { return a + b; }
  static Type subtract(Type a, Type b) { return a - b; }
  static Type multiply(Type a, Type b) { return a * b; }
#if defined(FUZZBOW_SSE2)
  static Type max(Type a, Type b) { return _mm_max_ps(a, b); }
  static Type min(Type a, Type b) { return _mm_min_ps(a, b); }
#else
  static Type max(Type a, Type b) { return a > b ? a : b; }
  static Type min(Type a, Type b) { return a < b ? a : b; }
#endif
#else
  struct Type {
    float v[4];
    float operator[](int i) const { return v[i]; }
    float& operator[](int i) { return v[i]; }
  };
  template <class Operation>
  static Type each(Type a, Type b, Operation f) {
    return {{f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])}};
  }
  static Type spread(float x) { return {{x, x, x, x}}; }
  static Type add(Type a, Type b) {
    return each(a, b, [](float x, float y) { return x + y; });
  }
  static Type subtract(Type a, Type b) {
    return each(a, b, [](float x, float y) { return x - y; });
  }
  static Type multiply(Type a, Type b) {
    return each(a, b, [](float x, float y) { return x * y; });
  }
  static Type max(Type a, Type b) {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  static Type min(Type a, Type b) {
    return each(a, b, [](float x, float y) { return x < y ? x : y; });
  }
#endif
  static Type zero() { return spread(0.0f); }
  static void hold(Type&) {}
  static Type load(const float* p) {
    Type value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  static void store(float* p, Type value) { std::memcpy(p, &value, sizeof value); }
  static Type multiply_add(Type a, Type b, Type c) { return add(multiply(a, b), c); }
  static unsigned reaches(Type a, Type b) {
#if defined(FUZZBOW_SSE2) && defined(__GNUC__)
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpge_ps(a, b)));
#else
    unsigned mask = 0;
    for (int j = 0; j < 4; ++j) mask |= static_cast<unsigned>(a[j] >= b[j]) << j;
    return mask;
#endif
  }
  static float total(Type v) { return (v[0] + v[2]) + (v[1] + v[3]); }
  static float highest(Type v) {
    const float low = v[0] > v[1] ? v[0] : v[1], high = v[2] > v[3] ? v[2] : v[3];
    return low > high ? low : high;
  }
  static void store_sums(const Type* sums, float* out) {
    for (int j = 0; j < 4; ++j) out[j] = total(sums[j]);
  }
  // Stores the highest lane of each of four vectors.
  static void store_maxima(const Type* values, float* out) {
    for (int j = 0; j < 4; ++j) out[j] = highest(values[j]);
  }
  // Bit mask of the lanes equal to x.
  static unsigned equals(const std::uint32_t* p, std::uint32_t x) {
    unsigned mask = 0;
    for (int j = 0; j < 4; ++j) mask |= static_cast<unsigned>(p[j] == x) << j;
    return mask;
  }
  static Type from_integers(const std::int32_t* p) {
#if defined(FUZZBOW_SSE2) && defined(__GNUC__)
    return _mm_cvtepi32_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
    Type value = zero();
    for (int j = 0; j < 4; ++j) value[j] = static_cast<float>(p[j]);
    return value;
#endif
  }
  static Type from_shorts(const std::uint16_t* p) {
    Type value = zero();
    for (int j = 0; j < 4; ++j) value[j] = static_cast<float>(p[j]);
    return value;
  }
  // Values must be at least 0. Rounds up, to at most 255.
  static void store_ceilings(Type v, std::uint8_t* out) {
    v = min(v, spread(255.0f));
    for (int j = 0; j < 4; ++j) {
      const std::int32_t below = static_cast<std::int32_t>(v[j]);
      out[j] = static_cast<std::uint8_t>(below + (static_cast<float>(below) < v[j]));
    }
  }
  // Values must be at most 65535.
  static void store_shorts(Type v, std::uint16_t* out) {
    for (int j = 0; j < 4; ++j) out[j] = static_cast<std::uint16_t>(static_cast<std::int32_t>(v[j]));
  }
};

struct Doubles {
  static constexpr int kWidth = 2;
#if defined(__GNUC__) || defined(__clang__)
  typedef double Type __attribute__((vector_size(16)));
#else
  struct Type {
    double v[2];
    double operator[](int i) const { return v[i]; }
  };
#endif
  static Type spread(double x) { return Type{x, x}; }
  static Type load(const double* p) { return Type{p[0], p[1]}; }
  static void store(double* p, Type value) { std::memcpy(p, &value, sizeof value); }
  static Type multiply_add(Type a, Type b, Type c) { return Type{a[0] * b[0] + c[0], a[1] * b[1] + c[1]}; }
};

#include "simd/product_tile.inl"

#define FUZZBOW_TILE_ROWS 2
#include "simd/dot_block.inl"
#include "simd/row_sums.inl"
#include "simd/bytes.inl"
#include "simd/bounds.inl"
#include "simd/frequent_sums.inl"

struct Shorts {
#if defined(FUZZBOW_SSE2)
  __m128i values[kBatch / 8];
  Shorts() {
    for (__m128i& eight : values) eight = _mm_setzero_si128();
  }
  void add(const std::uint8_t* levels) {
    const __m128i zero = _mm_setzero_si128();
    FUZZBOW_UNROLL
    for (int i = 0; i < kBatch / 16; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(levels) + i);
      values[2 * i] = _mm_add_epi16(values[2 * i], _mm_unpacklo_epi8(bytes, zero));
      values[2 * i + 1] = _mm_add_epi16(values[2 * i + 1], _mm_unpackhi_epi8(bytes, zero));
    }
  }
  Lanes::Type part(int part) const {
    const __m128i eight = values[part / 2], zero = _mm_setzero_si128();
    return _mm_cvtepi32_ps(part % 2 == 0 ? _mm_unpacklo_epi16(eight, zero) : _mm_unpackhi_epi16(eight, zero));
  }
#else
  std::uint16_t values[kBatch] = {};
  void add(const std::uint8_t* levels) {
    for (int i = 0; i < kBatch; ++i) values[i] = static_cast<std::uint16_t>(values[i] + levels[i]);
  }
  Lanes::Type part(int part) const {
    Lanes::Type floats = Lanes::zero();
    for (int i = 0; i < 4; ++i) floats[i] = values[4 * part + i];
    return floats;
  }
#endif
};

#include "simd/scan.inl"

#if defined(FUZZBOW_SSE2)
// Four words of a panel at a time: 16 int8 widen to two registers of int16, multiplied pairwise into int32.
template <int kWords>
FUZZBOW_INLINE void quarter_products(const std::int8_t* values, const QuantisedWords& query, int first,
                                     std::int32_t* out) {
  __m128i sums[kWords][2];
  for (int i = 0; i < kWords; ++i) sums[i][0] = sums[i][1] = _mm_setzero_si128();
  for (int q = 0; q < query.quads; ++q, values += 64) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
    const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8);
    const std::int16_t* line = query.shorts + (static_cast<std::size_t>(q) * query.stride + first) * 4;
    FUZZBOW_UNROLL
    for (int i = 0; i < kWords; ++i) {
      const __m128i quad = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(line + 4 * i));
      const __m128i word = _mm_unpacklo_epi64(quad, quad);
      sums[i][0] = _mm_add_epi32(sums[i][0], _mm_madd_epi16(low, word));
      sums[i][1] = _mm_add_epi32(sums[i][1], _mm_madd_epi16(high, word));
    }
  }
  for (int i = 0; i < kWords; ++i) {
    const __m128 low = _mm_castsi128_ps(sums[i][0]), high = _mm_castsi128_ps(sums[i][1]);
    const __m128i even = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
    const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xDD));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * kPanel), _mm_add_epi32(even, odd));
  }
}

template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  for (int quarter = 0; quarter < 4; ++quarter)
    quarter_products<kWords>(panel.values + 16 * quarter, query, first, out + 4 * quarter);
}
constexpr int kQueryBlock = 4;
#else
template <int kWords>
FUZZBOW_INLINE void panel_block(const WordPanel& panel, const QuantisedWords& query, int first, std::int32_t* out) {
  for (int i = 0; i < kWords * kPanel; ++i) out[i] = 0;
  for (int q = 0; q < query.quads; ++q)
    for (int i = 0; i < kWords; ++i) {
      const std::int16_t* word = query.shorts + (static_cast<std::size_t>(q) * query.stride + first + i) * 4;
      for (int v = 0; v < kPanel; ++v) {
        const std::int8_t* values = panel.values + 64 * q + 4 * v;
        out[i * kPanel + v] += values[0] * word[0] + values[1] * word[1] + values[2] * word[2] + values[3] * word[3];
      }
    }
}
constexpr int kQueryBlock = 8;
#endif

#include "simd/panel_similarities.inl"
#include "simd/table.inl"

}  // namespace

const Kernels& portable_kernels() {
  static const Kernels table = table_of("portable", false);
  return table;
}

}  // namespace fuzzbow
