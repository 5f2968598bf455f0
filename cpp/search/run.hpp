// The search of one query, on one worker or on several that share it.
#pragma once
#include <atomic>
#include <vector>

#include "query_scores.hpp"
#include "scoring.hpp"
#include "search/bounds.hpp"
#include "search/search.hpp"

namespace fuzzbow {

// Scratch that outlives a query; one per calling thread.
struct SearchScratch {
  PreparedQuery query;
  BoundTables bounds;
  SimilarityTable similarities;
};

// One query on one worker, from start to end.
std::vector<Hit> search_alone(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                              const SearchOptions& options, Execution& execution, int worker, SearchScratch& scratch);

class SearchRun {
 public:
  SearchRun(const Corpus& corpus, const SearchOptions& options, int workers, SearchScratch& scratch);

  // Phases, in this order, each on every worker; all workers must have left one before any enters the next.
  void fill(Execution& execution, int worker);
  void scan(Execution& execution, int worker);
  // When the bounds leave too much: every document through a table of exact similarities.
  bool needs_full_scan() const { return full_; }
  void fill_full(Execution& execution, int worker);
  void scan_full(Execution& execution, int worker);

  std::vector<Hit> hits() const;
  SearchStatistics statistics() const;

 private:
  struct Place {
    const Segment* segment;
    const Chunk* chunk;
  };
  struct Candidate {
    float promise;  // numerator relative to what a score of 1 needs
    float numerator;
    std::int64_t number;  // inside the group
  };
  struct Worker {
    TopList top;
    SearchStatistics counts;
    std::vector<std::uint32_t> survivors, local;
    std::vector<float> numerators;
    std::vector<Candidate> candidates;
    Gathered gathered;
    std::vector<std::uint32_t> table_ids;
  };

  void order_chunks();
  void scan_chunk(const Place& place, Worker& worker, PairScorer& scorer);
  void offer_empty(const Place& place, Worker& worker);
  void seed(const Place& place, Worker& worker, PairScorer& scorer);
  void refine(const Place& place, Worker& worker);
  void score_candidate(const Place& place, std::int64_t number, Worker& worker, PairScorer& scorer);
  double needed(double size) const;
  bool skipped(std::uint32_t document) const {
    return corpus_.removed(document) || (options_.allowed && !options_.allowed[document]);
  }
  void offer(Worker& worker, Hit hit);

  const Corpus& corpus_;
  SearchOptions options_;
  SearchScratch& scratch_;
  std::vector<Place> places_;
  std::vector<Worker> workers_;
  std::atomic<std::int64_t> next_panels_{0}, next_place_{0}, next_words_{0}, next_full_{0}, scored_{0};
  std::atomic<float> threshold_;
  std::atomic<bool> seeded_{false}, full_{false};
  std::int64_t patience_;
  bool by_table_ = false;
};

}  // namespace fuzzbow
