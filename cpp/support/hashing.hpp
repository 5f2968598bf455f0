// Hashing and comparison of short byte strings.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fuzzbow {

// True if the lowest byte of a number comes first in memory.
#if defined(__BYTE_ORDER__)
constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
#else
constexpr bool kLittleEndian = true;
#endif

template <class Whole>
std::uint64_t load_whole(const char* from) {
  Whole value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Packs up to eight bytes into a number. Strings of one length are equal if and only if their numbers are equal.
inline std::uint64_t packed(const char* word, std::size_t length) {
  if (length >= 8) return load_whole<std::uint64_t>(word);
  if (length >= 4) return load_whole<std::uint32_t>(word) | load_whole<std::uint32_t>(word + length - 4) << 32;
  if (length >= 2) return load_whole<std::uint16_t>(word) | load_whole<std::uint8_t>(word + length - 1) << 16;
  return length ? load_whole<std::uint8_t>(word) : 0;
}

// Hashes a byte string, eight bytes per step, by multiplying and folding. Fast on short words.
inline std::uint64_t hash_of(const char* word, std::size_t length) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ length;
  for (std::size_t done = 0; done < length; done += 8) {
    hash = (hash ^ packed(word + done, length - done)) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  hash *= 0xD6E8FEB86659FD93ull;
  return hash ^ hash >> 29;
}

inline bool equal(const char* a, const char* b, std::size_t length) {
  return length <= 8 ? packed(a, length) == packed(b, length) : std::memcmp(a, b, length) == 0;
}

}  // namespace fuzzbow
