#include "words/lexicon.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "simd/compiler.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 2048;  // texts per task
constexpr std::int64_t kAhead = 4;     // texts between the prefetch of a text and its use

// Concatenates pieces and renumbers their missing words in order, so that the result does not depend on the number of
// threads.
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

void Lexicon::add(const TextView& chunk, const std::int64_t* rows, std::int64_t count) {
  if (chunk.length == 0 || place(chunk.data, chunk.length) != kUnmet) return;
  std::uint32_t found = kNobody;
  if (count == 1) {
    found = static_cast<std::uint32_t>(rows[0]);
  } else if (count > 1) {
    found = kFirstGroup + static_cast<std::uint32_t>(group_offsets_.size() - 1);
    for (std::int64_t i = 0; i < count; ++i) grouped_.push_back(static_cast<std::uint32_t>(rows[i]));
    group_offsets_.push_back(static_cast<std::int64_t>(grouped_.size()));
  }
  if (chunk.length <= ShortWord::kLongest) return short_words_.add(ShortWord::of(chunk.data, chunk.length), found);
  long_words_.add(chunk.data, chunk.length);
  places_.push_back(found);
}

bool LexiconReader::seek_long_word(const char* word, std::size_t length, WordNumbers* unmet, Sought& sought) const {
  sought.word.length = 0;
  sought.place = lexicon_.place(word, length);
  if (sought.place != Lexicon::kUnmet) return true;
  if (unmet) sought.place = kFirstUnmet + unmet->number_of(word, length, hash_of(word, length));
  return unmet;
}

bool LexiconReader::seek(const GivenText& text, WordNumbers* unmet) {
  SoughtText& sought = sought_[texts_];
  Sought* next = nullptr;
  const auto seek_word = [&](const char* word, std::size_t length, bool padded) {
    if (length > ShortWord::kLongest) return seek_long_word(word, length, unmet, *next++);
    next->word = padded ? ShortWord::of_padded(word, length) : ShortWord::of(word, length);
    next->hash = next->word.hash();
    lexicon_.short_words().expect(next->hash);
    ++next;
    return true;
  };
  if (text.text.data) {
    if (!lexicon_.splitting() || !splitter_.split(text.text.data, text.text.length, tokens_)) return false;
    next = sought.start(tokens_.size());
    for (const Token& token : tokens_)
      if (!seek_word(token.begin, token.length, true)) return false;
  } else {
    next = sought.start(text.words.size());
    for (const TextView& word : text.words)
      if (word.length > 0 && !seek_word(word.data, word.length, false)) return false;
  }
  sought.count = static_cast<std::size_t>(next - sought.words.data());
  ++texts_;
  return true;
}

bool LexiconReader::find(WordNumbers* unmet, std::vector<std::uint32_t>& places) {
  for (std::size_t i = 0; i < sought_[0].count; ++i) {
    const Sought& sought = sought_[0].words[i];
    std::uint32_t place = sought.place;
    if (sought.word.length > 0) place = lexicon_.short_words().find(sought.word, sought.hash);
    if (place == Lexicon::kUnmet) {
      if (!unmet) return false;
      char word[ShortWord::kLongest];
      sought.word.write(word);
      place = kFirstUnmet + unmet->number_of(word, sought.word.length, hash_of(word, sought.word.length));
    }
    if (place >= kFirstUnmet && place != kNobody)
      places.push_back(place);
    else
      lexicon_.append(place, places);
  }
  std::swap(sought_[0], sought_[1]);
  --texts_;
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
    const auto seek = [&](std::int64_t text) {
      if (text + kAhead < end) FUZZBOW_PREFETCH(texts[text + kAhead].text.data);
      if (text < end && !reader.seek(texts[text], &unmet)) complete = false;
    };
    seek(begin);
    for (std::int64_t text = begin; text < end && complete; ++text) {
      seek(text + 1);
      if (complete) reader.find(&unmet, piece.places);
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
  std::vector<std::uint32_t> settled;
  settled.reserve(read.places.size());
  std::size_t next = 0;
  for (std::size_t text = 1; text < read.offsets.size(); ++text) {
    for (; next < static_cast<std::size_t>(read.offsets[text]); ++next) {
      const std::uint32_t place = read.places[next];
      if (place >= LexiconReader::kFirstUnmet)
        lexicon.append(places[place - LexiconReader::kFirstUnmet], settled);
      else
        settled.push_back(place);
    }
    read.offsets[text] = static_cast<std::int64_t>(settled.size());
  }
  read.places = std::move(settled);
  read.unmet.clear();
  return true;
}

}  // namespace fuzzbow
