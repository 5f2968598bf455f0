// The search of one query, or of up to 32 together, through bounds.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "search/bounds.hpp"
#include "search/document_scorer.hpp"
#include "search/full_search.hpp"
#include "search/search.hpp"
#include "search/seen_words.hpp"

namespace fuzzbow {

// Scratch of one query that outlives it.
struct QueryScratch {
  PreparedQuery query;
  BoundTables bounds;
  SimilarityTable similarities;
};

// Scratch of queries that go together.
struct SearchScratch {
  explicit SearchScratch(std::size_t queries = 1) : queries(queries) {}
  struct Worker {
    AlignedBuffer<std::uint32_t> survivors;  // (queries, room)
    AlignedBuffer<float> numerators;
    SeenWords seen;
  };
  QueryWords words;
  std::vector<QueryScratch> queries;
  BatchLevels levels;
  std::vector<Worker> workers;
  // What grows with the corpus.
  std::size_t bytes() const {
    std::size_t total = levels.bytes();
    for (const QueryScratch& one : queries) total += one.bounds.bytes();
    for (const Worker& worker : workers) total += worker.survivors.bytes() + worker.numerators.bytes();
    return total;
  }
};

// One query on one worker, from start to end.
std::vector<Hit> search_alone(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                              const SearchOptions& options, Execution& execution, int worker, SearchScratch& scratch);

class BoundedSearch {
 public:
  // Prepared queries, at most kBatch, each of which bounds can serve.
  BoundedSearch(const Corpus& corpus, const SearchOptions& options, int workers, SearchScratch& scratch,
                const std::vector<QueryScratch*>& queries);
  // False where only a full search makes sense.
  static bool can_serve(const Corpus& corpus, const SearchOptions& options, const PreparedQuery& query);

  // Phases, in this order, each on every worker; all but the last return when the work of all workers is done.
  void fill(Execution& execution, int worker);
  void set_levels(Execution& execution, int worker);
  void seed(Execution& execution, int worker);
  void scan(Execution& execution, int worker);

  // The bounds left too much, and a full search is cheaper.
  bool gave_up(std::size_t query) const { return queries_[query]->given_up; }
  std::vector<Hit> hits(std::size_t query) const;
  SearchStatistics statistics() const;

 private:
  struct Query {
    Query(QueryScratch& scratch, float min_score) : scratch(scratch), threshold(min_score) {}
    QueryScratch& scratch;
    std::int64_t patience = 0;
    std::vector<std::uint32_t> seeded;  // documents that seed() has scored, ascending
    std::atomic<float> threshold;
    std::atomic<bool> given_up{false};
    std::atomic<std::int64_t> scored{0};
  };
  struct Candidate {
    float promise;  // numerator relative to what a score of 1 needs
    float numerator;
    std::int64_t position;
  };
  struct Promising {  // as Candidate, before rows were looked at
    float promise;
    std::uint32_t place, position;  // a number among the places that were looked at
  };
  struct Worker {
    std::vector<TopList> tops;  // per query
    SearchStatistics counts;
    std::vector<Candidate> candidates;
    std::vector<Promising> promising;
    std::vector<std::uint32_t> words, next_words;
    SearchScratch::Worker* scratch = nullptr;
    DocumentScorer* scorer = nullptr;
  };
  struct Line {  // a numerator that reaches intercept + slope * size may be enough
    float intercept, slope;
  };
  struct Survivors {  // of one query
    const std::uint32_t* positions;
    const float* numerators;
    std::int64_t count;
  };

  // Documents of a chunk that pass the linear bound: all queries' survivors.
  void pass(const Place& place, Worker& worker, Survivors* survivors) const;
  std::int64_t pass_one(const Place& place, Worker& worker) const;
  void pass_batch(const Place& place, Worker& worker, std::int64_t room, std::int64_t* found) const;
  void scan_chunk(const Place& place, Worker& worker);
  Line line(const Query& query, const Chunk& chunk) const;
  double needed(const Query& query, double size) const;
  float promise(const Query& query, float numerator, float size) const;
  void offer_empty(const Place& place, Worker& worker);
  std::vector<Chunk> sample() const;
  // Documents of place number `number` join those that are promising.
  void collect(const Query& query, const Place& place, std::size_t number, const Survivors& survivors,
               Worker& worker) const;
  std::vector<Hit> score_promising(const Query& query, const std::vector<Place>& places, Worker& worker);
  void raise_by_promising(Query& query, const Place& place, const Survivors& survivors, Worker& worker);
  void refine(const Query& query, const Place& place, const Survivors& survivors, Worker& worker);
  float exact_score(const Query& query, const Place& place, std::int64_t position, Worker& worker) const;
  void score(std::size_t query, const Place& place, std::int64_t position, Worker& worker);
  void offer(std::size_t query, Hit hit, Worker& worker);
  static void raise_threshold(Query& query, const TopList& top);

  const Corpus& corpus_;
  SearchOptions options_;
  const QueryWords& words_;
  BatchLevels& batch_;
  bool remembers_;  // similarities of words that documents share
  std::vector<std::unique_ptr<Query>> queries_;
  std::vector<Place> places_;
  std::vector<Worker> workers_;
  Phase filled_, levelled_, seeded_;
  std::atomic<std::int64_t> next_panels_{0}, next_words_{0}, next_seed_{0}, next_place_{0};
};

}  // namespace fuzzbow
