// What differs between compilers.
#pragma once
#if defined(__GNUC__) || defined(__clang__)
#define FUZZBOW_INLINE static inline __attribute__((always_inline))
#define FUZZBOW_PREFETCH(address) __builtin_prefetch(address, 0, 3)
#else
#define FUZZBOW_INLINE static inline
#define FUZZBOW_PREFETCH(address) ((void)(address))
#endif
#if defined(__clang__)
#define FUZZBOW_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define FUZZBOW_UNROLL _Pragma("GCC unroll 32")
#else
#define FUZZBOW_UNROLL
#endif
