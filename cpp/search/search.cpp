#include "search/search.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "search/bounded_search.hpp"
#include "support/counts.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kSmallCorpus = 20000;  // documents up to which a second worker is not worth it
constexpr std::int64_t kWorthABatch = 4;      // with fewer queries, one by one is faster
constexpr std::int64_t kTaskWords = 12;       // words of several queries that a task compares
constexpr std::int64_t kMostWords = 2000;     // words of queries searched together, so that similarities fit the cache

constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes of batch buffers that are kept

// Buffers of the calling thread, kept for its next single query.
SearchScratch& calling_scratch() {
  thread_local SearchScratch scratch;
  return scratch;
}

// Buffers of a batch, kept unless they are large.
class BatchScratch {
 public:
  BatchScratch() {
    if (!kept()) kept() = std::make_unique<SearchScratch>(kBatch);
  }
  ~BatchScratch() {
    if (kept()->bytes() > kMostKept) kept().reset();
  }
  SearchScratch& get() { return *kept(); }

 private:
  static std::unique_ptr<SearchScratch>& kept() {
    thread_local std::unique_ptr<SearchScratch> scratch;
    return scratch;
  }
};

// Queries that are searched together.
class Group {
 public:
  Group(const Corpus& corpus, const SearchOptions& options, Execution& execution, SearchStatistics& statistics)
      : corpus_(corpus),
        options_(options),
        execution_(execution),
        statistics_(statistics),
        workers_(corpus.size() < kSmallCorpus ? 1 : execution.threads()) {}

  // Searches with these texts, at most as many as the scratch has room for. Results are by text.
  void search(const QueryTexts& queries, const std::int64_t* texts, std::int64_t count, SearchScratch& scratch,
              std::vector<Hit>* results) {
    prepare(queries, texts, count, scratch);
    std::vector<QueryScratch*> bounded;
    std::vector<std::vector<Hit>*> targets;
    for (std::int64_t i = 0; i < count; ++i) {
      QueryScratch& query = scratch.queries[i];
      if (BoundedSearch::can_serve(corpus_, options_, query.query))
        bounded.push_back(&query), targets.push_back(results + texts[i]);
      else
        results[texts[i]] = search_fully(query), ++statistics_.full_scans;
    }
    if (bounded.empty()) return;
    search_bounded(scratch, bounded, targets);
    if (WordColumns* kept = kept_for(queries, count)) scratch.words.keep(corpus_, *kept);
  }

 private:
  // Only single queries use the cache: comparing the words of a batch together is fast enough.
  static WordColumns* kept_for(const QueryTexts& queries, std::int64_t count) {
    return count == 1 ? queries.columns : nullptr;
  }

  void prepare(const QueryTexts& queries, const std::int64_t* texts, std::int64_t count, SearchScratch& scratch) {
    execution_.for_chunks(count, 1, [&](int worker, std::int64_t i, std::int64_t) {
      scratch.queries[i].query.read(corpus_, queries, texts[i], execution_, worker);
    });
    scratch.words.start(*queries.table);
    for (std::int64_t i = 0; i < count; ++i) scratch.queries[i].query.name_words(corpus_, scratch.words);
    scratch.words.resize(corpus_, kept_for(queries, count));
    const int words = scratch.words.compared();
    execution_.for_chunks(words, count == 1 ? words : kTaskWords, [&](int, std::int64_t begin, std::int64_t end) {
      scratch.words.fill(corpus_, static_cast<int>(begin), static_cast<int>(end));
    });
    for (std::int64_t i = 0; i < count; ++i) scratch.queries[i].query.choose_factors(corpus_, scratch.words);
  }

  void search_bounded(SearchScratch& scratch, const std::vector<QueryScratch*>& queries,
                      const std::vector<std::vector<Hit>*>& targets) {
    BoundedSearch run(corpus_, options_, workers_, scratch, queries);
    execution_.on_workers(workers_, [&](int worker) {
      run.fill(execution_, worker);
      run.set_levels(execution_, worker);
      run.seed(execution_, worker);
      run.scan(execution_, worker);
    });
    add_counts(statistics_, run.statistics());
    for (std::size_t i = 0; i < queries.size(); ++i)
      *targets[i] = run.gave_up(i) ? search_fully(*queries[i]) : run.hits(i);
  }

  std::vector<Hit> search_fully(QueryScratch& scratch) {
    FullSearch full(corpus_, options_, workers_, scratch.query.words(), scratch.similarities);
    execution_.on_workers(workers_, [&](int worker) { full.fill(execution_, worker); });
    execution_.on_workers(workers_, [&](int worker) { full.scan(execution_, worker); });
    return full.hits();
  }

  const Corpus& corpus_;
  const SearchOptions& options_;
  Execution& execution_;
  SearchStatistics& statistics_;
  int workers_;
};

// Searches with these texts, up to kBatch at a time.
void search_texts(const Corpus& corpus, const QueryTexts& queries, const std::int64_t* texts, std::int64_t count,
                  const SearchOptions& options, Execution& execution, SearchStatistics& statistics,
                  std::vector<Hit>* results) {
  Group group(corpus, options, execution, statistics);
  if (count < kWorthABatch) {
    for (std::int64_t i = 0; i < count; ++i) group.search(queries, texts + i, 1, calling_scratch(), results);
    return;
  }
  BatchScratch scratch;
  for (std::int64_t first = 0, last; first < count; first = last) {
    std::int64_t words = queries.texts.length(texts[first]);
    for (last = first + 1; last < count && last - first < kBatch; ++last) {
      words += queries.texts.length(texts[last]);
      if (words > kMostWords) break;
    }
    group.search(queries, texts + first, last - first, scratch.get(), results);
  }
}

// Queries of similar length find their best documents in the same chunks.
std::vector<std::int64_t> by_length(const Ragged& texts) {
  std::vector<std::int64_t> order(texts.size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return texts.length(a) < texts.length(b); });
  return order;
}

}  // namespace

using Seen = SearchStatistics;
const std::array<Seen::Count, 6> Seen::kCounts = {{{"scanned", &Seen::scanned},
                                                   {"after_linear", &Seen::after_linear},
                                                   {"after_rows", &Seen::after_rows},
                                                   {"scored", &Seen::scored},
                                                   {"full_scans", &Seen::full_scans},
                                                   {"by_postings", &Seen::by_postings}}};

std::vector<Hit> best_of(const std::vector<TopList>& lists) {
  std::vector<Hit> all;
  for (const TopList& list : lists) all.insert(all.end(), list.hits().begin(), list.hits().end());
  std::sort(all.begin(), all.end(), better);
  if (!lists.empty() && all.size() > lists.front().wanted()) all.resize(lists.front().wanted());
  return all;
}

std::vector<Hit> search_alone(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                              const SearchOptions& options, Execution& execution, int worker, SearchScratch& scratch) {
  Execution alone(1, [&execution, worker] { return execution.stopped(worker); });  // forwards the stop
  const Ragged& texts = queries.texts;
  const QueryTexts query = {queries.table, queries.identities, {texts.ids, texts.offsets + text, texts.counts, 1}};
  const std::int64_t first = 0;
  SearchStatistics unread;
  std::vector<Hit> hits;
  Group(corpus, options, alone, unread).search(query, &first, 1, scratch, &hits);
  return hits;
}

std::vector<std::vector<Hit>> search(const Corpus& corpus, const QueryTexts& queries, const SearchOptions& options,
                                     Execution& execution, SearchStatistics* statistics) {
  std::vector<std::vector<Hit>> results(queries.texts.size);
  SearchStatistics sum;
  const std::int64_t count = queries.texts.size;
  const std::vector<std::int64_t> order = by_length(queries.texts);
  if (corpus.size() >= kSmallCorpus || execution.threads() == 1 || count < 2 * kWorthABatch) {
    search_texts(corpus, queries, order.data(), count, options, execution, sum, results.data());
  } else {
    // Many queries of a small corpus: each worker searches with its own.
    std::mutex mutex;
    const std::int64_t share = (count + execution.threads() - 1) / execution.threads();
    const std::int64_t chunk = std::min<std::int64_t>(kBatch, std::max(kWorthABatch, share));
    execution.for_chunks(count, chunk, [&](int worker, std::int64_t begin, std::int64_t end) {
      Execution alone(1, [&execution, worker] { return execution.stopped(worker); });  // forwards the stop
      SearchStatistics one;
      search_texts(corpus, queries, order.data() + begin, end - begin, options, alone, one, results.data());
      std::lock_guard<std::mutex> lock(mutex);
      add_counts(sum, one);
    });
  }
  if (statistics) *statistics = sum;
  return results;
}

}  // namespace fuzzbow
