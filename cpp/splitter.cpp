#include "splitter.hpp"

#include <algorithm>
#include <cstring>

#include "characters.hpp"
#include "lower_case.hpp"
#include "utf8.hpp"
#include "vocabulary.hpp"

namespace fuzzbow {

namespace {

constexpr unsigned char kWord = kDigit | kLetter | kUnderscore;

bool has_clitics(Splitting splitting) { return splitting == Splitting::kWords || splitting == Splitting::kUnsegmented; }
bool has_elisions(Splitting splitting) {
  return splitting == Splitting::kFrenchWords || splitting == Splitting::kFrenchUnsegmented;
}
bool has_segments(Splitting splitting) {
  return splitting == Splitting::kWords || splitting == Splitting::kPlainWords || splitting == Splitting::kFrenchWords;
}

// What French elides before a vowel, and one word that has an apostrophe inside.
constexpr const char* kElided[] = {"c",  "d",     "j",      "l",      "m",      "n",      "s",     "t",
                                   "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quelqu", "presqu"};
constexpr const char* kToday = "aujourd'hui";

struct AsciiClasses {
  unsigned char of[128] = {};
  AsciiClasses() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = kLetter;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit;
    of[static_cast<unsigned char>('_')] = kUnderscore;
    of[static_cast<unsigned char>(' ')] = kSpace;
    for (int c = '\t'; c <= '\r'; ++c) of[c] = kSpace;
    for (int c = 0x1c; c <= 0x1f; ++c) of[c] = kSpace;  // Python's str.isspace says so
  }
};
const AsciiClasses kAsciiClasses;

// Where the first byte of eight that is not zero stands; there is one.
std::size_t first_set_byte(std::uint64_t bytes) {
#if defined(__GNUC__)
  if (kLittleEndian) return static_cast<std::size_t>(__builtin_ctzll(bytes)) / 8;
#endif
  char each[8];
  std::memcpy(each, &bytes, 8);
  std::size_t i = 0;
  while (!each[i]) ++i;
  return i;
}

// A text of bytes, and one of characters whose classes are known. Every rule looks at most a few characters past its
// own; the zero behind the text stops it.
struct Bytes {
  const char* text;
  std::size_t size;
  const std::uint8_t* others;  // of each byte whether it is no part of a word; 1 from the end of the text on
  char32_t at(std::size_t i) const { return static_cast<unsigned char>(text[i]); }
  bool is(std::size_t i, unsigned char wanted) const {
    return kAsciiClasses.of[static_cast<unsigned char>(text[i])] & wanted;
  }
  // Where the word at i ends if no rule says otherwise, as only signs behind it can make one; or 0.
  std::size_t plain_end(std::size_t i) const {
    if (others[i]) return 0;
    for (std::uint64_t eight;; i += 8) {
      std::memcpy(&eight, others + i, 8);
      if (!eight) continue;
      i += first_set_byte(eight);
      return text[i] == '.' || text[i] == ',' || text[i] == '\'' ? 0 : i;
    }
  }
};

struct Characters {
  const char32_t* codes;
  const std::uint8_t* classes;
  std::size_t size;
  char32_t at(std::size_t i) const { return codes[i]; }
  bool is(std::size_t i, unsigned char wanted) const { return classes[i] & wanted; }
  std::size_t plain_end(std::size_t) const { return 0; }
};

constexpr std::size_t kAhead = 4;  // zeros behind the characters, further than any rule looks
constexpr std::size_t kNone = 0;   // no rule ends where a word begins

template <class Text>
class WordRules {
 public:
  WordRules(const Text& text, Splitting splitting)
      : text_(text), clitics_(has_clitics(splitting)), elisions_(has_elisions(splitting)) {}

  // Where the word that begins at i ends.
  std::size_t end_of(std::size_t i) const {
    if (const std::size_t end = text_.plain_end(i)) return end;
    if (text_.is(i, kWord)) {
      if (const std::size_t end = abbreviation(i)) return end;
      if (const std::size_t end = number(i)) return end;
      if (const std::size_t end = elision(i)) return end;
      return negation(i) ? i + 3 : word(i);
    }
    if (const std::size_t end = clitic(i)) return end;
    if (const std::size_t end = repeated(i)) return end;
    return i + 1;
  }

 private:
  std::size_t run(std::size_t i, unsigned char wanted) const {
    while (i < text_.size && text_.is(i, wanted)) ++i;
    return i;
  }

  // u.s., p.m.: a letter and a point, twice or more.
  std::size_t abbreviation(std::size_t i) const {
    int pairs = 0;
    while (text_.is(i, kLetter)) {
      const std::size_t point = run(i + 1, kMark);
      if (text_.at(point) != '.') break;
      i = point + 1;
      ++pairs;
    }
    return pairs >= 2 ? i : kNone;
  }

  // 1,650 and 3.5: digits, then at least once a point or comma and digits.
  std::size_t number(std::size_t i) const {
    std::size_t end = run(i, kDigit);
    if (end == i) return kNone;
    bool parted = false;
    while ((text_.at(end) == '.' || text_.at(end) == ',') && text_.is(end + 1, kDigit)) {
      end = run(end + 1, kDigit);
      parted = true;
    }
    return parted ? end : kNone;
  }

  // A run of word characters and marks, which gives a final n to a negation behind it: do|n't.
  std::size_t word(std::size_t i) const {
    const std::size_t end = run(i + 1, kWord | kMark);
    return end - i >= 2 && negation(end - 1) ? end - 1 : end;
  }

  bool ends_word(std::size_t i) const { return !text_.is(i, kWord | kMark); }
  bool is_letter(std::size_t i, char32_t small) const { return (text_.at(i) | 0x20) == small && text_.at(i) < 0x80; }

  // n't at i, with nothing of a word behind it.
  bool negation(std::size_t i) const {
    return clitics_ && is_letter(i, 'n') && text_.at(i + 1) == '\'' && is_letter(i + 2, 't') && ends_word(i + 3);
  }

  // 's 'm 'd 're 've 'll; a long s is an s where case does not count.
  std::size_t clitic(std::size_t i) const {
    if (!clitics_ || text_.at(i) != '\'') return kNone;
    const auto letter = [&](std::size_t place, char32_t small) { return is_letter(place, small); };
    const bool one = letter(i + 1, 's') || text_.at(i + 1) == 0x17F || letter(i + 1, 'm') || letter(i + 1, 'd');
    if (one && ends_word(i + 2)) return i + 2;
    const bool re = letter(i + 1, 'r') || letter(i + 1, 'v');
    const bool two = (re && letter(i + 2, 'e')) || (letter(i + 1, 'l') && letter(i + 2, 'l'));
    return two && ends_word(i + 3) ? i + 3 : kNone;
  }

  // Behind these letters, small or large, where they stand at i.
  std::size_t behind(const char* letters, std::size_t i) const {
    for (; *letters; ++letters, ++i)
      if (*letters == '\'' ? text_.at(i) != '\'' : !is_letter(i, static_cast<unsigned char>(*letters))) return kNone;
    return i;
  }

  // l'|homme, qu'|il
  std::size_t elision(std::size_t i) const {
    if (!elisions_ || text_.at(run(i, kLetter)) != '\'') return kNone;
    const std::size_t today = behind(kToday, i);
    if (today != kNone && ends_word(today)) return today;
    for (const char* elided : kElided) {
      const std::size_t end = behind(elided, i);
      if (end != kNone && text_.at(end) == '\'' && text_.is(end + 1, kLetter)) return end + 1;
    }
    return kNone;
  }

  // ... and --
  std::size_t repeated(std::size_t i) const {
    const char32_t sign = text_.at(i);
    if (sign != '.' && sign != '-') return kNone;
    std::size_t end = i;
    while (end < text_.size && text_.at(end) == sign) ++end;
    return end - i >= 2 ? end : kNone;
  }

  const Text& text_;
  bool clitics_, elisions_;
};

// visit(begin, end) of every word.
template <class Text, class Visit>
void split_text(const Text& text, Splitting splitting, Visit visit) {
  const WordRules<Text> words(text, splitting);
  for (std::size_t i = 0; i < text.size;) {
    if (text.is(i, kSpace)) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (splitting != Splitting::kWhitespace)
      end = words.end_of(i);
    else
      while (end < text.size && !text.is(end, kSpace)) ++end;
    visit(i, end);
    i = end;
  }
}

// Without branches, so that the compiler takes many bytes at a time.
bool all_ascii(const char* text, std::size_t length) {
  unsigned char seen = 0;
  for (std::size_t i = 0; i < length; ++i) seen |= static_cast<unsigned char>(text[i]);
  return seen < 0x80;
}

std::uint8_t is_no_word(char character) {
  const auto within = [](std::uint8_t value, std::uint8_t first, std::uint8_t count) {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(value - first) < count);
  };
  const std::uint8_t byte = static_cast<std::uint8_t>(character);
  return static_cast<std::uint8_t>(1 ^ (within(byte | 0x20, 'a', 26) | within(byte, '0', 10) | within(byte, '_', 1)));
}

char32_t plain_quote(char32_t code) {
  if (code == 0x2018 || code == 0x2019) return '\'';
  return code == 0x201C || code == 0x201D ? '"' : code;
}

}  // namespace

void Splitter::take_ascii(const char* text, std::size_t length) {
  lowered_.clear();
  if (plain_.size() < length + kPadding) plain_.resize(length + kPadding);
  if (others_.size() < length + kPadding) others_.resize(length + kPadding);
  char* to = &plain_[0];
  std::memcpy(to, text, length);
  std::memset(to + length, 0, kPadding);
  characters_ = length;
  std::uint8_t* others = others_.data();
  for (std::size_t i = 0; i < length + kPadding; ++i) others[i] = is_no_word(to[i]);
}

void Splitter::take_characters(const char* text, std::size_t length) {
  const CharacterTable& table = characters();
  plain_.resize(length * kMostGrowth + kPadding);
  codes_.resize(length + kAhead);
  classes_.resize(length + kAhead);
  starts_.resize(length + 1);
  char* to = &plain_[0];
  std::size_t count = 0;
  std::uint8_t seen = 0;
  for (const char *p = text, *end = text + length; p < end; ++count) {
    char32_t code = next_whole_character(p, end);
    if (splitting_ != Splitting::kWhitespace) code = plain_quote(code);
    codes_[count] = code;
    seen |= classes_[count] = table.classes_of(code);
    starts_[count] = static_cast<std::uint32_t>(to - plain_.data());
    to = write_utf8(code, to);
  }
  starts_[count] = static_cast<std::uint32_t>(to - plain_.data());
  for (std::size_t behind = count; behind < count + kAhead; ++behind) codes_[behind] = classes_[behind] = 0;
  characters_ = count;
  unspaced_ = seen & kUnspaced;
}

Token Splitter::token_of(std::size_t begin, std::size_t end) const {
  return {plain_.data() + starts_[begin], static_cast<std::size_t>(starts_[end] - starts_[begin])};
}

// Where the segment that begins at `begin` of a run ends: behind the longest word of the vocabulary, or behind one
// letter and its marks.
std::size_t Splitter::segment_end(std::size_t begin, std::size_t end) const {
  std::size_t letter = begin + 1;
  while (letter < end && (classes_[letter] & kMark)) ++letter;
  if (letter == end) return letter;
  const std::size_t most = vocabulary_->longest_from(codes_[begin], codes_[begin + 1]);
  for (std::size_t last = std::min(end, begin + most); last > letter; --last) {
    if (last < end && (classes_[last] & kMark)) continue;
    const Token segment = token_of(begin, last);
    if (vocabulary_->find(segment.begin, segment.length) >= 0) return last;
  }
  return letter;
}

// A word with letters of scripts without spaces: runs of these in segments, what stands between them whole.
void Splitter::push_segments(std::size_t begin, std::size_t end, std::vector<Token>& tokens) const {
  while (begin < end) {
    std::size_t last = begin + 1;
    if (classes_[begin] & kUnspaced) {
      while (last < end && (classes_[last] & (kUnspaced | kMark))) ++last;
      while (begin < last) {
        const std::size_t stop = segment_end(begin, last);
        tokens.push_back(token_of(begin, stop));
        begin = stop;
      }
    } else {
      while (last < end && !(classes_[last] & kUnspaced)) ++last;
      tokens.push_back(token_of(begin, last));
      begin = last;
    }
  }
}

bool Splitter::split(const char* text, std::size_t length, std::vector<Token>& tokens) {
  tokens.clear();
  ascii_ = all_ascii(text, length);
  if (ascii_) {
    take_ascii(text, length);
    const char* first = plain_.data();
    split_text(Bytes{first, length, others_.data()}, splitting_,
               [&](std::size_t begin, std::size_t end) { tokens.emplace_back(first + begin, end - begin); });
    return true;
  }
  take_characters(text, length);
  const bool segmented = unspaced_ && has_segments(splitting_);
  if (segmented && !vocabulary_) return false;
  const Characters all{codes_.data(), classes_.data(), characters_};
  split_text(all, splitting_, [&](std::size_t begin, std::size_t end) {
    if (segmented)
      push_segments(begin, end, tokens);
    else
      tokens.push_back(token_of(begin, end));
  });
  return true;
}

Token Splitter::spelled(const Token& token, bool lowered, std::string& scratch) {
  if (!lowered) return token;
  if (ascii_ && lowered_.empty()) {
    lowered_.resize(characters_);
    std::transform(plain_.data(), plain_.data() + characters_, lowered_.begin(), ascii_lower);
  }
  if (ascii_) return {lowered_.data() + (token.begin - plain_.data()), token.length};
  lower_case(token.begin, token.length, scratch);
  return {scratch.data(), scratch.size()};
}

}  // namespace fuzzbow
