// Words that a lexicon meets for the first time: chunks that are certainly one word become rows without Python.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/word_numbers.hpp"
#include "words/lexicon.hpp"
#include "words/word_source.hpp"

namespace fuzzbow {

// Rules of the chunks whose words are certain without Python: letters, numbers, words joined by hyphens, and words with
// a clitic. They are a part of fuzzbow.text.forms, which decides all others.
struct ChunkRules {
  bool certain = true;    // false: the words of no chunk are
  bool whole = false;     // every chunk is a word
  Vocabulary changed;     // chunks that have another form, in lower case
  Vocabulary prefixes;    // words of four letters or more that are one word with the one after a hyphen, in lower case
  Vocabulary clitics;     // endings that are words, such as 's, in lower case
  Vocabulary contrasted;  // words of letters that are like nothing but themselves, in lower case
};

// A word of a chunk, in the case of the vocabulary and in the other one, with the traits of each.
struct WrittenWord {
  std::string first, second;
  std::uint8_t first_traits = 0, second_traits = 0;
};

class WordLearner {
 public:
  // Done; the cache is full; a vector is damaged; or it does not fit the scale of the table.
  enum class State { kDone, kFull, kDamaged, kUnfit };

  // All arguments must outlive the learner; the caller holds the mutex of the table alone during each call.
  WordLearner(const WordSource& source, ChunkRules rules, Table& table, Lexicon& lexicon, std::size_t most_bytes)
      : source_(source),
        rules_(std::move(rules)),
        table_(table),
        lexicon_(lexicon),
        most_bytes_(most_bytes),
        rows_(source.has_rules()) {}

  TrigramNumbers& trigrams() { return trigrams_; }
  // Sets the corpus that the texts are queries of: the row of each word of the vocabulary, (words,), and of others.
  void query(const std::int32_t* corpus_rows, Vocabulary others, std::vector<std::int32_t> other_rows) {
    corpus_rows_ = corpus_rows;
    corpus_others_ = std::move(others);
    corpus_other_rows_ = std::move(other_rows);
  }

  // Returns a word of ASCII letters in both cases, with its traits.
  WrittenWord written(const std::string& letters) const;
  // Adds chunks to the lexicon, and their new words to the table. Appends chunks whose words are not certain to `rest`.
  State learn(const std::vector<std::string>& chunks, std::vector<std::string>& rest);
  // Adds chunks whose words are given: chunk i has words[offsets[i]] to words[offsets[i + 1]].
  State learn(const std::vector<TextView>& chunks, const std::vector<WrittenWord>& words,
              const std::vector<std::int64_t>& offsets);

 private:
  struct Entry {
    TextView chunk;
    std::int64_t first, count;  // in entry_rows_
  };
  bool is_word(const std::string& letters, const WrittenWord& word) const;
  bool split(const std::string& chunk, std::vector<WrittenWord>& words) const;
  bool split_compound(const std::string& chunk, std::vector<WrittenWord>& words) const;
  bool add_piece(const std::string& letters, std::vector<WrittenWord>& words) const;
  bool add_entry(const TextView& chunk, const WrittenWord* first, const WrittenWord* last);
  WordSource::Made add_word(const WrittenWord& word);
  std::uint32_t corpus_word(std::int32_t id, const std::string& word) const;
  bool full() const { return table_.bytes() + lexicon_.bytes() > most_bytes_; }
  bool fits();
  State commit();
  State fail(State state) { return failure_ = state; }

  const WordSource& source_;
  ChunkRules rules_;
  Table& table_;
  Lexicon& lexicon_;
  std::size_t most_bytes_;
  TrigramNumbers trigrams_;
  std::unordered_map<std::int32_t, std::uint32_t> known_;  // rows of words of the vocabulary
  WordNumbers unknown_;
  std::vector<std::uint32_t> unknown_rows_;
  float length_ = 0.0f;  // of the first vector, where the table chooses a scale
  const std::int32_t* corpus_rows_ = nullptr;
  Vocabulary corpus_others_;
  std::vector<std::int32_t> corpus_other_rows_;
  State failure_ = State::kDone;  // after one, rows were assigned that the table has not, and nothing more is learned
  // of the call at hand
  NewRows rows_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> entry_rows_;
  std::vector<std::uint32_t> corpus_ids_;
};

}  // namespace fuzzbow
