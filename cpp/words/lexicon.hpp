// Words as they are written, and where each is in a table. They are added when they are first met, so that later calls
// go from texts to scores without anything between.
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
  static constexpr std::uint32_t kUnmet = WordPlaces::kMissing;
  // From here on places are groups of rows, of chunks that hold several words.
  static constexpr std::uint32_t kFirstGroup = 0x40000000u;

  // The table must outlive it; its mutex guards both. Without a splitting, texts come as words only.
  Lexicon(const Table& table, std::optional<Splitting> splitting) : table_(table), splitting_(splitting) {}

  // Words of scripts without spaces are looked for in it from now on; it must outlive the lexicon.
  void segment_by(const Vocabulary& vocabulary) { vocabulary_ = &vocabulary; }
  const Vocabulary* vocabulary() const { return vocabulary_; }

  // A chunk, and the rows of its words in the table.
  void add(const TextView& chunk, const std::int64_t* rows, std::int64_t count);
  // Which word of a corpus's table the next row is, or kNobody.
  void identify(std::uint32_t corpus_word) { identities_.push_back(corpus_word); }

  const Table& table() const { return table_; }
  std::optional<Splitting> splitting() const { return splitting_; }
  std::int64_t size() const { return long_words_.size() + static_cast<std::int64_t>(short_words_.size()); }
  // By row; null where no corpus is known.
  const std::uint32_t* identities() const { return identities_.empty() ? nullptr : identities_.data(); }
  std::int64_t identified() const { return static_cast<std::int64_t>(identities_.size()); }
  // The row of a chunk, a group, kNobody or kUnmet.
  std::uint32_t place(const char* word, std::size_t length) const {
    if (length <= ShortWord::kLongest) {
      const ShortWord found = ShortWord::of(word, length);
      return short_words_.find(found, found.hash());
    }
    const std::int32_t id = long_words_.find(word, length);
    return id < 0 ? kUnmet : places_[id];
  }
  // Appends the rows of a place that is not kUnmet.
  void append(std::uint32_t place, std::vector<std::uint32_t>& rows) const {
    if (place < kFirstGroup) return rows.push_back(place);
    if (place == kNobody) return;
    const std::size_t group = place - kFirstGroup;
    rows.insert(rows.end(), grouped_.begin() + group_offsets_[group], grouped_.begin() + group_offsets_[group + 1]);
  }
  const WordPlaces& short_words() const { return short_words_; }
  // What its words are to the corpus that they are queries of.
  WordColumns& columns() const { return columns_; }
  std::size_t bytes() const {
    return short_words_.bytes() + long_words_.bytes() +
           (places_.capacity() + identities_.capacity() + grouped_.capacity()) * 4 + group_offsets_.capacity() * 8;
  }

 private:
  const Table& table_;
  std::optional<Splitting> splitting_;
  const Vocabulary* vocabulary_ = nullptr;
  WordPlaces short_words_;
  Vocabulary long_words_;
  std::vector<std::uint32_t> places_;  // by id in long_words_
  std::vector<std::uint32_t> identities_;
  std::vector<std::uint32_t> grouped_;  // rows of groups
  std::vector<std::int64_t> group_offsets_{0};
  mutable WordColumns columns_;
};

// A text, or its chunks.
struct GivenText {
  TextView text = {nullptr, 0};
  std::vector<TextView> words;
};

// Scratch for one text after another.
class LexiconReader {
 public:
  // Words that were not met get numbers from here on, until somebody has added them.
  static constexpr std::uint32_t kFirstUnmet = 0x80000000u;
  static_assert(kFirstUnmet < Lexicon::kUnmet && kFirstUnmet < kNobody, "rows are below it, the others above");

  explicit LexiconReader(const Lexicon& lexicon)
      : lexicon_(lexicon), splitter_(lexicon.splitting().value_or(Splitting::kChunks), lexicon.vocabulary()) {}

  // Appends the rows of a text's words. False where the text cannot be split here, or where a word was not met and
  // `unmet` is null, which would have numbered it.
  bool read(const GivenText& text, WordNumbers* unmet, std::vector<std::uint32_t>& places) {
    return seek(text, unmet) && find(unmet, places);
  }
  // The same in two steps, the first of which asks the cache for what the second looks at. The next text may be sought
  // before one is found.
  bool seek(const GivenText& text, WordNumbers* unmet);
  bool find(WordNumbers* unmet, std::vector<std::uint32_t>& places);

 private:
  struct Sought {
    ShortWord word;  // of no length where the place is known already
    std::uint64_t hash;
    std::uint32_t place;
  };
  struct SoughtText {
    std::vector<Sought> words;  // and room for more, as each is written in its place
    std::size_t count = 0;
    Sought* start(std::size_t most) {
      if (words.size() < most) words.resize(most);
      return words.data();
    }
  };
  bool seek_long_word(const char* word, std::size_t length, WordNumbers* unmet, Sought& sought) const;

  const Lexicon& lexicon_;
  Splitter splitter_;
  std::vector<Token> tokens_;
  SoughtText sought_[2];  // the text to be found next, and the one after it
  int texts_ = 0;         // so many of them
};

// Texts as rows of the lexicon's table.
struct ReadTexts {
  std::vector<std::uint32_t> places;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::string> unmet;  // words whose places are numbers from kFirstUnmet on
  Ragged ragged() const {
    return {places.data(), offsets.data(), nullptr, static_cast<std::int64_t>(offsets.size()) - 1};
  }
};

// False where a text cannot be split here: it takes a splitting, or a vocabulary for scripts without spaces.
bool read_texts(const Lexicon& lexicon, const std::vector<GivenText>& texts, Execution& execution, ReadTexts& read);

// Puts the rows of words that were added meanwhile where they were missing. False where one still is not there.
bool settle(const Lexicon& lexicon, ReadTexts& read);

}  // namespace fuzzbow
