// The texts of a join as words of a corpus, and an index from words to texts.
#pragma once
#include <cstdint>
#include <vector>

#include "scores/pair_scorer.hpp"
#include "search/corpus.hpp"
#include "simd/compiler.hpp"

namespace fuzzbow {

class JoinTexts {
 public:
  static constexpr std::int32_t kFront = 16;  // words of a text that bounds read first: 64 bytes

  JoinTexts(const Corpus& corpus, const Ragged& texts, Execution& execution);

  std::int64_t size() const { return static_cast<std::int64_t>(summaries_.size()); }
  bool counted() const { return !counts_.empty(); }
  Ragged ragged() const { return {ids_.data(), offsets_.data(), counted() ? counts_.data() : nullptr, size()}; }
  TextWords gather(const Table& table, std::int64_t text, Gathered& scratch) const {
    return scratch.gather(table, ragged(), text, self_.data());
  }
  float word_weight(std::uint32_t word) const { return word_weights_[word]; }

  // Summary of a text for the bounds.
  struct Summary {
    std::int64_t start;
    std::int32_t length;
    float size;    // see text_size
    float weight;  // of all words; rounded up, as are the next two
    float front;   // of the first kFront of words()
    float rest;    // sum over the other words of weight times the word's largest self
  };
  const Summary& summary(std::int64_t text) const { return summaries_[text]; }
  // Local ids in order of falling weight.
  const std::uint32_t* words(const Summary& summary) const { return words_.data() + summary.start; }
  // Prefetch the summary of a text and, once that is loaded, its first words.
  void prefetch_summary(std::int64_t text) const { FUZZBOW_PREFETCH(summaries_.data() + text); }
  void prefetch_words(std::int64_t text) const {
    FUZZBOW_PREFETCH(words(summaries_[text]));
    FUZZBOW_PREFETCH(words(summaries_[text]) + kFront - 1);
  }

  // Visits (word, weight, membership in the text) of every word in the order of the text.
  template <class Visit>
  void each_word(std::int64_t text, Visit visit) const {
    for (std::int64_t i = offsets_[text]; i < offsets_[text + 1]; ++i) {
      const std::uint32_t word = corpus_.local(ids_[i]);
      visit(word, word_weights_[word], self_[i]);
    }
  }

  // Builds the index from words to texts.
  void build_postings();
  const std::uint32_t* postings(std::uint32_t word) const { return postings_.data() + posting_offsets_[word]; }
  std::int64_t posting_count(std::uint32_t word) const { return posting_offsets_[word + 1] - posting_offsets_[word]; }

 private:
  void read(std::int64_t text);
  template <class Visit>
  void each_posting(Visit visit) const;

  const Corpus& corpus_;
  std::vector<std::uint32_t> ids_, words_;  // table ids in the order of the texts, and local ids
  std::vector<std::int64_t> offsets_;
  std::vector<float> self_, counts_, word_weights_;
  std::vector<Summary> summaries_;
  std::vector<std::int64_t> posting_offsets_;
  std::vector<std::uint32_t> postings_;
};

}  // namespace fuzzbow
