#include "text/encoder.hpp"

#include <utility>

#include "text/word_numbers.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 2048;  // texts per task

// Result for one chunk of texts. Unknown words are numbered within it.
struct Piece {
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> lengths;
  std::vector<std::string> unknown;
};

class PieceEncoder {
 public:
  PieceEncoder(const Vocabulary& vocabulary, Splitting splitting, bool lowercase)
      : vocabulary_(vocabulary), splitter_(splitting, &vocabulary), lowercase_(lowercase) {}

  void encode(const TextView* texts, std::int64_t begin, std::int64_t end, Piece& piece) {
    for (std::int64_t text = begin; text < end; ++text) {
      const std::size_t before = piece.ids.size();
      splitter_.split(texts[text].data, texts[text].length, tokens_);
      for (const Token& token : tokens_) piece.ids.push_back(id_of(token));
      piece.lengths.push_back(static_cast<std::int64_t>(piece.ids.size() - before));
    }
    piece.unknown = std::move(numbers_.words());
  }

 private:
  std::uint32_t id_of(const Token& token) {
    const Token first = splitter_.spelled(token, lowercase_, first_);
    std::int32_t id = vocabulary_.find(first.begin, first.length);
    if (id < 0) {
      const Token second = splitter_.spelled(token, !lowercase_, second_);
      if (second.length != first.length || !equal(second.begin, first.begin, first.length))
        id = vocabulary_.find(second.begin, second.length);
    }
    if (id >= 0) return static_cast<std::uint32_t>(id);
    const std::uint32_t number = numbers_.number_of(token.begin, token.length, hash_of(token.begin, token.length));
    return static_cast<std::uint32_t>(vocabulary_.size()) + number;
  }

  const Vocabulary& vocabulary_;
  Splitter splitter_;
  bool lowercase_;
  std::vector<Token> tokens_;
  std::string first_, second_;
  WordNumbers numbers_;
};

// Concatenates pieces and renumbers their unknown words in order, so that the result does not depend on the number of
// threads.
Encoded merge(std::vector<Piece>& pieces, std::uint32_t known, std::size_t texts) {
  Encoded result;
  WordNumbers numbers;
  std::size_t total = 0;
  for (const Piece& piece : pieces) total += piece.ids.size();
  result.ids.reserve(total);
  result.offsets.reserve(texts + 1);
  result.offsets.push_back(0);
  std::vector<std::uint32_t> renumbered;
  for (Piece& piece : pieces) {
    renumbered.clear();
    for (const std::string& word : piece.unknown)
      renumbered.push_back(known + numbers.number_of(word.data(), word.size(), hash_of(word.data(), word.size())));
    for (const std::uint32_t id : piece.ids) result.ids.push_back(id < known ? id : renumbered[id - known]);
    for (const std::int64_t length : piece.lengths) result.offsets.push_back(result.offsets.back() + length);
    piece = Piece();
  }
  result.unknown = std::move(numbers.words());
  return result;
}

}  // namespace

Encoded encode(const Vocabulary& vocabulary, const std::vector<TextView>& texts, Splitting splitting, bool lowercase,
               Execution& execution) {
  const std::int64_t count = static_cast<std::int64_t>(texts.size());
  std::vector<Piece> pieces(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
  execution.for_chunks(count, kChunk, [&](int, std::int64_t begin, std::int64_t end) {
    PieceEncoder(vocabulary, splitting, lowercase).encode(texts.data(), begin, end, pieces[begin / kChunk]);
  });
  return merge(pieces, static_cast<std::uint32_t>(vocabulary.size()), texts.size());
}

}  // namespace fuzzbow
