// A query prepared for search: its words in the corpus's units for exact scores, its distinct words for the bounds.
#pragma once
#include <cstdint>
#include <vector>

#include "search/corpus.hpp"
#include "search/query_words.hpp"
#include "support/aligned.hpp"
#include "words/text_words.hpp"

namespace fuzzbow {

// Queries over their own table; identities map their words to words of the corpus's table.
struct QueryTexts {
  const Table* table;
  const std::uint32_t* identities;  // by query word: id in the corpus's table, or kNoWord; null: same table
  Ragged texts;
  WordColumns* columns = nullptr;  // cache of similarities to the corpus, or null
};

class PreparedQuery {
 public:
  // Steps of preparation, in this order: read the text, register its words, and once these are compared with the corpus
  // choose the factors of the bounds.
  void read(const Corpus& corpus, const QueryTexts& queries, std::int64_t text, Execution& execution, int worker);
  void name_words(const Corpus& corpus, QueryWords& words);
  void choose_factors(const Corpus& corpus, const QueryWords& words);

  const TextWords& words() const { return words_; }
  double size() const { return size_; }  // see text_size

  // Per distinct word; see bounds.hpp.
  int distinct() const { return static_cast<int>(columns_.size()); }
  const std::vector<int>& columns() const { return columns_; }  // indices of the words in QueryWords
  const std::vector<float>& clips() const { return clips_; }
  const std::vector<float>& betas() const { return betas_; }
  const std::vector<float>& factors() const { return factors_; }
  float ceiling() const { return ceiling_; }  // upper bound of all similarities of this query

 private:
  void gather(const Corpus& corpus, const QueryTexts& queries, std::int64_t text);

  TextWords words_;
  AlignedBuffer<float> vectors_;
  std::vector<const float*> rows_;
  std::vector<std::uint32_t> identities_;
  std::vector<float> weights_, self_;
  double size_ = 0;
  std::vector<int> columns_;
  std::vector<float> clips_, betas_, factors_;
  float ceiling_ = 0;
};

}  // namespace fuzzbow
