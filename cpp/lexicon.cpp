#include "lexicon.hpp"

#include <atomic>
#include <unordered_set>

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 2048;  // texts per piece of work

}  // namespace

void Lexicon::add(const TextView& word, std::uint32_t place) {
  if (words_.find(word.data, word.length) >= 0) return;
  words_.add(word.data, word.length);
  places_.push_back(place);
}

template <class Visit>
bool LexiconReader::each_word(const GivenText& text, Visit visit) {
  if (!text.text.data) {
    for (const TextView& word : text.words)
      if (word.length > 0 && !visit(word.data, word.length)) return false;
    return true;
  }
  if (!lexicon_.splitting() || !splitter_.split(text.text.data, text.text.length, tokens_)) return false;
  for (const Token& token : tokens_) {
    const Token word = splitter_.spelled(token, false, spelled_);
    if (!visit(word.begin, word.length)) return false;
  }
  return true;
}

bool LexiconReader::read(const GivenText& text, std::vector<std::uint32_t>& places) {
  return each_word(text, [&](const char* word, std::size_t length) {
    const std::uint32_t place = lexicon_.place(word, length);
    if (place == Lexicon::kUnmet) return false;
    if (place != kNobody) places.push_back(place);
    return true;
  });
}

bool LexiconReader::find_unmet(const GivenText& text, std::vector<std::string>& words) {
  return each_word(text, [&](const char* word, std::size_t length) {
    if (lexicon_.place(word, length) == Lexicon::kUnmet) words.emplace_back(word, length);
    return true;
  });
}

bool read_texts(const Lexicon& lexicon, const std::vector<GivenText>& texts, Execution& execution, ReadTexts& read) {
  const std::int64_t count = static_cast<std::int64_t>(texts.size());
  std::vector<ReadTexts> pieces(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
  std::atomic<bool> complete{true};
  execution.for_chunks(count, kChunk, [&](int, std::int64_t begin, std::int64_t end) {
    LexiconReader reader(lexicon);
    ReadTexts& piece = pieces[begin / kChunk];
    for (std::int64_t text = begin; text < end && complete; ++text) {
      if (!reader.read(texts[text], piece.places)) complete = false;
      piece.offsets.push_back(static_cast<std::int64_t>(piece.places.size()));
    }
  });
  if (!complete) return false;
  if (pieces.size() == 1) {
    read = std::move(pieces[0]);
    return true;
  }
  std::size_t total = 0;
  for (const ReadTexts& piece : pieces) total += piece.places.size();
  read.places.reserve(total);
  read.offsets.reserve(texts.size() + 1);
  for (ReadTexts& piece : pieces) {
    const std::int64_t before = read.offsets.back();
    read.places.insert(read.places.end(), piece.places.begin(), piece.places.end());
    for (std::size_t i = 1; i < piece.offsets.size(); ++i) read.offsets.push_back(before + piece.offsets[i]);
    piece = ReadTexts();
  }
  return true;
}

Obstacles find_obstacles(const Lexicon& lexicon, const std::vector<GivenText>& texts) {
  Obstacles found;
  LexiconReader reader(lexicon);
  std::unordered_set<std::string> seen;
  std::vector<std::string> words;
  for (std::size_t text = 0; text < texts.size(); ++text) {
    words.clear();
    if (!reader.find_unmet(texts[text], words)) found.unsplit.push_back(static_cast<std::int64_t>(text));
    for (std::string& word : words)
      if (seen.insert(word).second) found.unmet.push_back(std::move(word));
  }
  return found;
}

}  // namespace fuzzbow
