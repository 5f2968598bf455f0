// The distinct words of queries that go together, each once: what a word is to the corpus, whatever its text.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/corpus.hpp"
#include "search/panels.hpp"
#include "search/word_columns.hpp"
#include "support/aligned.hpp"

namespace fuzzbow {

class QueryWords {
 public:
  // Words of this table follow.
  void start(const Table& table);
  // The column of word `id`, known to the corpus's table as `identity`; row must stay where it is.
  int column(std::uint32_t id, std::uint32_t identity, const float* row);
  // Once all words are there; those whose columns are kept need not be compared again.
  void resize(const Corpus& corpus, WordColumns* kept);
  // Of the words to be compared, those [begin, end); workers share them.
  int compared() const { return static_cast<int>(compared_.size()); }
  void fill(const Corpus& corpus, int begin, int end);
  // Once readers have been through all panels: keeps the columns that they have made.
  void keep(const Corpus& corpus, WordColumns& kept) const;

  int count() const { return static_cast<int>(words_.size()); }
  float highest(int column) const { return words_[column].highest; }  // no similarity of this word is larger
  float typical(int column) const { return words_[column].typical; }  // about 0.4 words of a document are more similar

  // Similarity bounds of all words with those of one panel after another.
  class Reader {  // workers share the panels
   public:
    Reader(const Corpus& corpus, const QueryWords& words, std::int64_t first_panel);
    const float* read(std::int64_t begin, std::int64_t end);  // (panels, count, 16); panels ascend

   private:
    void override(std::int64_t panel, float* similarities);

    const Corpus& corpus_;
    const QueryWords& words_;
    AlignedBuffer<float> similarities_, compared_;
    std::vector<KeptColumn> kept_;
    std::vector<std::size_t> next_;       // per column: its next cell
    std::vector<std::uint32_t> nearest_;  // per column: the corpus's word of that cell, or kNobody
  };

 private:
  using Match = TrigramIndex::Match;
  struct Word {
    std::uint32_t id, identity;
    const float* row;
    float highest = 0, typical = 0;
    std::vector<Match> cells;  // similarities that are not dot products: ascending local ids
    WordColumns::Found kept;
    std::shared_ptr<WordColumn> fresh;  // what is to be kept, or null
  };
  void find_cells(const Corpus& corpus, Word& word, TrigramIndex::Scratch& scratch) const;
  void find_typical(const Corpus& corpus, int begin, int end);

  const Table* table_ = nullptr;
  std::vector<Word> words_;
  std::unordered_map<std::uint32_t, int> columns_;  // by id
  std::vector<int> numbers_;                        // columns of numbers to be compared
  std::vector<int> compared_;                       // columns
  QuantisedBlock quantised_;
};

}  // namespace fuzzbow
