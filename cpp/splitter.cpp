#include "splitter.hpp"

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

}  // namespace

bool Splitter::take_plain(const char* text, std::size_t length) {
  plain_.clear();
  for (std::size_t i = 0; i < length; ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      plain_.push_back(text[i]);
      continue;
    }
    // E2 80 98, 99: single quotes; 9C, 9D: double quotes
    const bool general = c == 0xE2 && i + 2 < length && static_cast<unsigned char>(text[i + 1]) == 0x80;
    if (splitting_ != Splitting::kWords || !general) return false;
    const unsigned char last = static_cast<unsigned char>(text[i + 2]);
    if (last == 0x98 || last == 0x99)
      plain_.push_back('\'');
    else if (last == 0x9C || last == 0x9D)
      plain_.push_back('"');
    else
      return false;
    i += 2;
  }
  return true;
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
  if (!take_plain(text, length)) return false;
  if (splitting_ == Splitting::kWords)
    split_words(tokens);
  else
    split_whitespace(tokens);
  return true;
}

}  // namespace fuzzbow
