// Differences between compilers.
#pragma once
#if defined(__GNUC__) || defined(__clang__)
#define FUZZBOW_INLINE static inline __attribute__((always_inline))
#define FUZZBOW_PREFETCH(address) __builtin_prefetch(address, 0, 3)
// Into the second-level cache only: it can wait for more lines than the first, and has room for them.
#define FUZZBOW_PREFETCH_EARLY(address) __builtin_prefetch(address, 0, 2)
// The number must not be 0.
#define FUZZBOW_LOWEST_BIT(number) __builtin_ctzll(number)
#else
#define FUZZBOW_INLINE static inline
#define FUZZBOW_PREFETCH(address) ((void)(address))
#define FUZZBOW_PREFETCH_EARLY(address) ((void)(address))
static inline int fuzzbow_lowest_bit(unsigned long long number) {
  int bit = 0;
  for (; !(number & 1); number >>= 1) ++bit;
  return bit;
}
#define FUZZBOW_LOWEST_BIT(number) fuzzbow_lowest_bit(number)
#endif
#if defined(__clang__)
#define FUZZBOW_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define FUZZBOW_UNROLL _Pragma("GCC unroll 32")
#else
#define FUZZBOW_UNROLL
#endif
