#include "search/search.hpp"

#include <algorithm>
#include <mutex>

#include "search/run.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kSmallCorpus = 20000;  // not worth a second worker
constexpr std::size_t kWorthABatch = 4;       // fewer queries are faster one by one

// Buffers of the calling thread stay for its next single query; those of many queries live for one call.
SearchScratch& calling_scratch() {
  thread_local SearchScratch scratch;
  return scratch;
}

std::vector<Hit> search_fully(const Corpus& corpus, const SearchOptions& options, SearchScratch& scratch, int workers,
                              Execution& execution) {
  FullSearch full(corpus, options, workers, scratch.query.words(), scratch.similarities);
  execution.on_workers(workers, [&](int worker) { full.fill(execution, worker); });
  execution.on_workers(workers, [&](int worker) { full.scan(execution, worker); });
  return full.hits();
}

// Prepared queries that go through the corpus together.
class Group {
 public:
  Group(const Corpus& corpus, const SearchOptions& options, Execution& execution, SearchStatistics& statistics)
      : corpus_(corpus),
        options_(options),
        execution_(execution),
        statistics_(statistics),
        workers_(corpus.size() < kSmallCorpus ? 1 : execution.threads()) {}

  void search(const std::vector<SearchScratch*>& queries, std::vector<Hit>* results) {
    std::vector<std::size_t> bounded;
    for (std::size_t i = 0; i < queries.size(); ++i)
      if (BoundedSearch::can_serve(corpus_, options_, queries[i]->query))
        bounded.push_back(i);
      else
        finish_fully(*queries[i], results[i]), ++statistics_.full_scans;
    const std::size_t together = bounded.size() < kWorthABatch ? 1 : bounded.size();
    for (std::size_t start = 0; start < bounded.size(); start += together) {
      const auto first = bounded.begin() + start;
      search_bounded(queries, {first, first + std::min(together, bounded.size() - start)}, results);
    }
  }

 private:
  void search_bounded(const std::vector<SearchScratch*>& queries, const std::vector<std::size_t>& chosen,
                      std::vector<Hit>* results) {
    std::vector<SearchScratch*> scratches;
    for (std::size_t i : chosen) scratches.push_back(queries[i]);
    BoundedSearch run(corpus_, options_, workers_, scratches);
    Barrier filled(workers_), levelled(workers_), seeded(workers_);
    execution_.on_workers(workers_, [&](int worker) {
      run.fill(execution_, worker);
      filled.wait(execution_, worker);
      run.set_levels(execution_, worker);
      levelled.wait(execution_, worker);
      run.seed(execution_, worker);
      seeded.wait(execution_, worker);
      run.scan(execution_, worker);
    });
    statistics_.add(run.statistics());
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (run.gave_up(i))
        finish_fully(*scratches[i], results[chosen[i]]);
      else
        results[chosen[i]] = run.hits(i);
  }

  void finish_fully(SearchScratch& scratch, std::vector<Hit>& hits) {
    hits = search_fully(corpus_, options_, scratch, workers_, execution_);
  }

  const Corpus& corpus_;
  const SearchOptions& options_;
  Execution& execution_;
  SearchStatistics& statistics_;
  int workers_;
};

// Queries [begin, end), 16 at a time.
void search_range(const Corpus& corpus, const QueryTexts& queries, std::int64_t begin, std::int64_t end,
                  const SearchOptions& options, Execution& execution, SearchStatistics& statistics,
                  std::vector<Hit>* results) {
  Group group(corpus, options, execution, statistics);
  if (end - begin == 1) {
    SearchScratch& scratch = calling_scratch();
    scratch.query.prepare(corpus, queries, begin, execution, 0);
    return group.search({&scratch}, results + begin);
  }
  std::vector<SearchScratch> scratches(std::min<std::int64_t>(end - begin, kBatch));
  for (std::int64_t first = begin; first < end; first += kBatch) {
    const std::int64_t count = std::min<std::int64_t>(kBatch, end - first);
    std::vector<SearchScratch*> taken;
    for (std::int64_t i = 0; i < count; ++i) taken.push_back(&scratches[i]);
    execution.for_chunks(count, 1, [&](int worker, std::int64_t i, std::int64_t) {
      taken[i]->query.prepare(corpus, queries, first + i, execution, worker);
    });
    group.search(taken, results + first);
  }
}

}  // namespace

void SearchStatistics::add(const SearchStatistics& other) {
  scanned += other.scanned;
  after_linear += other.after_linear;
  after_rows += other.after_rows;
  scored += other.scored;
  full_scans += other.full_scans;
}

std::vector<Hit> best_of(const std::vector<TopList>& lists) {
  std::vector<Hit> all;
  for (const TopList& list : lists) all.insert(all.end(), list.hits().begin(), list.hits().end());
  std::sort(all.begin(), all.end(), better);
  if (!lists.empty() && all.size() > lists.front().wanted()) all.resize(lists.front().wanted());
  return all;
}

std::vector<Hit> search_alone(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                              const SearchOptions& options, Execution& execution, int worker, SearchScratch& scratch) {
  scratch.query.prepare(corpus, queries, text, execution, worker);
  if (BoundedSearch::can_serve(corpus, options, scratch.query)) {
    BoundedSearch run(corpus, options, worker + 1, {&scratch});
    run.fill(execution, worker);
    run.set_levels(execution, worker);
    run.scan(execution, worker);  // no seed: every hit is wanted
    if (execution.stopped(worker)) throw Interrupted();
    if (!run.gave_up(0)) return run.hits(0);
  }
  FullSearch full(corpus, options, worker + 1, scratch.query.words(), scratch.similarities);
  full.fill(execution, worker);
  full.scan(execution, worker);
  if (execution.stopped(worker)) throw Interrupted();
  return full.hits();
}

std::vector<std::vector<Hit>> search(const Corpus& corpus, const QueryTexts& queries, const SearchOptions& options,
                                     Execution& execution, SearchStatistics* statistics) {
  std::vector<std::vector<Hit>> results(queries.texts.size);
  SearchStatistics sum;
  const std::int64_t count = queries.texts.size;
  if (corpus.size() >= kSmallCorpus || execution.threads() == 1 || count <= kBatch) {
    if (count > 0) search_range(corpus, queries, 0, count, options, execution, sum, results.data());
  } else {
    // Many queries of a small corpus: each worker takes its own, through an execution that passes the stop on.
    std::mutex mutex;
    execution.for_chunks(count, kBatch, [&](int worker, std::int64_t begin, std::int64_t end) {
      Execution alone(1, [&execution, worker] { return execution.stopped(worker); });
      SearchStatistics one;
      search_range(corpus, queries, begin, end, options, alone, one, results.data());
      std::lock_guard<std::mutex> lock(mutex);
      sum.add(one);
    });
  }
  if (statistics) *statistics = sum;
  return results;
}

}  // namespace fuzzbow
