// A query prepared for fuzzy BM25: its distinct words by impact, and exact scores of documents.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bm25/corpus.hpp"
#include "search/query.hpp"

namespace fuzzbow {

// The distinct words of queries that are searched together.
class Bm25QueryWords {
 public:
  Bm25QueryWords(const Bm25Corpus& corpus, const QueryTexts& queries, std::int64_t begin, std::int64_t end,
                 Execution& execution);
  std::uint32_t position(std::uint32_t id) const { return positions_.at(id); }
  const SimilarList& similar(std::uint32_t position) const { return *lists_[position]; }
  double weight(std::uint32_t position) const { return weights_[position]; }

 private:
  std::vector<Bm25QueryWord> words_;
  std::unordered_map<std::uint32_t, std::uint32_t> positions_;  // by id
  SimilarWords::Lists lists_;
  std::vector<double> weights_;
};

// A distinct word with weight and similar words: its impact, and the cost to walk it.
struct WalkedWord {
  const SimilarList* similar;
  float share;          // of the sum of weights, with repeats
  std::int64_t volume;  // number of postings of all similar words
};

class PreparedBm25Query {
 public:
  void read(const Bm25Corpus& corpus, const Bm25QueryWords& words, const std::uint32_t* ids, std::int64_t length);
  // Clears what was read. The next query needs empty tables.
  void clear();

  const std::vector<WalkedWord>& walked() const { return walked_; }  // by falling share
  double tail(std::size_t word) const { return tails_[word]; }       // upper bound from this word on
  double rounding() const { return rounding_; }                      // relative error of float32 sums
  std::int64_t volume() const { return volume_; }
  float score(const Bm25Corpus& corpus, std::int64_t document, std::vector<double>& often) const;

 private:
  // The distinct query words that a corpus word counts for: a chain per corpus word, from heads_.
  struct Link {
    std::uint32_t local, position, next;  // next: number of a link + 1, or 0
    double gain;
  };
  void link(const SimilarList& similar, std::uint32_t position);
  void sort_words(const Bm25Corpus& corpus, const std::vector<WalkedWord>& words);

  Bm25Query query_;
  std::vector<WalkedWord> walked_;
  std::vector<double> tails_;
  std::vector<std::uint32_t> heads_;  // by local id; all 0 between queries
  std::vector<Link> links_;
  double rounding_ = 0;
  std::int64_t volume_ = 0;
};

}  // namespace fuzzbow
