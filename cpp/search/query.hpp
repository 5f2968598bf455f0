// A query text made ready: its words in the corpus's units for exact scores, its distinct words for the bounds.
#pragma once
#include <cstdint>
#include <vector>

#include "search/corpus.hpp"
#include "search/query_words.hpp"
#include "support/aligned.hpp"
#include "words/text_words.hpp"

namespace fuzzbow {

// Queries over their own table; identities say which query word is which word of the corpus's table.
struct QueryTexts {
  const Table* table;
  const std::uint32_t* identities;  // per word of the query table: id in the corpus's table, or kNobody; null: the same
  Ragged texts;
  WordColumns* columns = nullptr;  // where what words are to the corpus may be kept, or null
};

class PreparedQuery {
 public:
  // In this order: read the text, name its words, and once those are filled in choose the factors of the bounds.
  void read(const Corpus& corpus, const QueryTexts& queries, std::int64_t text, Execution& execution, int worker);
  void name_words(const Corpus& corpus, QueryWords& words);
  void choose_factors(const Corpus& corpus, const QueryWords& words);

  const TextWords& words() const { return words_; }
  double size() const { return size_; }  // see text_size

  // Per distinct word; see bounds.hpp.
  int distinct() const { return static_cast<int>(columns_.size()); }
  const std::vector<int>& columns() const { return columns_; }  // among the QueryWords
  const std::vector<float>& clips() const { return clips_; }
  const std::vector<float>& betas() const { return betas_; }
  const std::vector<float>& factors() const { return factors_; }
  float ceiling() const { return ceiling_; }  // no similarity of this query is larger

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
