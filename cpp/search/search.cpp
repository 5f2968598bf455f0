#include "search/search.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "search/run.hpp"

namespace fuzzbow {

namespace {

// Buffers of the calling thread stay for its next search; those of workers live for one call.
SearchScratch& calling_scratch() {
  thread_local SearchScratch scratch;
  return scratch;
}

void add(SearchStatistics& sum, const SearchStatistics& one) {
  sum.scanned += one.scanned;
  sum.after_linear += one.after_linear;
  sum.after_rows += one.after_rows;
  sum.scored += one.scored;
  sum.full_scans += one.full_scans;
}

// All workers on one query.
std::vector<Hit> search_together(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                                 const SearchOptions& options, Execution& execution, SearchStatistics& statistics) {
  SearchScratch& scratch = calling_scratch();
  scratch.query.prepare(corpus, queries, text, execution, 0);
  const int workers = corpus.size() < 20000 ? 1 : execution.threads();
  SearchRun run(corpus, options, workers, scratch);
  if (!run.needs_full_scan()) {
    Barrier barrier(workers);
    execution.on_workers(workers, [&](int worker) {
      run.fill(execution, worker);
      barrier.wait(execution, worker);
      run.scan(execution, worker);
    });
  }
  if (run.needs_full_scan()) {
    scratch.similarities.resize(corpus.words(), scratch.query.words().length);
    execution.on_workers(workers, [&](int worker) { run.fill_full(execution, worker); });
    execution.on_workers(workers, [&](int worker) { run.scan_full(execution, worker); });
  }
  add(statistics, run.statistics());
  return run.hits();
}

}  // namespace

std::vector<std::vector<Hit>> search(const Corpus& corpus, const QueryTexts& queries, const SearchOptions& options,
                                     Execution& execution, SearchStatistics* statistics) {
  std::vector<std::vector<Hit>> results(queries.texts.size);
  SearchStatistics sum;
  if (queries.texts.size < 2 * execution.threads() || execution.threads() == 1) {
    for (std::int64_t text = 0; text < queries.texts.size; ++text)
      results[text] = search_together(corpus, queries, text, options, execution, sum);
  } else {
    // Many queries: each worker takes whole queries, through an execution of its own that passes the stop on.
    std::mutex mutex;
    execution.for_chunks(queries.texts.size, 1, [&](int worker, std::int64_t text, std::int64_t) {
      Execution alone(1, [&execution, worker] { return execution.stopped(worker); });
      SearchStatistics one;
      results[text] = search_together(corpus, queries, text, options, alone, one);
      std::lock_guard<std::mutex> lock(mutex);
      add(sum, one);
    });
  }
  if (statistics) *statistics = sum;
  return results;
}

}  // namespace fuzzbow
