#include "lexicon.hpp"

#include <algorithm>
#include <atomic>

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 2048;  // texts per piece of work

// Pieces one after the other, their unmet words numbered through: the same whatever the number of threads.
void merge(std::vector<ReadTexts>& pieces, std::size_t texts, ReadTexts& read) {
  std::size_t total = 0;
  for (const ReadTexts& piece : pieces) total += piece.places.size();
  read.places.reserve(total);
  read.offsets.reserve(texts + 1);
  WordNumbers numbers;
  std::vector<std::uint32_t> renumbered;
  for (ReadTexts& piece : pieces) {
    renumbered.clear();
    for (const std::string& word : piece.unmet)
      renumbered.push_back(LexiconReader::kFirstUnmet +
                           numbers.number_of(word.data(), word.size(), hash_of(word.data(), word.size())));
    for (std::uint32_t& place : piece.places)
      if (place >= LexiconReader::kFirstUnmet) place = renumbered[place - LexiconReader::kFirstUnmet];
    const std::int64_t before = read.offsets.back();
    read.places.insert(read.places.end(), piece.places.begin(), piece.places.end());
    for (std::size_t i = 1; i < piece.offsets.size(); ++i) read.offsets.push_back(before + piece.offsets[i]);
    piece = ReadTexts();
  }
  read.unmet = std::move(numbers.words());
}

}  // namespace

void Lexicon::add(const TextView& word, std::uint32_t place) {
  if (word.length == 0 || this->place(word.data, word.length) != kUnmet) return;
  if (word.length <= ShortWord::kLongest) return short_words_.add(ShortWord::of(word.data, word.length), place);
  long_words_.add(word.data, word.length);
  places_.push_back(place);
}

bool LexiconReader::push(const char* word, std::size_t length, std::uint32_t place, WordNumbers* unmet,
                         std::vector<std::uint32_t>& places) {
  if (place < kFirstUnmet) {
    places.push_back(place);
  } else if (place == Lexicon::kUnmet) {
    if (!unmet) return false;
    places.push_back(kFirstUnmet + unmet->number_of(word, length, hash_of(word, length)));
  }
  return true;
}

bool LexiconReader::read(const GivenText& text, WordNumbers* unmet, std::vector<std::uint32_t>& places) {
  if (!text.text.data) {
    for (const TextView& word : text.words)
      if (word.length > 0 && !push(word.data, word.length, lexicon_.place(word.data, word.length), unmet, places))
        return false;
    return true;
  }
  if (!lexicon_.splitting() || !splitter_.split(text.text.data, text.text.length, tokens_)) return false;
  // All slots are asked for before the first is looked at.
  const WordPlaces& words = lexicon_.short_words();
  if (sought_.size() < tokens_.size()) sought_.resize(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    Sought& sought = sought_[i];
    sought.word = ShortWord::of_padded(tokens_[i].begin, std::min(tokens_[i].length, ShortWord::kLongest));
    sought.hash = sought.word.hash();
    words.expect(sought.hash);
  }
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    const std::uint32_t place = token.length <= ShortWord::kLongest ? words.find(sought_[i].word, sought_[i].hash)
                                                                    : lexicon_.place(token.begin, token.length);
    if (!push(token.begin, token.length, place, unmet, places)) return false;
  }
  return true;
}

bool read_texts(const Lexicon& lexicon, const std::vector<GivenText>& texts, Execution& execution, ReadTexts& read) {
  const std::int64_t count = static_cast<std::int64_t>(texts.size());
  std::vector<ReadTexts> pieces(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
  std::atomic<bool> complete{true};
  execution.for_chunks(count, kChunk, [&](int, std::int64_t begin, std::int64_t end) {
    LexiconReader reader(lexicon);
    WordNumbers unmet;
    ReadTexts& piece = pieces[begin / kChunk];
    for (std::int64_t text = begin; text < end && complete; ++text) {
      if (!reader.read(texts[text], &unmet, piece.places)) complete = false;
      piece.offsets.push_back(static_cast<std::int64_t>(piece.places.size()));
    }
    piece.unmet = std::move(unmet.words());
  });
  if (!complete) return false;
  if (pieces.size() == 1)
    read = std::move(pieces[0]);
  else
    merge(pieces, texts.size(), read);
  return true;
}

bool settle(const Lexicon& lexicon, ReadTexts& read) {
  std::vector<std::uint32_t> places;
  for (const std::string& word : read.unmet) {
    places.push_back(lexicon.place(word.data(), word.size()));
    if (places.back() == Lexicon::kUnmet) return false;
  }
  std::size_t kept = 0, next = 0;
  for (std::size_t text = 1; text < read.offsets.size(); ++text) {
    for (; next < static_cast<std::size_t>(read.offsets[text]); ++next) {
      std::uint32_t place = read.places[next];
      if (place >= LexiconReader::kFirstUnmet) place = places[place - LexiconReader::kFirstUnmet];
      if (place != kNobody) read.places[kept++] = place;
    }
    read.offsets[text] = static_cast<std::int64_t>(kept);
  }
  read.places.resize(kept);
  read.unmet.clear();
  return true;
}

}  // namespace fuzzbow
