// All pairs of texts with a score of at least a threshold, exactly.
//
// Idea: if a pair reaches the threshold, at least one of its texts, the anchor, is covered by the other to a share t
// that follows from the set similarity (SetSimilarity::needed_coverage): sum_i w_i min(a_i, c_i) >= t sum_i w_i a_i.
// Every text is the anchor once. Postings of words similar to its own find all its partners (Anchor, Gains), bounds
// exclude most of them (PartnerBounds), and the rest are scored. Texts for which that is expensive, and set
// similarities without such a share, use the linear scan of search.
// Invariant: every pair is reported exactly once: by the only text that finds it as anchor, or by the one with the
// smaller number if both do. Whether a text finds a pair depends on exact coverage only, not on how it was searched.
// Complexity: an anchor reads at most 100,000 + n / 2 postings, else it is scanned for in O(W), with n texts of W words
// in all. In practice time grows with the number of postings of similar words and of pairs found.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/anchor.hpp"
#include "search/corpus.hpp"
#include "search/join_texts.hpp"
#include "search/neighbours.hpp"

namespace fuzzbow {

struct JoinedPair {
  std::int64_t left, right;
  float score;
};

struct JoinStatistics {
  std::int64_t anchors = 0, scanned_rows = 0, postings = 0, candidates = 0;
  std::int64_t met = 0;  // texts found by postings; candidates are those not excluded by bounds
  using Count = std::pair<const char*, std::int64_t JoinStatistics::*>;
  static const std::array<Count, 5> kCounts;
};

class Join {
 public:
  // Finds pairs i < j of documents; with a boundary, pairs of a document before it and one from it on. The similarity
  // must be symmetric.
  Join(const Table& table, const Ragged& documents, const SetSimilarity& similarity, float threshold,
       std::optional<std::int64_t> boundary, Execution& execution);
  ~Join();

  std::int64_t size() const { return texts_->size(); }
  // Returns the pairs found from documents [begin, end) as anchors. All ranges together give every pair once.
  std::vector<JoinedPair> rows(std::int64_t begin, std::int64_t end, Execution& execution,
                               JoinStatistics* statistics) const;

 private:
  struct Worker;

  bool are_partners(std::int64_t a, std::int64_t b) const {
    return boundary_ ? (a < *boundary_) != (b < *boundary_) : a != b;
  }
  void search_from(std::int64_t text, Worker& worker, Execution& execution, int number) const;
  void read_postings(Worker& worker) const;
  void from_postings(std::int64_t text, Worker& worker, Execution& execution, int number) const;
  void from_scan(std::int64_t text, Worker& worker, Execution& execution, int number) const;
  // True if `from` as anchor finds the pair.
  bool finds(std::int64_t from, double coverage) const { return uncovered_[from] || coverage >= coverage_; }

  const Table& table_;
  SetSimilarity similarity_;
  float threshold_;
  std::optional<std::int64_t> boundary_;
  double coverage_ = 0;
  std::unique_ptr<Corpus> corpus_;
  std::unique_ptr<JoinTexts> texts_;
  std::unique_ptr<Neighbours> neighbours_;
  std::unique_ptr<Steps> steps_;
  std::vector<std::uint8_t> uncovered_;  // texts whose partners only a scan finds
};

}  // namespace fuzzbow
