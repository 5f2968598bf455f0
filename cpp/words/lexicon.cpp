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
  for (const ReadTexts& piece : pieces) total += piece.rows.size();
  read.rows.reserve(total);
  read.offsets.reserve(texts + 1);
  WordNumbers numbers;
  std::vector<std::uint32_t> renumbered;
  for (ReadTexts& piece : pieces) {
    renumbered.clear();
    for (const std::string& word : piece.missing)
      renumbered.push_back(LexiconReader::kFirstMissing +
                           numbers.number_of(word.data(), word.size(), hash_of(word.data(), word.size())));
    for (std::uint32_t& row : piece.rows)
      if (row >= LexiconReader::kFirstMissing) row = renumbered[row - LexiconReader::kFirstMissing];
    const std::int64_t before = read.offsets.back();
    read.rows.insert(read.rows.end(), piece.rows.begin(), piece.rows.end());
    for (std::size_t i = 1; i < piece.offsets.size(); ++i) read.offsets.push_back(before + piece.offsets[i]);
    piece = ReadTexts();
  }
  read.missing = std::move(numbers.words());
}

}  // namespace

void Lexicon::add(const TextView& chunk, const std::int64_t* rows, std::int64_t count) {
  if (chunk.length == 0 || find(chunk.data, chunk.length) != kMissing) return;
  std::uint32_t entry = kNoWord;
  if (count == 1) {
    entry = static_cast<std::uint32_t>(rows[0]);
  } else if (count > 1) {
    entry = kFirstGroup + static_cast<std::uint32_t>(group_offsets_.size() - 1);
    for (std::int64_t i = 0; i < count; ++i) grouped_.push_back(static_cast<std::uint32_t>(rows[i]));
    group_offsets_.push_back(static_cast<std::int64_t>(grouped_.size()));
  }
  if (chunk.length <= ShortWord::kLongest) return short_words_.add(ShortWord::of(chunk.data, chunk.length), entry);
  long_words_.add(chunk.data, chunk.length);
  long_word_entries_.push_back(entry);
}

bool LexiconReader::look_up_long_word(const char* word, std::size_t length, WordNumbers* missing,
                                      PendingLookup& lookup) const {
  lookup.word.length = 0;
  lookup.entry = lexicon_.find(word, length);
  if (lookup.entry != Lexicon::kMissing) return true;
  if (missing) lookup.entry = kFirstMissing + missing->number_of(word, length, hash_of(word, length));
  return missing;
}

bool LexiconReader::begin_lookup(const InputText& text, WordNumbers* missing) {
  PendingText& pending = pending_[pending_count_];
  PendingLookup* next = nullptr;
  const auto prefetch_word = [&](const char* word, std::size_t length, bool padded) {
    if (length > ShortWord::kLongest) return look_up_long_word(word, length, missing, *next++);
    next->word = padded ? ShortWord::of_padded(word, length) : ShortWord::of(word, length);
    next->hash = next->word.hash();
    lexicon_.short_words().prefetch(next->hash);
    ++next;
    return true;
  };
  if (text.text.data) {
    if (!lexicon_.splitting() || !splitter_.split(text.text.data, text.text.length, tokens_)) return false;
    next = pending.reserve(tokens_.size());
    for (const Token& token : tokens_)
      if (!prefetch_word(token.begin, token.length, true)) return false;
  } else {
    next = pending.reserve(text.words.size());
    for (const TextView& word : text.words)
      if (word.length > 0 && !prefetch_word(word.data, word.length, false)) return false;
  }
  pending.count = static_cast<std::size_t>(next - pending.words.data());
  ++pending_count_;
  return true;
}

bool LexiconReader::finish_lookup(WordNumbers* missing, std::vector<std::uint32_t>& rows) {
  for (std::size_t i = 0; i < pending_[0].count; ++i) {
    const PendingLookup& lookup = pending_[0].words[i];
    std::uint32_t entry = lookup.entry;
    if (lookup.word.length > 0) entry = lexicon_.short_words().find(lookup.word, lookup.hash);
    if (entry == Lexicon::kMissing) {
      if (!missing) return false;
      char word[ShortWord::kLongest];
      lookup.word.write(word);
      entry = kFirstMissing + missing->number_of(word, lookup.word.length, hash_of(word, lookup.word.length));
    }
    if (entry >= kFirstMissing && entry != kNoWord)
      rows.push_back(entry);
    else
      lexicon_.append(entry, rows);
  }
  std::swap(pending_[0], pending_[1]);
  --pending_count_;
  return true;
}

bool read_texts(const Lexicon& lexicon, const std::vector<InputText>& texts, Execution& execution, ReadTexts& read) {
  const std::int64_t count = static_cast<std::int64_t>(texts.size());
  std::vector<ReadTexts> pieces(static_cast<std::size_t>((count + kChunk - 1) / kChunk));
  std::atomic<bool> complete{true};
  execution.for_chunks(count, kChunk, [&](int, std::int64_t begin, std::int64_t end) {
    LexiconReader reader(lexicon);
    WordNumbers missing;
    ReadTexts& piece = pieces[begin / kChunk];
    const auto begin_lookup = [&](std::int64_t text) {
      if (text + kAhead < end) FUZZBOW_PREFETCH(texts[text + kAhead].text.data);
      if (text < end && !reader.begin_lookup(texts[text], &missing)) complete = false;
    };
    begin_lookup(begin);
    for (std::int64_t text = begin; text < end && complete; ++text) {
      begin_lookup(text + 1);
      if (complete) reader.finish_lookup(&missing, piece.rows);
      piece.offsets.push_back(static_cast<std::int64_t>(piece.rows.size()));
    }
    piece.missing = std::move(missing.words());
  });
  if (!complete) return false;
  if (pieces.size() == 1)
    read = std::move(pieces[0]);
  else
    merge(pieces, texts.size(), read);
  return true;
}

bool settle(const Lexicon& lexicon, ReadTexts& read) {
  std::vector<std::uint32_t> entries;
  for (const std::string& word : read.missing) {
    entries.push_back(lexicon.find(word.data(), word.size()));
    if (entries.back() == Lexicon::kMissing) return false;
  }
  std::vector<std::uint32_t> settled;
  settled.reserve(read.rows.size());
  std::size_t next = 0;
  for (std::size_t text = 1; text < read.offsets.size(); ++text) {
    for (; next < static_cast<std::size_t>(read.offsets[text]); ++next) {
      const std::uint32_t row = read.rows[next];
      if (row >= LexiconReader::kFirstMissing)
        lexicon.append(entries[row - LexiconReader::kFirstMissing], settled);
      else
        settled.push_back(row);
    }
    read.offsets[text] = static_cast<std::int64_t>(settled.size());
  }
  read.rows = std::move(settled);
  read.missing.clear();
  return true;
}

}  // namespace fuzzbow
