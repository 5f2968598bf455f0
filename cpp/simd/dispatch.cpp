#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "simd/kernels.hpp"
#if defined(FUZZBOW_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace fuzzbow {

namespace {

std::atomic<const Kernels*> chosen{nullptr};

#if defined(FUZZBOW_X86) && defined(_MSC_VER)
bool os_saves(unsigned mask) { return (_xgetbv(0) & mask) == mask; }
bool has_avx2() {
  int first[4], seventh[4];
  __cpuidex(first, 1, 0);
  __cpuidex(seventh, 7, 0);
  return (first[2] >> 27 & 1) && (first[2] >> 12 & 1) && (seventh[1] >> 5 & 1) && os_saves(0x6);
}
bool has_avx512() {
  int seventh[4];
  __cpuidex(seventh, 7, 0);
  const unsigned wanted = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;  // F, DQ, BW, VL
  return has_avx2() && (static_cast<unsigned>(seventh[1]) & wanted) == wanted && (seventh[2] >> 11 & 1) &&
         (seventh[2] >> 1 & 1) && os_saves(0xE6);
}
#elif defined(FUZZBOW_X86)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi");
}
#endif

const Kernels* find(const char* name) {
  if (std::strcmp(name, "portable") == 0) return &portable_kernels();
#if defined(FUZZBOW_X86)
  if (std::strcmp(name, "avx2") == 0 && has_avx2()) return &avx2_kernels();
  if (std::strcmp(name, "avx512") == 0 && has_avx512()) return &avx512_kernels();
#endif
  return nullptr;
}

const Kernels* first_choice() {
  if (const char* wish = std::getenv("FUZZBOW_SIMD")) {
    if (const Kernels* found = find(wish)) return found;
    // An import must not fail for a stale variable, but it must not be silent about a wish it cannot grant either.
    if (*wish)
      std::fprintf(stderr, "fuzzbow: FUZZBOW_SIMD must be portable, avx2 or avx512, and run here; got '%s'\n", wish);
  }
  for (const char* name : {"avx512", "avx2"})
    if (const Kernels* found = find(name)) return found;
  return &portable_kernels();
}

}  // namespace

const Kernels& kernels() {
  const Kernels* current = chosen.load(std::memory_order_acquire);
  if (!current) {
    static const Kernels* const first = first_choice();  // read once per process
    const Kernels* expected = nullptr;
    chosen.compare_exchange_strong(expected, first);
    current = chosen.load(std::memory_order_acquire);
  }
  return *current;
}

int available_kernels(const char* names[3]) {
  int count = 0;
  for (const char* name : {"portable", "avx2", "avx512"})
    if (find(name)) names[count++] = name;
  return count;
}

bool choose_kernels(const char* name) {
  const Kernels* found = find(name);
  if (found) chosen.store(found, std::memory_order_release);
  return found != nullptr;
}

}  // namespace fuzzbow
