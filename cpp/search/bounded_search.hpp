// Exact top-k search through bounds, of one query or of up to 32 together.
//
// Idea: bound tables (bounds.hpp) bound a document's numerator by one table lookup per word. A document is scored
// exactly only if its bound reaches the numerator needed for the threshold, which is the k-th best score so far.
// Phases: fill the bound tables, turn them into 8-bit levels, find a first threshold through a few postings (one query
// of a large corpus only), then scan all chunks, those with documents about as long as the query first. With postings
// (gain_lists.hpp), a part of a segment is scanned by the sums of a few lists instead of all its words. Survivors of
// the scan wait in a shortlist (shortlist.hpp).
// Invariant: bounds are rounded up, needed numerators are rounded down, the threshold only rises, and documents are
// dropped only if strictly below it. The hits therefore equal those of a brute-force scan, ties included.
// Complexity: for V words of the corpus, q distinct words of a query, d dimensions and W word occurrences in the
// corpus: O(V q d) products of bytes for the tables (without d for words with a cached column), O(W) lookups for the
// scan or the lengths of the lists that are read, and O(q l d) for the exact score of a survivor of l words. Workers
// take tasks from atomic counters and wait only between phases.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "search/running_query.hpp"
#include "search/shortlist.hpp"

namespace fuzzbow {

// Scratch of queries that are searched together.
struct SearchScratch {
  explicit SearchScratch(std::size_t queries = 1) : queries(queries) {}
  struct Worker {
    AlignedBuffer<std::uint32_t> survivors;  // (queries, room)
    AlignedBuffer<float> numerators;
    AlignedBuffer<std::int32_t> sums;  // of the documents of one part
    SeenWords seen;
  };
  QueryWords words;
  std::vector<QueryScratch> queries;
  BatchLevels levels;
  std::vector<Worker> workers;
  // Memory that grows with the corpus.
  std::size_t bytes() const {
    std::size_t total = levels.bytes();
    for (const QueryScratch& one : queries) total += one.bounds.bytes() + one.gains.bytes();
    for (const Worker& worker : workers)
      total += worker.survivors.bytes() + worker.numerators.bytes() + worker.sums.bytes();
    return total;
  }
};

// Searches with one query on one worker, from start to end.
std::vector<Hit> search_alone(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                              const SearchOptions& options, Execution& execution, int worker, SearchScratch& scratch);

class BoundedSearch {
 public:
  // Takes prepared queries, at most kBatch, for each of which can_serve is true.
  BoundedSearch(const Corpus& corpus, const SearchOptions& options, int workers, SearchScratch& scratch,
                const std::vector<QueryScratch*>& queries);
  // False if bounds would exclude too little, so that only a full search makes sense.
  static bool can_serve(const Corpus& corpus, const SearchOptions& options, const PreparedQuery& query);

  // Phases, to be called in this order on every worker. All but the last return when the work of all workers is done.
  void fill(Execution& execution, int worker);
  void set_levels(Execution& execution, int worker);
  void seed(Execution& execution, int worker);
  void scan(Execution& execution, int worker);

  // True if the bounds excluded too little and a full search is cheaper.
  bool gave_up(std::size_t query) const { return queries_[query]->given_up(); }
  std::vector<Hit> hits(std::size_t query) const;
  SearchStatistics statistics() const;

 private:
  struct Worker {
    std::vector<TopList> tops;  // per query
    SearchStatistics counts;
    GainLists lists;
    DocumentSums sums = {};  // of the current task
    SearchScratch::Worker* scratch = nullptr;
    bool has_threshold = false;  // until then, few documents are scanned at a time
  };
  struct Line {  // the least numerator of a survivor: intercept + slope * size
    float intercept, slope;
  };
  // Chunks of one segment that one worker scans: those of a part if there are postings, else one chunk.
  struct Task {
    const Segment* segment;
    std::size_t begin, end;
    std::int64_t part;  // number of the part, or -1
  };

  std::vector<Task> tasks_by_length(double length) const;
  ChunkRef chunk_ref(const Task& task, std::size_t chunk) const {
    return {task.segment, &task.segment->chunks()[chunk]};
  }
  DocumentSums add_up(const Task& task, const GainLists& lists, Worker& worker) const;
  // Sums of the postings of a part, or no sums if they would not help.
  DocumentSums bound_by_postings(const Task& task, Worker& worker) const;
  static bool excludes_unlisted(const DocumentSums& sums, const ScanJob& job, const Chunk& chunk);
  Shortlist shortlist(std::size_t query, DocumentScorer& scorer, Worker& worker);
  // Finds the survivors of the linear bound in a chunk, for every query.
  void pass(const ChunkRef& ref, Worker& worker, Survivors* survivors) const;
  std::int64_t pass_one(const ChunkRef& ref, Worker& worker) const;
  ScanJob scan_job(const ChunkRef& ref, const Line& enough, Worker& worker) const;
  void pass_batch(const ChunkRef& ref, Worker& worker, std::int64_t room, std::int64_t* found) const;
  void scan_chunk(const ChunkRef& ref, Worker& worker, std::vector<Shortlist>& waiting);
  Line line(const RunningQuery& query, const Chunk& chunk, float threshold) const;
  void add_empty(const ChunkRef& ref, Worker& worker);
  void find_promising(const Task& task, const GainLists& lists, Worker& worker, Shortlist& promising);

  const Corpus& corpus_;
  SearchOptions options_;
  const QueryWords& words_;
  BatchLevels& batch_;
  bool uses_seen_words_;  // keeps similarities of words that documents share
  std::vector<std::unique_ptr<RunningQuery>> queries_;
  bool by_postings_;  // one query, and a corpus with postings
  std::vector<Task> tasks_;
  std::atomic<float> bar_{0.0f};  // least promise of promising documents
  std::vector<Worker> workers_;
  Phase filled_, levelled_, seeded_;
  std::atomic<std::int64_t> next_panels_{0}, next_words_{0}, next_seed_{0}, next_task_{0};
};

}  // namespace fuzzbow
