// Texts to words by the rules of fuzzbow.text.tokenizers, for western text; the rest is left to Python.
//
// Inside, a character is one byte: ASCII, Latin-1 letters and signs at their own code, and typographic signs in the
// 32 codes that Latin-1 has no use for. A text with any other character is one that Python has to split.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fuzzbow {

enum class Splitting { kWords, kWhitespace };

struct Token {
  const char* begin;
  std::size_t length;
};

// Scratch for one text after another.
class Splitter {
 public:
  explicit Splitter(Splitting splitting) : splitting_(splitting) {}

  // The words of a text, or false where it holds characters whose class only Python knows.
  // Tokens point into the splitter and live until the next call.
  bool split(const char* text, std::size_t length, std::vector<Token>& tokens);

  // A token as the UTF-8 it was made of (typographic quotes aside), in lower case if wanted; made in scratch, or
  // where it stands.
  Token spelled(const Token& token, bool lowered, std::string& scratch) const;

 private:
  bool take_bytes(const char* text, std::size_t length);
  void split_words(std::vector<Token>& tokens) const;
  void split_whitespace(std::vector<Token>& tokens) const;

  Splitting splitting_;
  bool ascii_ = true;            // the text is, so its bytes are UTF-8 already
  std::string plain_, lowered_;  // one byte a character, and a zero byte behind it; lowered_ of ASCII only
};

}  // namespace fuzzbow
