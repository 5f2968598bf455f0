// A query text made ready: its words in the corpus's units for exact scores, its distinct words for the bounds.
#pragma once
#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "search/corpus.hpp"
#include "search/panels.hpp"
#include "texts.hpp"

namespace fuzzbow {

// Queries over their own table; identities say which query word is which word of the corpus's table.
struct QueryTexts {
  const Table* table;
  const std::uint32_t* identities;  // per word of the query table: id in the corpus's table, or kNobody; null: the same
  Ragged texts;
};

// Similarities of one distinct query word that are not dot products.
struct Overrides {
  bool zero_all = false, zero_unknown = false, zero_numbers = false;
  std::vector<TrigramIndex::Match> cells;  // ascending local ids
};

class PreparedQuery {
 public:
  void prepare(const Corpus& corpus, const QueryTexts& queries, std::int64_t text, Execution& execution, int worker);

  const TextWords& words() const { return words_; }
  double size() const { return size_; }  // see text_size
  int distinct() const { return static_cast<int>(clips_.size()); }
  const QuantisedBlock& quantised() const { return quantised_; }
  bool overridden() const { return overridden_; }
  const std::vector<Overrides>& overrides() const { return overrides_; }

  // Per distinct word; see bounds.hpp.
  const std::vector<float>& clips() const { return clips_; }
  const std::vector<float>& betas() const { return betas_; }
  const std::vector<float>& factors() const { return factors_; }
  float ceiling() const { return ceiling_; }  // no similarity of this query is larger

 private:
  void gather(const Corpus& corpus, const QueryTexts& queries, std::int64_t text);
  void find_distinct(const Corpus& corpus);
  void quantise(const Corpus& corpus);
  void choose_betas(const Corpus& corpus);
  void find_overrides(const Corpus& corpus);

  TextWords words_;
  AlignedBuffer<float> vectors_;
  std::vector<const float*> rows_;
  std::vector<std::uint32_t> identities_;
  std::vector<float> weights_, self_;
  double size_ = 0;
  std::vector<std::int64_t> first_;  // where each distinct word occurs first
  std::vector<float> clips_, betas_, factors_;
  float ceiling_ = 0;
  QuantisedBlock quantised_;
  QuantisedVector scratch_;
  bool overridden_ = false;
  std::vector<Overrides> overrides_;
};

}  // namespace fuzzbow
