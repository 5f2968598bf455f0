#include "bm25/search.hpp"

#include <algorithm>

#include "bm25/block_scan.hpp"
#include "bm25/prepared_query.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kGroupQueries = 256;   // queries whose words are looked up together
constexpr std::int64_t kMostWords = 1 << 14;  // words of these queries
constexpr std::int64_t kWorthTwo = 1 << 17;   // postings of a query that are worth a second worker

struct Scratch {
  PreparedBm25Query query;
  std::vector<BlockScan::Scratch> scans;
};

// Buffers of the calling thread, kept for its next single query; those of batches live for one call.
Scratch& calling_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

class Bm25Search {
 public:
  Bm25Search(const Bm25Corpus& corpus, const SearchOptions& options)
      : corpus_(corpus), options_(options), norms_(norms_by_length(corpus)) {}

  // Searches with one query; if `alone`, on several workers.
  std::vector<Hit> search(const Bm25QueryWords& words, const std::uint32_t* ids, std::int64_t length,
                          Execution& execution, int worker, bool alone, Scratch& scratch) const {
    scratch.query.clear();
    scratch.query.read(corpus_, words, ids, length);
    const int workers = alone && scratch.query.volume() > kWorthTwo ? execution.threads() : 1;
    scratch.scans.resize(std::max<std::size_t>(scratch.scans.size(), workers));
    SharedThreshold threshold(std::max(0.0f, options_.min_score));
    std::vector<TopList> lists(workers);
    const auto scan = [&](int part, int thread) {
      BlockScan run(corpus_, options_, norms_, scratch.query, threshold, scratch.scans[part]);
      run.scan(corpus_.size() * part / workers, corpus_.size() * (part + 1) / workers, execution, thread);
      lists[part] = run.best();
    };
    if (workers == 1)
      scan(0, worker);
    else
      execution.on_workers(workers, [&](int part) { scan(part, part); });
    std::vector<Hit> hits = best_of(lists);
    if (options_.min_score <= 0) add_zeros(hits);
    return hits;
  }

 private:
  // Adds documents with score 0, which are in no list, if there are too few better ones.
  void add_zeros(std::vector<Hit>& hits) const {
    const std::size_t wanted = static_cast<std::size_t>(options_.wanted);
    if (hits.size() == wanted && hits.back().score > 0) return;
    std::vector<std::uint32_t> known;
    for (const Hit& hit : hits) known.push_back(hit.document);
    std::sort(known.begin(), known.end());
    std::size_t added = 0;
    for (std::uint32_t document = 0; document < corpus_.size() && added < wanted; ++document) {
      if (corpus_.removed(document) || (options_.allowed && !options_.allowed[document])) continue;
      if (std::binary_search(known.begin(), known.end(), document)) continue;
      hits.push_back({0.0f, document});
      ++added;
    }
    std::sort(hits.begin(), hits.end(), better);
    if (hits.size() > wanted) hits.resize(wanted);
  }

  const Bm25Corpus& corpus_;
  const SearchOptions& options_;
  std::vector<float> norms_;
};

// End of the queries from `begin` on that are searched together.
std::int64_t group_end(const Ragged& texts, std::int64_t begin) {
  std::int64_t end = begin + 1;
  while (end < texts.size && end - begin < kGroupQueries && texts.offsets[end + 1] - texts.offsets[begin] <= kMostWords)
    ++end;
  return end;
}

}  // namespace

std::vector<std::vector<Hit>> bm25_search(const Bm25Corpus& corpus, const QueryTexts& queries,
                                          const SearchOptions& options, Execution& execution) {
  const Ragged& texts = queries.texts;
  const Bm25Search search(corpus, options);
  std::vector<std::vector<Hit>> results(texts.size);
  const bool few = texts.size < 2 * execution.threads();
  std::vector<Scratch> own(few ? 0 : execution.threads());
  for (std::int64_t begin = 0, end; begin < texts.size; begin = end) {
    end = group_end(texts, begin);
    const Bm25QueryWords words(corpus, queries, begin, end, execution);
    const auto one = [&](std::int64_t text, int worker, Scratch& scratch) {
      results[text] =
          search.search(words, texts.ids + texts.start(text), texts.length(text), execution, worker, few, scratch);
    };
    if (few)
      for (std::int64_t text = begin; text < end; ++text) one(text, 0, calling_scratch());
    else
      execution.for_chunks(end - begin, 1,
                           [&](int worker, std::int64_t i, std::int64_t) { one(begin + i, worker, own[worker]); });
  }
  return results;
}

std::vector<double> bm25_word_weights(const Bm25Corpus& corpus, const QueryTexts& words, Execution& execution) {
  std::vector<double> weights;
  const std::int64_t count = words.texts.total();
  weights.reserve(count);
  for (std::int64_t begin = 0; begin < count; begin += kMostWords) {
    const std::int64_t part[2] = {begin, std::min(count, begin + kMostWords)};
    const QueryTexts some = {words.table, words.identities, {words.texts.ids, part, nullptr, 1}};
    const Bm25QueryWords words_of_part(corpus, some, 0, 1, execution);
    for (std::int64_t i = part[0]; i < part[1]; ++i)
      weights.push_back(words_of_part.weight(words_of_part.position(words.texts.ids[i])));
  }
  return weights;
}

}  // namespace fuzzbow
