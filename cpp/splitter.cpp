#include "splitter.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace fuzzbow {

namespace {

enum Class : unsigned char { kOther = 0, kSpace = 1, kDigit = 2, kLetter = 4, kUnderscore = 8 };
constexpr unsigned char kWord = kDigit | kLetter | kUnderscore;

struct Classes {
  unsigned char of[256] = {};
  Classes() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = kLetter;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit;
    of[static_cast<unsigned char>('_')] = kUnderscore;
    of[static_cast<unsigned char>(' ')] = kSpace;
    for (int c = '\t'; c <= '\r'; ++c) of[c] = kSpace;
    for (int c = 0x1c; c <= 0x1f; ++c) of[c] = kSpace;  // Python's str.isspace says so
    for (int c = 0xC0; c <= 0xFF; ++c) of[c] = c == 0xD7 || c == 0xF7 ? kOther : kLetter;
    of[0xAA] = of[0xB5] = of[0xBA] = kLetter;
    of[0xA0] = kSpace;
  }
};
const Classes kClasses;

bool is(char c, unsigned char wanted) { return kClasses.of[static_cast<unsigned char>(c)] & wanted; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Every rule looks at most a few characters past its own; the zero byte behind the text stops it.

// u.s., p.m.: a letter and a point, twice or more.
const char* abbreviation(const char* p) {
  int pairs = 0;
  while (is(p[0], kLetter) && p[1] == '.') {
    p += 2;
    ++pairs;
  }
  return pairs >= 2 ? p : nullptr;
}

const char* run(const char* p, const char* end, unsigned char wanted) {
  while (p < end && is(*p, wanted)) ++p;
  return p;
}

// 1,650 and 3.5: digits, then at least once a point or comma and digits.
const char* number(const char* p, const char* end) {
  const char* stop = run(p, end, kDigit);
  if (stop == p) return nullptr;
  bool parted = false;
  while ((*stop == '.' || *stop == ',') && is(stop[1], kDigit)) {
    stop = run(stop + 1, end, kDigit);
    parted = true;
  }
  return parted ? stop : nullptr;
}

bool ends_word(const char* p) { return !is(*p, kWord); }

// n't at p, with nothing of a word behind it.
bool negation(const char* p) { return lower(p[0]) == 'n' && p[1] == '\'' && lower(p[2]) == 't' && ends_word(p + 3); }

// 's 'm 'd 're 've 'll
const char* clitic(const char* p) {
  if (p[0] != '\'') return nullptr;
  const char a = lower(p[1]);
  if ((a == 's' || a == 'm' || a == 'd') && ends_word(p + 2)) return p + 2;
  const char b = a ? lower(p[2]) : '\0';
  const bool two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l');
  return two && ends_word(p + 3) ? p + 3 : nullptr;
}

// A run of word characters, which gives a final n to a negation behind it: do|n't.
const char* word(const char* p, const char* end) {
  const char* stop = run(p, end, kWord);
  return stop - p >= 2 && negation(stop - 1) ? stop - 1 : stop;
}

// ... and --
const char* repeated(const char* p, const char* end) {
  if (*p != '.' && *p != '-') return nullptr;
  const char* stop = p;
  while (stop < end && *stop == *p) ++stop;
  return stop - p >= 2 ? stop : nullptr;
}

const char* next_word(const char* p, const char* end) {
  if (is(*p, kWord)) {
    if (const char* stop = abbreviation(p)) return stop;
    if (const char* stop = number(p, end)) return stop;
    return negation(p) ? p + 3 : word(p, end);
  }
  if (const char* stop = clitic(p)) return stop;
  if (const char* stop = repeated(p, end)) return stop;
  return p + 1;
}

// Code points of the bytes 0x80 to 0x9F: signs that are neither letters, digits nor space. 0 stands for none.
constexpr unsigned kSigns[32] = {0x20AC, 0x2010, 0x2011, 0x2012, 0x2015, 0x2026, 0x2020, 0x2021, 0x20A3, 0x2030, 0x20A4,
                                 0x2039, 0x203A, 0x20B9, 0x2032, 0x2033, 0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
                                 0x2013, 0x2014, 0x2212, 0x2122, 0x2192, 0x201A, 0x201E, 0x2190, 0,      0};

// The byte of a code point from 0x80 on, or -1.
int byte_of(unsigned code) {
  if (code >= 0xA0 && code <= 0xFF) {
    // superscripts and fractions are word characters that are neither letters nor decimal digits
    const bool odd = code == 0xB2 || code == 0xB3 || code == 0xB9 || (code >= 0xBC && code <= 0xBE);
    return odd ? -1 : static_cast<int>(code);
  }
  if (code >= 0x2000 && code < 0x2300)
    for (int i = 0; i < 32; ++i)
      if (kSigns[i] == code) return 0x80 + i;
  return -1;
}

char plain_quote(int byte) {
  const unsigned code = kSigns[byte - 0x80];
  if (code == 0x2018 || code == 0x2019) return '\'';
  return code == 0x201C || code == 0x201D ? '"' : static_cast<char>(byte);
}

bool all_ascii(const char* text, std::size_t length) {
  std::uint64_t seen = 0, piece;
  for (; length >= 8; text += 8, length -= 8) {
    std::memcpy(&piece, text, 8);
    seen |= piece;
  }
  for (; length > 0; ++text, --length) seen |= static_cast<unsigned char>(*text) & 0x80u;
  return (seen & 0x8080808080808080ull) == 0;
}

void to_utf8(const Token& token, bool lowered, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < token.length; ++i) {
    unsigned code = static_cast<unsigned char>(token.begin[i]);
    if (lowered && ((code >= 'A' && code <= 'Z') || (code >= 0xC0 && code <= 0xDE && code != 0xD7))) code += 0x20;
    if (code >= 0x80 && code < 0xA0) code = kSigns[code - 0x80];
    if (code < 0x80) {
      out.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
      out.push_back(static_cast<char>(0xC0 | code >> 6));
      out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else {
      out.push_back(static_cast<char>(0xE0 | code >> 12));
      out.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
      out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
  }
}

}  // namespace

bool Splitter::take_bytes(const char* text, std::size_t length) {
  ascii_ = all_ascii(text, length);
  if (ascii_) {
    plain_.assign(text, length);
    lowered_.resize(length);
    std::transform(text, text + length, lowered_.begin(), lower);
    return true;
  }
  plain_.clear();
  for (std::size_t i = 0; i < length; ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      plain_.push_back(text[i]);
      continue;
    }
    const auto next = [&](std::size_t ahead) { return static_cast<unsigned char>(text[i + ahead]) & 0x3Fu; };
    unsigned code = 0;
    if ((c & 0xE0) == 0xC0 && i + 1 < length) {
      code = (c & 0x1Fu) << 6 | next(1);
      i += 1;
    } else if ((c & 0xF0) == 0xE0 && i + 2 < length) {
      code = (c & 0x0Fu) << 12 | next(1) << 6 | next(2);
      i += 2;
    }
    const int byte = code ? byte_of(code) : -1;
    if (byte < 0) return false;
    const bool quote = splitting_ == Splitting::kWords && byte < 0xA0;
    plain_.push_back(quote ? plain_quote(byte) : static_cast<char>(byte));
  }
  return true;
}

Token Splitter::spelled(const Token& token, bool lowered, std::string& scratch) const {
  if (ascii_) return lowered ? Token{lowered_.data() + (token.begin - plain_.data()), token.length} : token;
  to_utf8(token, lowered, scratch);
  return {scratch.data(), scratch.size()};
}

void Splitter::split_words(std::vector<Token>& tokens) const {
  const char* p = plain_.c_str();
  const char* end = p + plain_.size();
  while (p < end) {
    if (is(*p, kSpace)) {
      ++p;
      continue;
    }
    const char* stop = next_word(p, end);
    tokens.push_back({p, static_cast<std::size_t>(stop - p)});
    p = stop;
  }
}

void Splitter::split_whitespace(std::vector<Token>& tokens) const {
  const char* p = plain_.c_str();
  const char* end = p + plain_.size();
  while (p < end) {
    const char* stop = p;
    while (stop < end && !is(*stop, kSpace)) ++stop;
    if (stop > p) tokens.push_back({p, static_cast<std::size_t>(stop - p)});
    p = stop + 1;
  }
}

bool Splitter::split(const char* text, std::size_t length, std::vector<Token>& tokens) {
  tokens.clear();
  if (!take_bytes(text, length)) return false;
  if (splitting_ == Splitting::kWords)
    split_words(tokens);
  else
    split_whitespace(tokens);
  return true;
}

}  // namespace fuzzbow
