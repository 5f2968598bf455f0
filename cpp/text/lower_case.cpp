#include "text/lower_case.hpp"

#include "text/utf8.hpp"

namespace fuzzbow {

namespace {

constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;
constexpr char32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;

// True if the nearest preceding character that is not case-ignorable is cased.
bool cased_before(const char* word, const char* p) {
  const CharacterTable& table = characters();
  while (p > word) {
    const char* before = previous_character(word, p);
    const char* at = before;
    const std::uint8_t classes = table.classes_of(next_character(at, p));
    if (!(classes & kIgnorable)) return classes & kCased;
    p = before;
  }
  return false;
}

bool cased_after(const char* p, const char* end) {
  const CharacterTable& table = characters();
  while (p < end) {
    const std::uint8_t classes = table.classes_of(next_character(p, end));
    if (!(classes & kIgnorable)) return classes & kCased;
  }
  return false;
}

}  // namespace

void lower_case(const char* word, std::size_t length, std::string& out) {
  const CharacterTable& table = characters();
  out.resize(length * kMostGrowth);
  char* to = &out[0];
  for (const char *p = word, *end = word + length; p < end;) {
    if (static_cast<unsigned char>(*p) < 0x80) {
      *to++ = ascii_lower(*p++);
      continue;
    }
    const char* here = p;
    const char32_t code = next_character(p, end);
    if (code == kCapitalSigma) {
      // a final sigma: a cased letter precedes it and none follows, case-ignorable characters aside
      const bool ends = cased_before(word, here) && !cased_after(p, end);
      to = write_utf8(ends ? kFinalSigma : kSmallSigma, to);
      continue;
    }
    to = write_utf8(table.lower_of(code), to);
    if (code == kCapitalIWithDot) to = write_utf8(kDotAbove, to);
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

}  // namespace fuzzbow
