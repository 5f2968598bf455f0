// A map from written words (chunks of text) to rows of a word table. Words are added when they first occur, so that
// later calls go from texts to scores inside the kernels.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/word_columns.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "text/encoder.hpp"
#include "text/splitter.hpp"
#include "text/vocabulary.hpp"
#include "text/word_numbers.hpp"
#include "words/rules.hpp"
#include "words/short_word_map.hpp"
#include "words/table.hpp"

namespace fuzzbow {

class Lexicon {
 public:
  static constexpr std::uint32_t kMissing = ShortWordMap::kMissing;
  // Entries from here on are groups of rows: chunks that consist of several words.
  static constexpr std::uint32_t kFirstGroup = 0x40000000u;

  // The table must outlive the lexicon, and its mutex guards both. Without a splitting, only texts that are already
  // split into words can be read.
  Lexicon(const Table& table, std::optional<Splitting> splitting) : table_(table), splitting_(splitting) {}

  // Sets the vocabulary by which text in scripts without spaces is segmented. It must outlive the lexicon.
  void segment_by(const Vocabulary& vocabulary) { vocabulary_ = &vocabulary; }
  const Vocabulary* vocabulary() const { return vocabulary_; }

  // Adds a chunk and the table rows of its words.
  void add(const TextView& chunk, const std::int64_t* rows, std::int64_t count);
  // Appends the corpus's word id of the next row, or kNoWord.
  void identify(std::uint32_t corpus_word) { identities_.push_back(corpus_word); }

  const Table& table() const { return table_; }
  std::optional<Splitting> splitting() const { return splitting_; }
  std::int64_t size() const { return long_words_.size() + static_cast<std::int64_t>(short_words_.size()); }
  // The corpus's word id by row; null if no corpus is known.
  const std::uint32_t* identities() const { return identities_.empty() ? nullptr : identities_.data(); }
  std::int64_t identified() const { return static_cast<std::int64_t>(identities_.size()); }
  // Returns the entry of a chunk: a row, a group of rows, kNoWord (the chunk has no words), or kMissing (not added
  // yet).
  std::uint32_t find(const char* word, std::size_t length) const {
    if (length <= ShortWord::kLongest) {
      const ShortWord found = ShortWord::of(word, length);
      return short_words_.find(found, found.hash());
    }
    const std::int32_t id = long_words_.find(word, length);
    return id < 0 ? kMissing : long_word_entries_[id];
  }
  // Appends the rows of an entry, which must not be kMissing.
  void append(std::uint32_t entry, std::vector<std::uint32_t>& rows) const {
    if (entry < kFirstGroup) return rows.push_back(entry);
    if (entry == kNoWord) return;
    const std::size_t group = entry - kFirstGroup;
    rows.insert(rows.end(), grouped_.begin() + group_offsets_[group], grouped_.begin() + group_offsets_[group + 1]);
  }
  const ShortWordMap& short_words() const { return short_words_; }
  // Cached similarities of the words to the corpus that they query.
  WordColumns& columns() const { return columns_; }
  std::size_t bytes() const {
    return short_words_.bytes() + long_words_.bytes() +
           (long_word_entries_.capacity() + identities_.capacity() + grouped_.capacity()) * 4 +
           group_offsets_.capacity() * 8;
  }

 private:
  const Table& table_;
  std::optional<Splitting> splitting_;
  const Vocabulary* vocabulary_ = nullptr;
  ShortWordMap short_words_;
  Vocabulary long_words_;
  std::vector<std::uint32_t> long_word_entries_;  // entries, by id in long_words_
  std::vector<std::uint32_t> identities_;
  std::vector<std::uint32_t> grouped_;  // rows of all groups
  std::vector<std::int64_t> group_offsets_{0};
  mutable WordColumns columns_;
};

// A text to be read: a string, or the chunks it was split into.
struct InputText {
  TextView text = {nullptr, 0};
  std::vector<TextView> words;
};

// Reads texts as rows of a lexicon's table. Reusable scratch, one per thread.
class LexiconReader {
 public:
  // Words that are not in the lexicon get temporary numbers from here on.
  static constexpr std::uint32_t kFirstMissing = 0x80000000u;
  static_assert(kFirstMissing < Lexicon::kMissing && kFirstMissing < kNoWord, "rows are below it, the others above");

  explicit LexiconReader(const Lexicon& lexicon)
      : lexicon_(lexicon), splitter_(lexicon.splitting().value_or(Splitting::kChunks), lexicon.vocabulary()) {}

  // Appends the rows of a text's words. Missing words are numbered in `missing`. Returns false if the text cannot be
  // split, or if a word is missing and `missing` is null.
  bool read(const InputText& text, WordNumbers* missing, std::vector<std::uint32_t>& rows) {
    return begin_lookup(text, missing) && finish_lookup(missing, rows);
  }
  // The two steps of `read`: begin_lookup splits the text and prefetches the slots of its words, finish_lookup reads
  // them. At most two texts may be pending, so that the slots of one are loaded while another is read.
  bool begin_lookup(const InputText& text, WordNumbers* missing);
  bool finish_lookup(WordNumbers* missing, std::vector<std::uint32_t>& rows);

 private:
  struct PendingLookup {
    ShortWord word;  // of length 0 if the entry is already known
    std::uint64_t hash;
    std::uint32_t entry;
  };
  struct PendingText {
    std::vector<PendingLookup> words;  // may be longer than count; slots are overwritten
    std::size_t count = 0;
    PendingLookup* reserve(std::size_t most) {
      if (words.size() < most) words.resize(most);
      return words.data();
    }
  };
  bool look_up_long_word(const char* word, std::size_t length, WordNumbers* missing, PendingLookup& lookup) const;

  const Lexicon& lexicon_;
  Splitter splitter_;
  std::vector<Token> tokens_;
  PendingText pending_[2];  // in order: the text to finish next, then the one after it
  int pending_count_ = 0;   // number of pending texts
};

// Texts as rows of a lexicon's table.
struct ReadTexts {
  std::vector<std::uint32_t> rows;  // rows, or kFirstMissing + index into `missing`
  std::vector<std::int64_t> offsets{0};
  std::vector<std::string> missing;  // distinct words that must be added before texts are scored
  Ragged ragged() const {
    return {rows.data(), offsets.data(), nullptr, static_cast<std::int64_t>(offsets.size()) - 1};
  }
};

// Reads texts in parallel. Returns false if a text cannot be split: there is no splitting, or it needs a vocabulary and
// there is none.
bool read_texts(const Lexicon& lexicon, const std::vector<InputText>& texts, Execution& execution, ReadTexts& read);

// Replaces the numbers of missing words by the rows that were added since. Returns false if a word is still missing.
bool settle(const Lexicon& lexicon, ReadTexts& read);

}  // namespace fuzzbow
