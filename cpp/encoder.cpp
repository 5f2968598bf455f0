#include "encoder.hpp"

#include <unordered_map>

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 2048;  // texts per piece of work

// What one chunk of texts came to; unknown words are numbered within it.
struct Piece {
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> lengths;
  std::vector<std::string> unknown;
  std::vector<std::int64_t> left;
};

class PieceEncoder {
 public:
  PieceEncoder(const Vocabulary& vocabulary, Splitting splitting, bool lowercase)
      : vocabulary_(vocabulary), splitter_(splitting), lowercase_(lowercase) {}

  void encode(const TextView* texts, std::int64_t begin, std::int64_t end, Piece& piece) {
    numbers_.clear();
    for (std::int64_t text = begin; text < end; ++text) {
      const std::size_t before = piece.ids.size();
      if (!splitter_.split(texts[text].data, texts[text].length, tokens_)) piece.left.push_back(text);
      for (const Token& token : tokens_) piece.ids.push_back(id_of(token, piece));
      piece.lengths.push_back(static_cast<std::int64_t>(piece.ids.size() - before));
    }
  }

 private:
  std::uint32_t id_of(const Token& token, Piece& piece) {
    const Token first = splitter_.spelled(token, lowercase_, first_);
    std::int32_t id = vocabulary_.find(first.begin, first.length);
    if (id < 0) {
      const Token second = splitter_.spelled(token, !lowercase_, second_);
      id = vocabulary_.find(second.begin, second.length);
    }
    if (id >= 0) return static_cast<std::uint32_t>(id);
    const auto added =
        numbers_.emplace(std::string(first.begin, first.length), static_cast<std::uint32_t>(numbers_.size()));
    if (added.second) piece.unknown.push_back(added.first->first);
    return static_cast<std::uint32_t>(vocabulary_.size()) + added.first->second;
  }

  const Vocabulary& vocabulary_;
  Splitter splitter_;
  bool lowercase_;
  std::vector<Token> tokens_;
  std::string first_, second_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Pieces one after the other, their unknown words numbered through: the same whatever the number of threads.
Encoded merge(std::vector<Piece>& pieces, std::uint32_t known, std::size_t texts) {
  Encoded result;
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::size_t total = 0;
  for (const Piece& piece : pieces) total += piece.ids.size();
  result.ids.reserve(total);
  result.offsets.reserve(texts + 1);
  result.offsets.push_back(0);
  std::vector<std::uint32_t> renumbered;
  for (Piece& piece : pieces) {
    renumbered.clear();
    for (std::string& word : piece.unknown) {
      const auto added = numbers.emplace(word, static_cast<std::uint32_t>(numbers.size()));
      if (added.second) result.unknown.push_back(std::move(word));
      renumbered.push_back(known + added.first->second);
    }
    for (const std::uint32_t id : piece.ids) result.ids.push_back(id < known ? id : renumbered[id - known]);
    for (const std::int64_t length : piece.lengths) result.offsets.push_back(result.offsets.back() + length);
    result.left.insert(result.left.end(), piece.left.begin(), piece.left.end());
    piece = Piece();
  }
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
