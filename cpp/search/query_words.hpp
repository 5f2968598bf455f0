// The distinct words of queries that are searched together, each compared with the corpus's vocabulary once.
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
  // Clears all words and sets the table of the next ones.
  void start(const Table& table);
  // Returns the column of word `id`, which is `identity` in the corpus's table. The row must stay valid.
  int column(std::uint32_t id, std::uint32_t identity, const float* row);
  // Allocates columns once all words are registered. Words with a cached column are not compared again.
  void resize(const Corpus& corpus, WordColumns* kept);
  // Compares words [begin, end) of those without a cached column; workers share them.
  int compared() const { return static_cast<int>(compared_.size()); }
  void fill(const Corpus& corpus, int begin, int end);
  // Caches new columns, once readers have read all panels.
  void keep(const Corpus& corpus, WordColumns& kept) const;

  int count() const { return static_cast<int>(words_.size()); }
  float highest(int column) const { return words_[column].highest; }  // upper bound of the similarities of this word
  float typical(int column) const { return words_[column].typical; }  // exceeded by about 0.4 words of a document

  // Reads similarity bounds of all words with one panel after another.
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
    std::vector<std::size_t> next_;       // by column: index of its next cell
    std::vector<std::uint32_t> nearest_;  // by column: the corpus word of that cell, or kNoWord
  };

 private:
  using Match = TrigramIndex::Match;
  struct Word {
    std::uint32_t id, identity;
    const float* row;
    float highest = 0, typical = 0;
    std::vector<Match> cells;  // similarities that are not dot products, by ascending local id
    WordColumns::Found kept;
    std::shared_ptr<WordColumn> fresh;  // column to be cached, or null
  };
  void find_cells(const Corpus& corpus, Word& word, TrigramIndex::Scratch& scratch) const;
  void find_typical(const Corpus& corpus, int begin, int end);

  const Table* table_ = nullptr;
  std::vector<Word> words_;
  std::unordered_map<std::uint32_t, int> columns_;  // by id
  std::vector<int> numbers_;                        // columns of numbers without a cached column
  std::vector<int> compared_;                       // columns without a cached one
  QuantisedBlock quantised_;
};

}  // namespace fuzzbow
