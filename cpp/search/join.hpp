// All pairs of texts with a score of at least a threshold, exactly.
//
// If a pair reaches a Jaccard of t then at least one of its texts, the anchor, is covered by the other to a share t:
// sum_i w_i min(a_i, c_i) >= t sum_i w_i a_i. (Else both numerators fall short and so does their sum.) Dice is a
// Jaccard of t / (2 - t). For Otsuka the larger text is covered to 2 t^2 - 1: the score is at most the geometric mean
// of (NA + NB) / (SA + NB) and (NA + NB) / (SB + NA), each at most 1, so the second is at least t^2, whence
// NB / SB >= t^2 - (1 - t^2) NA / SB, and NA <= SA <= SB.
// So for words P of an anchor with sum_P w a (1 - g) > (1 - t) sum w a, a partner holds a word of similarity >= g a_i
// to some i in P: neighbour lists and postings find all partners. Words are chosen where that is cheapest.
// Texts where it is not cheap, and cosine, go through the linear scan of search.
#pragma once
#include <cstdint>
#include <memory>
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
  // boundary 0: pairs i < j of documents. Else: pairs of a document before the boundary with one from it on.
  Join(const Table& table, const Ragged& documents, std::int64_t boundary, Measure measure, float threshold,
       Execution& execution);
  ~Join();

  std::int64_t size() const { return corpus_->size(); }
  std::int64_t boundary() const { return boundary_; }
  // The pairs found from documents [begin, end) as anchors; all ranges together give every pair once.
  std::vector<JoinedPair> rows(std::int64_t begin, std::int64_t end, Execution& execution,
                               JoinStatistics* statistics) const;

 private:
  struct Element {  // a distinct word of an anchor
    std::uint32_t word;
    float weighted_self, self, weight;
    std::int64_t cost;
    // What a partner's word of this similarity brings beyond the share that all are granted; rounded up.
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
    return boundary_ ? (a < boundary_) != (b < boundary_) : a != b;
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
  std::int64_t boundary_;
  Measure measure_;
  float threshold_;
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
