// Splitting of texts into chunks by the rules of fuzzbow.text.chunks, in every script. Python decides once for each
// distinct chunk which words it consists of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzzbow {

class Vocabulary;

enum class Splitting {
  kChunks,       // chunks of fuzzbow.text.chunks; scripts without spaces are segmented by a vocabulary
  kUnsegmented,  // the same chunks, but scripts without spaces are not segmented
  kWhitespace
};

struct Token {
  Token(const char* first, std::size_t count) : begin(first), length(count) {}
  const char* begin;
  std::size_t length;
};

// Reusable scratch for splitting one text after another.
class Splitter {
 public:
  static constexpr std::size_t kPadding = 16;  // this many bytes from the start of a token may be read

  // Scripts without spaces are segmented into words of the vocabulary.
  explicit Splitter(Splitting splitting, const Vocabulary* vocabulary = nullptr)
      : splitting_(splitting), vocabulary_(vocabulary) {}

  // Splits a text into chunks, as UTF-8. Tokens point into the splitter and live until the next call. Returns false if
  // segmenting needs a vocabulary and there is none.
  bool split(const char* text, std::size_t length, std::vector<Token>& tokens);

  // Returns a token as written or in lower case. The bytes are in the splitter or in scratch.
  Token spelled(const Token& token, bool lowered, std::string& scratch);

 private:
  void take_ascii(const char* text, std::size_t length);
  void take_characters(const char* text, std::size_t length);
  Token token_of(std::size_t begin, std::size_t end) const;
  void push_segments(std::size_t begin, std::size_t end, std::vector<Token>& tokens) const;
  std::size_t segment_end(std::size_t begin, std::size_t end) const;

  Splitting splitting_;
  const Vocabulary* vocabulary_;
  bool ascii_ = true;                 // the text is ASCII: each character is one byte
  bool unspaced_ = false;             // the text has letters of a script without spaces
  std::string plain_;                 // the text, followed by zeros
  std::string lowered_;               // lower case of an ASCII text; empty until needed
  std::vector<std::uint8_t> others_;  // of an ASCII text; see Bytes
  std::size_t characters_ = 0;
  // Per character of a text that is not ASCII; zeros follow the last one.
  std::vector<char32_t> codes_;
  std::vector<std::uint8_t> classes_;
  std::vector<std::uint32_t> starts_;  // offset of its first byte in plain_
};

}  // namespace fuzzbow
