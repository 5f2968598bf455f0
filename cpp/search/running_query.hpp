// The state of a query during its search: what its workers share, and scratch that outlives it.
#pragma once
#include <atomic>
#include <cstdint>
#include <limits>

#include "search/bounds.hpp"
#include "search/full_search.hpp"
#include "search/gain_lists.hpp"
#include "search/query.hpp"
#include "search/search.hpp"

namespace fuzzbow {

struct QueryScratch {
  PreparedQuery query;
  BoundTables bounds;
  GainWords gains;
  SimilarityTable similarities;
};

class RunningQuery {
 public:
  RunningQuery(const Corpus& corpus, const SearchOptions& options, QueryScratch& scratch)
      : similarity_(corpus.similarity()), scratch_(scratch), threshold_(options.min_score) {
    if (FullSearch::has_table(corpus, scratch.query.words()))
      patience_ = corpus.size() / 64 + 2000 + (options.all ? 0 : 4 * options.wanted);
  }

  const TextWords& words() const { return scratch_.query.words(); }
  const BoundTables& bounds() const { return scratch_.bounds; }
  QueryScratch& scratch() { return scratch_; }
  const GainWords& gains() const { return scratch_.gains; }

  // Documents that score less are no hits.
  float threshold() const { return threshold_.load(std::memory_order_relaxed); }
  void raise_threshold(const TopList& top) {
    if (!top.full()) return;
    float current = threshold();
    while (top.worst() > current && !threshold_.compare_exchange_weak(current, top.worst())) {
    }
  }

  // Numerator that a document of this size needs for a score of the threshold.
  double needed(double size, float threshold) const {
    return similarity_.needed_numerator(threshold, scratch_.query.size(), size);
  }
  double needed(double size) const { return needed(size, threshold()); }
  // Numerator relative to the one that a score of 1 needs.
  float promise(float numerator, float size) const {
    const double full = needed(size, 1.0f);
    return full > 0 ? static_cast<float>(numerator / full) : 3e38f;
  }

  void count_scored() {
    if (scored_.fetch_add(1, std::memory_order_relaxed) > patience_) given_up_ = true;
  }
  // True if the bounds excluded too little and a full search is cheaper.
  bool given_up() const { return given_up_; }

 private:
  const SetSimilarity& similarity_;
  QueryScratch& scratch_;
  std::int64_t patience_ = std::numeric_limits<std::int64_t>::max();  // exact scores before a full search
  std::atomic<float> threshold_;
  std::atomic<bool> given_up_{false};
  std::atomic<std::int64_t> scored_{0};
};

}  // namespace fuzzbow
