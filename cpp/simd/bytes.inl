// Sixteen bytes at a time. Included inside an anonymous namespace.
struct Bytes {
#if defined(FUZZBOW_SSE2)
  using Type = __m128i;
  static Type zero() { return _mm_setzero_si128(); }
  static Type load(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static void store(std::uint8_t* p, Type value) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), value); }
  static Type max(Type a, Type b) { return _mm_max_epu8(a, b); }
  // a0 b0 a1 b1 ... of the first halves, and of the second ones
  static Type interleave_low(Type a, Type b) { return _mm_unpacklo_epi8(a, b); }
  static Type interleave_high(Type a, Type b) { return _mm_unpackhi_epi8(a, b); }
#elif defined(FUZZBOW_NEON)
  using Type = uint8x16_t;
  static Type zero() { return vdupq_n_u8(0); }
  static Type load(const std::uint8_t* p) { return vld1q_u8(p); }
  static void store(std::uint8_t* p, Type value) { vst1q_u8(p, value); }
  static Type max(Type a, Type b) { return vmaxq_u8(a, b); }
  static Type interleave_low(Type a, Type b) { return vzip1q_u8(a, b); }
  static Type interleave_high(Type a, Type b) { return vzip2q_u8(a, b); }
#else
  struct Type {
    std::uint8_t v[16];
  };
  static Type zero() { return {}; }
  static Type load(const std::uint8_t* p) {
    Type value;
    std::memcpy(value.v, p, sizeof value.v);
    return value;
  }
  static void store(std::uint8_t* p, Type value) { std::memcpy(p, value.v, sizeof value.v); }
  static Type max(Type a, Type b) {
    for (int i = 0; i < 16; ++i) a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
  }
  static Type interleave(const std::uint8_t* a, const std::uint8_t* b) {
    Type mixed;
    for (int i = 0; i < 8; ++i) {
      mixed.v[2 * i] = a[i];
      mixed.v[2 * i + 1] = b[i];
    }
    return mixed;
  }
  static Type interleave_low(const Type& a, const Type& b) { return interleave(a.v, b.v); }
  static Type interleave_high(const Type& a, const Type& b) { return interleave(a.v + 8, b.v + 8); }
#endif
};
