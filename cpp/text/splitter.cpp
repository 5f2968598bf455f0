#include "text/splitter.hpp"

#include <algorithm>
#include <cstring>

#include "text/characters.hpp"
#include "text/lower_case.hpp"
#include "text/utf8.hpp"
#include "text/vocabulary.hpp"

namespace fuzzbow {

namespace {

constexpr unsigned char kWord = kDigit | kLetter | kUnderscore;

struct AsciiClasses {
  unsigned char of[128] = {};
  AsciiClasses() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = kLetter;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit;
    of[static_cast<unsigned char>('_')] = kUnderscore;
    of[static_cast<unsigned char>(' ')] = kSpace;
    for (int c = '\t'; c <= '\r'; ++c) of[c] = kSpace;
    for (int c = 0x1c; c <= 0x1f; ++c) of[c] = kSpace;  // str.isspace of Python says so
  }
};
const AsciiClasses kAsciiClasses;

// Signs after a word that may continue a chunk, or start another rule.
struct JoiningSigns {
  bool of[128] = {};
  JoiningSigns() {
    for (const char sign : {'-', '.', '/', '\'', '@', '&', ':', '+', '#'}) of[static_cast<unsigned char>(sign)] = true;
  }
};
const JoiningSigns kJoiningSigns;

// Index of the first nonzero byte of eight. At least one is nonzero.
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

// The two forms of a text: bytes of ASCII, and characters with known classes. Every rule looks at most a few characters
// ahead, and zeros after the text stop it.
struct Bytes {
  const char* text;
  std::size_t size;
  const std::uint8_t* others;  // per byte: 1 if it is not part of a word, also from the end of the text on
  char32_t at(std::size_t i) const { return static_cast<unsigned char>(text[i]); }
  bool is(std::size_t i, unsigned char wanted) const {
    return kAsciiClasses.of[static_cast<unsigned char>(text[i])] & wanted;
  }
  // End of the chunk at i if it is a plain word of letters that no sign can extend, else 0.
  std::size_t plain_end(std::size_t i) const {
    if (others[i] || is(i, kDigit)) return 0;
    for (std::uint64_t eight;; i += 8) {
      std::memcpy(&eight, others + i, 8);
      if (!eight) continue;
      i += first_set_byte(eight);
      return kJoiningSigns.of[static_cast<unsigned char>(text[i])] || is(i - 1, kDigit) ? 0 : i;
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

constexpr std::size_t kAhead = 12;  // zeros after the characters, more than any rule looks ahead
constexpr std::size_t kNone = 0;    // no chunk: no rule ends at 0

// The rules of fuzzbow.text.chunks.chunk_pattern, in the same order.
template <class Text>
class ChunkRules {
 public:
  explicit ChunkRules(const Text& text) : text_(text) {}

  // End of the chunk that begins at i, or kNone.
  std::size_t end_of(std::size_t i) const {
    if (const std::size_t end = text_.plain_end(i)) return end;
    if (const std::size_t end = address(i)) return end;
    if (const std::size_t end = phone(i)) return end;
    if (const std::size_t end = word(i)) return end;
    return symbols(i);
  }

 private:
  std::size_t run(std::size_t i, unsigned char wanted) const {
    while (i < text_.size && text_.is(i, wanted)) ++i;
    return i;
  }
  bool is_part(std::size_t i) const { return text_.is(i, kWord | kMark); }
  bool follows_part(std::size_t i) const { return i > 0 && is_part(i - 1); }
  bool is_one_of(std::size_t i, const char* signs) const {
    const char32_t code = text_.at(i);
    return code > 0 && code < 0x80 && std::strchr(signs, static_cast<int>(code));
  }
  bool is_currency(std::size_t i) const {
    const char32_t code = text_.at(i);
    return code == '$' || code == 0xA3 || code == 0xA5 || code == 0x20AC || code == 0x20B9;
  }

  // End of these lower-case letters and signs if they occur at i in either case, else kNone.
  std::size_t end_of_prefix(const char* letters, std::size_t i) const {
    for (; *letters; ++letters, ++i) {
      const char32_t code = text_.at(i), wanted = static_cast<unsigned char>(*letters);
      if (code != wanted && !(code >= 'A' && code <= 'Z' && (code | 0x20) == wanted)) return kNone;
    }
    return i;
  }

  // https://example.org, www.example.org
  std::size_t address(std::size_t i) const {
    for (const char* prefix : {"https://", "http://", "www."}) {
      const std::size_t begin = end_of_prefix(prefix, i);
      if (begin == kNone) continue;
      std::size_t end = begin;
      while (end < text_.size && !text_.is(end, kSpace) && !is_one_of(end, "<>\"")) ++end;
      if (end > begin) return end;
    }
    return kNone;
  }

  std::size_t phone(std::size_t i) const {
    if (follows_part(i)) return kNone;
    const std::size_t end = local_phone(i);
    return end != kNone ? end : international_phone(i);
  }

  // Start of the next digits after one or two separators at i, or kNone.
  std::size_t gap(std::size_t i) const {
    std::size_t end = i;
    while (end < i + 2 && is_one_of(end, " ().-")) ++end;
    return end > i && text_.is(end, kDigit) ? end : kNone;
  }

  // (555) 123-4567, 1 555 123 4567
  std::size_t local_phone(std::size_t i) const {
    if (text_.at(i) == '(') ++i;
    std::size_t end = run(i, kDigit);
    if (end - i == 1) {
      if ((i = gap(end)) == kNone) return kNone;
      end = run(i, kDigit);
    }
    for (int group = 0; group < 2; ++group) {
      if (end - i != 3 || (i = gap(end)) == kNone) return kNone;
      end = run(i, kDigit);
    }
    return end - i == 4 && !is_part(end) ? end : kNone;
  }

  // +44 20 7946 0958, 0044 20 7946 0958
  std::size_t international_phone(std::size_t i) const {
    const bool zeros = text_.at(i) == '0' && text_.at(i + 1) == '0';
    const std::size_t begin = text_.at(i) == '+' ? i + 1 : zeros ? i + 2 : kNone;
    if (begin == kNone || !text_.is(begin, kDigit)) return kNone;
    std::size_t found = kNone;
    for (std::size_t next = begin; next != kNone;) {
      const std::size_t end = run(next, kDigit);
      if (next != begin && !is_part(end)) found = end;
      next = gap(end);
    }
    return found;
  }

  // True for a digit, or a decimal point followed by one.
  bool is_number(std::size_t i) const { return text_.is(text_.at(i) == '.' ? i + 1 : i, kDigit); }

  // Skips a currency sign and a space before a number; otherwise i.
  std::size_t skip_currency(std::size_t i) const {
    if (!is_currency(i)) return i;
    const std::size_t end = text_.at(i + 1) == ' ' ? i + 2 : i + 1;
    return is_number(end) ? end : i;
  }

  // Skips the sign of a number; otherwise i.
  std::size_t skip_sign(std::size_t i) const {
    if (text_.at(i) != '-' && text_.at(i) != '+') return i;
    const bool may_be = i == 0 || text_.is(i - 1, kSpace) || is_one_of(i - 1, "([{:;=\"'~<>|/");
    return may_be && is_number(skip_currency(i + 1)) ? i + 1 : i;
  }

  // Letters, digits and underscores, joined by single signs.
  std::size_t word(std::size_t i) const {
    i = skip_currency(skip_sign(i));
    if (text_.at(i) == '.' && !follows_part(i) && text_.is(i + 1, kDigit)) ++i;
    if (!text_.is(i, kWord)) return kNone;
    std::size_t end = run(i, kWord | kMark);
    while (joined(end)) end = run(end + 1, kWord | kMark);
    return with_tail(end);
  }

  bool joined(std::size_t i) const {
    if (!text_.is(i + 1, kWord)) return false;
    if (is_one_of(i, "-./'@&")) return true;
    return is_one_of(i, ",:") && text_.is(i - 1, kDigit) && text_.is(i + 1, kDigit);
  }

  // Includes signs that belong to the word before them.
  std::size_t with_tail(std::size_t end) const {
    const bool letter = text_.is(end - 1, kLetter);
    // U.S., p.m.
    if (letter && text_.at(end) == '.' && end > 1 && text_.at(end - 2) == '.' && !is_part(end + 1)) return end + 1;
    // 6 %, 5 €, 20°
    if (text_.is(end - 1, kDigit)) {
      const std::size_t sign = text_.at(end) == ' ' ? end + 1 : end;
      const bool is_unit = text_.at(sign) == '%' || text_.at(sign) == 0xB0 || is_currency(sign);
      return is_unit && !text_.is(sign + 1, kDigit) && !is_currency(sign + 1) ? sign + 1 : end;
    }
    // C++, C#
    if (letter && (end < 2 || !text_.is(end - 2, kWord))) {
      const bool pluses = text_.at(end) == '+' && text_.at(end + 1) == '+';
      const std::size_t last = pluses ? end + 2 : text_.at(end) == '#' ? end + 1 : end;
      return is_part(last) ? end : last;
    }
    return end;
  }

  // A symbol and its repeats, or a flag; no control character.
  std::size_t symbols(std::size_t i) const {
    const char32_t code = text_.at(i);
    if (code < 0x20 || code == 0x7F) return kNone;
    if (is_flag(code) && is_flag(text_.at(i + 1))) return i + 2;
    std::size_t end = i + 1;
    while (end < text_.size && text_.at(end) == code) ++end;
    return end;
  }
  static bool is_flag(char32_t code) { return code >= 0x1F1E6 && code <= 0x1F1FF; }

  const Text& text_;
};

// Calls visit(begin, end) for every chunk, or for every run without white space.
template <class Text, class Visit>
void split_text(const Text& text, Splitting splitting, Visit visit) {
  const ChunkRules<Text> chunks(text);
  for (std::size_t i = 0; i < text.size;) {
    std::size_t end = kNone;
    if (!text.is(i, kSpace)) {
      if (splitting == Splitting::kWhitespace)
        for (end = i + 1; end < text.size && !text.is(end, kSpace);) ++end;
      else
        end = chunks.end_of(i);
    }
    if (end != kNone) visit(i, end);
    i = end == kNone ? i + 1 : end;
  }
}

// Branch-free, so that the compiler vectorises it.
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
    const char32_t code = next_whole_character(p, end);
    codes_[count] = code;
    seen |= classes_[count] = table.classes_of(code);
    starts_[count] = static_cast<std::uint32_t>(to - plain_.data());
    to = write_utf8(code, to);
  }
  starts_[count] = static_cast<std::uint32_t>(to - plain_.data());
  for (std::size_t i = count; i < count + kAhead; ++i) codes_[i] = classes_[i] = 0;
  characters_ = count;
  unspaced_ = seen & kUnspaced;
}

Token Splitter::token_of(std::size_t begin, std::size_t end) const {
  return {plain_.data() + starts_[begin], static_cast<std::size_t>(starts_[end] - starts_[begin])};
}

// End of the segment that begins at `begin`, inside a run that ends at `end`: the longest word of the vocabulary, or
// one letter with its marks.
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

// Pushes the parts of a chunk with letters of scripts without spaces: runs of such letters in segments, what is between
// them whole.
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
  const bool segmented = unspaced_ && splitting_ == Splitting::kChunks;
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
