// Texts to chunks by the rules of fuzzbow.text.chunks, in every script. What words a chunk holds is decided in Python,
// once for each distinct chunk.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzzbow {

class Vocabulary;

enum class Splitting {
  kChunks,       // chunks as fuzzbow.text.chunks defines them, cut where scripts have no spaces
  kUnsegmented,  // the same, but runs of letters of scripts without spaces stay whole
  kWhitespace
};

struct Token {
  Token(const char* first, std::size_t count) : begin(first), length(count) {}
  const char* begin;
  std::size_t length;
};

// Scratch for one text after another.
class Splitter {
 public:
  static constexpr std::size_t kPadding = 16;  // so many bytes from the begin of a token on can be read

  // Chunks of scripts without spaces are cut at words that are looked for in the vocabulary.
  explicit Splitter(Splitting splitting, const Vocabulary* vocabulary = nullptr)
      : splitting_(splitting), vocabulary_(vocabulary) {}

  // The chunks of a text, as UTF-8. Tokens point into the splitter and live until the next call. False where it takes a
  // vocabulary to tell words apart, and there is none.
  bool split(const char* text, std::size_t length, std::vector<Token>& tokens);

  // A token as it stands, or in lower case, which is made in scratch or stands in the splitter.
  Token spelled(const Token& token, bool lowered, std::string& scratch);

 private:
  void take_ascii(const char* text, std::size_t length);
  void take_characters(const char* text, std::size_t length);
  Token token_of(std::size_t begin, std::size_t end) const;
  void push_segments(std::size_t begin, std::size_t end, std::vector<Token>& tokens) const;
  std::size_t segment_end(std::size_t begin, std::size_t end) const;

  Splitting splitting_;
  const Vocabulary* vocabulary_;
  bool ascii_ = true;                 // the text is, so that a character is a byte
  bool unspaced_ = false;             // it has letters of a script without spaces
  std::string plain_;                 // the text, and zeros behind it
  std::string lowered_;               // of ASCII only, and empty until somebody asks
  std::vector<std::uint8_t> others_;  // of ASCII only: see Bytes
  std::size_t characters_ = 0;
  // Of each character, where the text is not ASCII; zeros stand behind the last one.
  std::vector<char32_t> codes_;
  std::vector<std::uint8_t> classes_;
  std::vector<std::uint32_t> starts_;  // its first byte in plain_
};

}  // namespace fuzzbow
