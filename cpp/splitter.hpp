// Texts to words by the rules of fuzzbow.text.tokenizers, for ASCII; other texts are left to Python.
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

 private:
  bool take_plain(const char* text, std::size_t length);
  void split_words(std::vector<Token>& tokens) const;
  void split_whitespace(std::vector<Token>& tokens) const;

  Splitting splitting_;
  std::string plain_;  // the text with typographic quotes made plain, and a zero byte behind it
};

}  // namespace fuzzbow
