// All pairs of texts with a score of at least a threshold, exactly.
//
// If a pair reaches the threshold then at least one of its texts, the anchor, is covered by the other to a share t
// that the set similarity knows (SetSimilarity::needed_coverage): sum_i w_i min(a_i, c_i) >= t sum_i w_i a_i.
// So for words P of an anchor with sum_P w a (1 - g) > (1 - t) sum w a, a partner holds a word of similarity >= g a_i
// to some i in P: neighbour lists and postings find all partners. Words are chosen where that is cheapest.
// Texts where it is not cheap, and set similarities that know no such share, go through the linear scan of search.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/corpus.hpp"
#include "search/neighbours.hpp"
#include "search/query.hpp"

namespace fuzzbow {

struct JoinedPair {
  std::int64_t left, right;
  float score;
};

struct JoinStatistics {
  std::int64_t anchors = 0, scanned_rows = 0, postings = 0, candidates = 0;
};

class Join {
 public:
  // All pairs i < j of documents; with a boundary, pairs of a document before it with one from it on. The similarity
  // must be symmetric.
  Join(const Table& table, const Ragged& documents, const SetSimilarity& similarity, float threshold,
       std::optional<std::int64_t> boundary, Execution& execution);
  ~Join();

  std::int64_t size() const { return corpus_->size(); }
  // The pairs found from documents [begin, end) as anchors; all ranges together give every pair once.
  std::vector<JoinedPair> rows(std::int64_t begin, std::int64_t end, Execution& execution,
                               JoinStatistics* statistics) const;

 private:
  struct Element {  // a distinct word of an anchor
    std::uint32_t word;
    float weighted_self, self, weight;
    std::int64_t cost;
    // What a partner's word of this similarity adds to the coverage, beyond the share that every partner is assumed to
    // have anyway; rounded up.
    float gain(float similarity, float share) const {
      return weight * ((similarity < self ? similarity : self) - share * self) * 1.00001f;
    }
  };
  struct Plan {
    std::vector<Element> elements;  // cheapest first
    std::size_t chosen = 0;         // the first so many are read from postings
    double needed = 0;              // what partners must gather through the chosen words
    double needed_of_all = 0;       // what they must gather through all words
  };
  struct Worker;

  bool partners(std::int64_t a, std::int64_t b) const {
    return boundary_ ? (a < *boundary_) != (b < *boundary_) : a != b;
  }
  void build_postings();
  bool plan(std::int64_t document, Plan& plan) const;
  void read_postings(Worker& worker) const;
  void spread_gains(Worker& worker, bool clear) const;
  void from_postings(std::int64_t document, Worker& worker, Execution& execution, int number) const;
  void from_scan(std::int64_t document, Worker& worker, Execution& execution, int number) const;
  // Would `from` as anchor find the pair?
  bool finds(std::int64_t from, double coverage) const { return scanned_[from] || coverage >= coverage_; }

  const Table& table_;
  SetSimilarity similarity_;
  float threshold_;
  std::optional<std::int64_t> boundary_;
  double coverage_ = 0;
  float share_ = 0.5f;
  std::unique_ptr<Corpus> corpus_;
  std::unique_ptr<Neighbours> neighbours_;
  std::vector<std::uint32_t> ids_, words_;  // table ids and local ids of all documents
  std::vector<std::int64_t> offsets_;
  std::vector<float> self_, counts_;
  std::vector<std::int64_t> posting_offsets_, costs_;
  std::vector<std::uint32_t> postings_;
  std::vector<std::uint8_t> scanned_;  // documents that go through the scan
};

}  // namespace fuzzbow
