// Conversion between UTF-8 and characters.
#pragma once
#include <cstddef>

#include "text/characters.hpp"

namespace fuzzbow {

// Bytes of output per byte of input, at most: lower case and U+FFFD for an invalid byte need up to three.
constexpr std::size_t kMostGrowth = 3;

// Decodes the character at p and advances p. An invalid byte is U+FFFD.
inline char32_t next_character(const char*& p, const char* end) {
  const unsigned char lead = static_cast<unsigned char>(*p++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || end - p < more) return kReplacement;
  char32_t code = lead & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) code = code << 6 | (static_cast<unsigned char>(p[i]) & 0x3Fu);
  if (code >= kEndOfCharacters) return kReplacement;
  p += more;
  return code;
}

inline bool is_high_surrogate(char32_t code) { return code >= 0xD800 && code < 0xDC00; }
inline bool is_low_surrogate(char32_t code) { return code >= 0xDC00 && code < 0xE000; }

// Decodes a character of whole text: two surrogate halves are one character, a lone half is U+FFFD.
inline char32_t next_whole_character(const char*& p, const char* end) {
  const char32_t code = next_character(p, end);
  if (is_low_surrogate(code)) return kReplacement;
  if (!is_high_surrogate(code)) return code;
  const char* after = p;
  const char32_t low = p < end ? next_character(after, end) : 0;
  if (!is_low_surrogate(low)) return kReplacement;
  p = after;
  return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
}

// Start of the character that ends before p; p > begin.
inline const char* previous_character(const char* begin, const char* p) {
  do --p;
  while (p > begin && (static_cast<unsigned char>(*p) & 0xC0) == 0x80);
  return p;
}

// Writes a character, up to four bytes, and returns the end of it.
inline char* write_utf8(char32_t code, char* out) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
    return out;
  }
  if (code < 0x800) {
    *out++ = static_cast<char>(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *out++ = static_cast<char>(0xE0 | code >> 12);
    } else {
      *out++ = static_cast<char>(0xF0 | code >> 18);
      *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3F));
    }
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  *out++ = static_cast<char>(0x80 | (code & 0x3F));
  return out;
}

}  // namespace fuzzbow
