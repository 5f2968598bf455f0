// A query made ready for fuzzy BM25: its distinct words by impact, and exact scores of documents.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bm25/corpus.hpp"
#include "search/query.hpp"

namespace fuzzbow {

// The distinct words of queries that go together, each once.
class AskedWords {
 public:
  AskedWords(const Bm25Corpus& corpus, const QueryTexts& queries, std::int64_t begin, std::int64_t end,
             Execution& execution);
  std::uint32_t place(std::uint32_t id) const { return places_.at(id); }
  const SimilarList& similar(std::uint32_t place) const { return *lists_[place]; }
  double weight(std::uint32_t place) const { return weights_[place]; }

 private:
  std::vector<AskedWord> words_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  // by id
  SimilarWords::Lists lists_;
  std::vector<double> weights_;
};

// A distinct word that counts: what it may add to a score, and what it takes to find out.
struct WalkedWord {
  const SimilarList* similar;
  float share;          // of the sum of weights, repeats counted
  std::int64_t volume;  // postings of all similar words
};

class PreparedBm25Query {
 public:
  void read(const Bm25Corpus& corpus, const AskedWords& words, const std::uint32_t* ids, std::int64_t length);
  // Forgets what was read; the next query must find the tables empty.
  void clear();

  const std::vector<WalkedWord>& walked() const { return walked_; }  // by share, largest first
  double tail(std::size_t word) const { return tails_[word]; }       // no document gets more of this and later words
  double rounding() const { return rounding_; }                      // relative error of sums in float32
  std::int64_t volume() const { return volume_; }
  float score(const Bm25Corpus& corpus, std::int64_t document, std::vector<double>& often) const;

 private:
  // Which distinct words a word of the corpus counts for: a chain for each, from heads_.
  struct Link {
    std::uint32_t local, place, next;  // next: a link's number + 1, or 0
    double gain;
  };
  void link(const SimilarList& similar, std::uint32_t place);
  void sort_words(const Bm25Corpus& corpus, const std::vector<WalkedWord>& words);

  Bm25Query query_;
  std::vector<WalkedWord> walked_;
  std::vector<double> tails_;
  std::vector<std::uint32_t> heads_;  // by local id, all 0 between queries
  std::vector<Link> links_;
  double rounding_ = 0;
  std::int64_t volume_ = 0;
};

}  // namespace fuzzbow
