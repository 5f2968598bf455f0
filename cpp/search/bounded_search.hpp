// The search of one query, or of up to 32 together, through bounds.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "search/running_query.hpp"
#include "search/shortlist.hpp"

namespace fuzzbow {

// Scratch of queries that go together.
struct SearchScratch {
  explicit SearchScratch(std::size_t queries = 1) : queries(queries) {}
  struct Worker {
    AlignedBuffer<std::uint32_t> survivors;  // (queries, room)
    AlignedBuffer<float> numerators;
    AlignedBuffer<std::int32_t> sums;  // of one part's documents
    SeenWords seen;
  };
  QueryWords words;
  std::vector<QueryScratch> queries;
  BatchLevels levels;
  std::vector<Worker> workers;
  // What grows with the corpus.
  std::size_t bytes() const {
    std::size_t total = levels.bytes();
    for (const QueryScratch& one : queries) total += one.bounds.bytes() + one.gains.bytes();
    for (const Worker& worker : workers)
      total += worker.survivors.bytes() + worker.numerators.bytes() + worker.sums.bytes();
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
  bool gave_up(std::size_t query) const { return queries_[query]->given_up(); }
  std::vector<Hit> hits(std::size_t query) const;
  SearchStatistics statistics() const;

 private:
  struct Worker {
    std::vector<TopList> tops;  // per query
    SearchStatistics counts;
    GainLists lists;
    DocumentSums sums = {};  // of the task at hand
    SearchScratch::Worker* scratch = nullptr;
    bool has_threshold = false;  // or it looks at few documents at a time
  };
  struct Line {  // a numerator that reaches intercept + slope * size may be enough
    float intercept, slope;
  };
  // Chunks of one segment that one worker scans: with postings those of a part, else one.
  struct Task {
    const Segment* segment;
    std::size_t begin, end;
    std::int64_t part;  // of the segment, or -1
  };

  std::vector<Task> tasks_by_length(double length) const;
  Place place(const Task& task, std::size_t chunk) const { return {task.segment, &task.segment->chunks()[chunk]}; }
  DocumentSums add_up(const Task& task, const GainLists& lists, Worker& worker) const;
  // Without sums where they would not help.
  DocumentSums bound_by_postings(const Task& task, Worker& worker) const;
  static bool tells(const DocumentSums& sums, const ScanJob& job, const Chunk& chunk);
  Shortlist shortlist(std::size_t query, DocumentScorer& scorer, Worker& worker);
  // Documents of a chunk that pass the linear bound: all queries' survivors.
  void pass(const Place& place, Worker& worker, Survivors* survivors) const;
  std::int64_t pass_one(const Place& place, Worker& worker) const;
  ScanJob scan_job(const Place& place, const Line& enough, Worker& worker) const;
  void pass_batch(const Place& place, Worker& worker, std::int64_t room, std::int64_t* found) const;
  void scan_chunk(const Place& place, Worker& worker, std::vector<Shortlist>& waiting);
  Line line(const RunningQuery& query, const Chunk& chunk, float threshold) const;
  void offer_empty(const Place& place, Worker& worker);
  void find_promising(const Task& task, const GainLists& lists, Worker& worker, Shortlist& promising);

  const Corpus& corpus_;
  SearchOptions options_;
  const QueryWords& words_;
  BatchLevels& batch_;
  bool remembers_;  // similarities of words that documents share
  std::vector<std::unique_ptr<RunningQuery>> queries_;
  bool by_postings_;  // one query, and there are some
  std::vector<Task> tasks_;
  std::atomic<float> bar_{0.0f};  // what promising documents must promise
  std::vector<Worker> workers_;
  Phase filled_, levelled_, seeded_;
  std::atomic<std::int64_t> next_panels_{0}, next_words_{0}, next_seed_{0}, next_task_{0};
};

}  // namespace fuzzbow
