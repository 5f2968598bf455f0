#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simd/kernels.hpp"
#if defined(FUZZBOW_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#elif defined(FUZZBOW_ARM64) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(FUZZBOW_ARM64) && defined(__APPLE__)
#include <sys/sysctl.h>
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
#elif defined(FUZZBOW_ARM64)
bool has_dotprod() {
#if defined(__linux__)
  return getauxval(AT_HWCAP) >> 20 & 1;  // HWCAP_ASIMDDP, which older headers lack
#elif defined(__APPLE__)
  int has = 0;
  std::size_t size = sizeof has;
  return sysctlbyname("hw.optional.arm.FEAT_DotProd", &has, &size, nullptr, 0) == 0 && has;
#else
  return false;  // no known way to detect it
#endif
}
#endif

// The one list of instruction sets, slowest first.
struct InstructionSet {
  const char* name;
  bool (*runs_here)();
  const Kernels& (*kernels)();
};
constexpr InstructionSet kInstructionSets[] = {
    {"portable", [] { return true; }, portable_kernels},
#if defined(FUZZBOW_X86)
    {"avx2", has_avx2, avx2_kernels},
    {"avx512", has_avx512, avx512_kernels},
#elif defined(FUZZBOW_ARM64)
    {"neon", [] { return true; }, neon_kernels},
    {"dotprod", has_dotprod, dotprod_kernels},
#endif
};
constexpr std::size_t kCount = sizeof kInstructionSets / sizeof kInstructionSets[0];

struct Available {
  const char* names[kCount + 1] = {};  // ends with null
  Available() {
    std::size_t count = 0;
    for (const InstructionSet& set : kInstructionSets)
      if (set.runs_here()) names[count++] = set.name;
  }
};

const Kernels* find(const char* name) {
  for (const InstructionSet& set : kInstructionSets)
    if (std::strcmp(name, set.name) == 0 && set.runs_here()) return &set.kernels();
  return nullptr;
}

const Kernels* first_choice() {
  const char* best = nullptr;
  std::string names;
  for (const char* const* name = available_kernels(); *name; ++name) {
    best = *name;
    names += (names.empty() ? "" : ", ") + std::string(best);
  }
  const char* wish = std::getenv("FUZZBOW_SIMD");
  const Kernels* found = wish ? find(wish) : nullptr;
  // An import must not fail because of an outdated variable, but the user should know that it has no effect.
  if (wish && *wish && !found)
    std::fprintf(stderr, "fuzzbow: FUZZBOW_SIMD must be one of %s here; got '%s'\n", names.c_str(), wish);
  return found ? found : find(best);
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

const char* const* available_kernels() {
  static const Available available;
  return available.names;
}

bool choose_kernels(const char* name) {
  const Kernels* found = find(name);
  if (found) chosen.store(found, std::memory_order_release);
  return found != nullptr;
}

}  // namespace fuzzbow
