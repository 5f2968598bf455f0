// Words as they are written, and where each is in a table. They are added when they are first met, so that later calls
// go from texts to scores without anything between.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "encoder.hpp"
#include "parallel.hpp"
#include "ragged.hpp"
#include "rules.hpp"
#include "search/word_columns.hpp"
#include "splitter.hpp"
#include "table.hpp"
#include "vocabulary.hpp"

namespace fuzzbow {

class Lexicon {
 public:
  static constexpr std::uint32_t kUnmet = kNobody - 1;

  // The table must outlive it; its mutex guards both. Without a splitting, texts come as words only.
  Lexicon(const Table& table, std::optional<Splitting> splitting) : table_(table), splitting_(splitting) {}

  // A word, and its row in the table; kNobody: it is left out of texts.
  void add(const TextView& word, std::uint32_t place);
  // Which word of a corpus's table the next row is, or kNobody.
  void identify(std::uint32_t corpus_word) { identities_.push_back(corpus_word); }

  const Table& table() const { return table_; }
  std::optional<Splitting> splitting() const { return splitting_; }
  std::int64_t size() const { return words_.size(); }
  // By row; null where no corpus is known.
  const std::uint32_t* identities() const { return identities_.empty() ? nullptr : identities_.data(); }
  std::int64_t identified() const { return static_cast<std::int64_t>(identities_.size()); }
  // The row of a word, kNobody or kUnmet.
  std::uint32_t place(const char* word, std::size_t length) const {
    const std::int32_t id = words_.find(word, length);
    return id < 0 ? kUnmet : places_[id];
  }
  // What its words are to the corpus that they are queries of.
  WordColumns& columns() const { return columns_; }
  std::size_t bytes() const { return words_.bytes() + (places_.capacity() + identities_.capacity()) * 4; }

 private:
  const Table& table_;
  std::optional<Splitting> splitting_;
  Vocabulary words_;
  std::vector<std::uint32_t> places_;  // by id in words_
  std::vector<std::uint32_t> identities_;
  mutable WordColumns columns_;
};

// A text, or the words that somebody else has split it into.
struct GivenText {
  TextView text = {nullptr, 0};
  std::vector<TextView> words;
};

// Scratch for one text after another.
class LexiconReader {
 public:
  explicit LexiconReader(const Lexicon& lexicon)
      : lexicon_(lexicon), splitter_(lexicon.splitting().value_or(Splitting::kWords)) {}

  // Appends the rows of a text's words. False where a word was not met yet, or where the text cannot be split here.
  bool read(const GivenText& text, std::vector<std::uint32_t>& places);
  // Appends the words of a text that were not met. False where the text cannot be split here.
  bool find_unmet(const GivenText& text, std::vector<std::string>& words);

 private:
  // visit(word, length) until it says no. False where it did, or where the text cannot be split here.
  template <class Visit>
  bool each_word(const GivenText& text, Visit visit);

  const Lexicon& lexicon_;
  Splitter splitter_;
  std::vector<Token> tokens_;
  std::string spelled_;
};

// Texts as rows of the lexicon's table.
struct ReadTexts {
  std::vector<std::uint32_t> places;
  std::vector<std::int64_t> offsets{0};
  Ragged ragged() const {
    return {places.data(), offsets.data(), nullptr, static_cast<std::int64_t>(offsets.size()) - 1};
  }
};

// False where a text has words that were not met, or cannot be split here.
bool read_texts(const Lexicon& lexicon, const std::vector<GivenText>& texts, Execution& execution, ReadTexts& read);

// What keeps texts from being read: words that were not met, each once, and texts that cannot be split here.
struct Obstacles {
  std::vector<std::string> unmet;
  std::vector<std::int64_t> unsplit;
};
Obstacles find_obstacles(const Lexicon& lexicon, const std::vector<GivenText>& texts);

}  // namespace fuzzbow
