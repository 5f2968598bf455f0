#include "search/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuzzbow {

namespace {

constexpr std::int64_t kPanelsAtOnce = 64;
constexpr std::int64_t kWordsAtOnce = 960;

}  // namespace

SearchRun::SearchRun(const Corpus& corpus, const SearchOptions& options, int workers, SearchScratch& scratch)
    : corpus_(corpus), options_(options), scratch_(scratch), workers_(workers), threshold_(options.min_score) {
  for (Worker& worker : workers_) worker.top = TopList(options.wanted);
  // Past this many exact scores a full scan through a similarity table is cheaper.
  patience_ = corpus.size() / 64 + 2000 + (options.all ? 0 : 4 * options.wanted);
  const bool counted = corpus.counted() || scratch.query.words().counts;
  const bool everything = !options.all && options.wanted * 4 >= corpus.size();
  full_ = counted || everything || scratch.query.distinct() == 0 || corpus.words() == 0;
  by_table_ = !counted && SimilarityTable::fits(corpus.words(), scratch.query.words().length);
  if (!by_table_ && !counted) patience_ = std::numeric_limits<std::int64_t>::max();
  if (!full_) scratch.bounds.resize(corpus, scratch.query);
  order_chunks();
}

// Documents about as long as the query first: they hold the best hits most often, and raise the threshold early.
void SearchRun::order_chunks() {
  for (const auto& segment : corpus_.segments())
    for (const Chunk& chunk : segment->chunks()) places_.push_back({segment.get(), &chunk});
  const std::int64_t length = scratch_.query.words().length;
  auto distance = [&](const Place& place) {
    return std::abs(place.segment->groups()[place.chunk->group].length - length);
  };
  std::stable_sort(places_.begin(), places_.end(),
                   [&](const Place& a, const Place& b) { return distance(a) < distance(b); });
}

void SearchRun::fill(Execution& execution, int worker) {
  if (full_) return;
  const std::int64_t panels = corpus_.panels().panels();
  for (;;) {
    const std::int64_t begin = next_panels_.fetch_add(kPanelsAtOnce);
    if (begin >= panels || execution.stopped(worker)) return;
    scratch_.bounds.fill(corpus_, scratch_.query, begin, std::min(panels, begin + kPanelsAtOnce));
  }
}

void SearchRun::scan(Execution& execution, int worker) {
  if (full_) return;
  PairScorer scorer(execution, worker);
  for (;;) {
    const std::int64_t taken = next_place_.fetch_add(1);
    if (taken >= static_cast<std::int64_t>(places_.size()) || execution.stopped(worker) || full_) return;
    scan_chunk(places_[taken], workers_[worker], scorer);
  }
}

double SearchRun::needed(double size) const {
  return needed_numerator(corpus_.measure(), threshold_.load(std::memory_order_relaxed), scratch_.query.size(), size);
}

void SearchRun::scan_chunk(const Place& place, Worker& worker, PairScorer& scorer) {
  const Chunk& chunk = *place.chunk;
  const Group& group = place.segment->groups()[chunk.group];
  worker.counts.scanned += chunk.end - chunk.begin;
  if (group.length == 0) return offer_empty(place, worker);
  worker.survivors.resize(chunk.end - chunk.begin + 16);
  worker.numerators.resize(chunk.end - chunk.begin + 16);
  // needed() is concave in the size, so its chord over the sizes of this chunk lies below it.
  const double low = needed(chunk.smallest_size), high = needed(chunk.largest_size);
  const double width = static_cast<double>(chunk.largest_size) - chunk.smallest_size;
  const bool open = !(low > -1e30);
  const double slope = open || width <= 0 ? 0 : (high - low) / width;
  const double intercept = open ? -3e38 : low - slope * chunk.smallest_size - 1e-6 * (std::fabs(low) + std::fabs(high));
  const ScanJob job = {place.segment->ids(group),
                       static_cast<int>(group.length),
                       chunk.begin,
                       chunk.end,
                       place.segment->sizes(group),
                       scratch_.bounds.linear(),
                       scratch_.bounds.base(),
                       scratch_.bounds.inverse_unit(),
                       static_cast<float>(intercept),
                       static_cast<float>(slope),
                       worker.survivors.data(),
                       worker.numerators.data()};
  std::int64_t found = chunk.end - chunk.begin;
  if (group.length > 60000) {  // a sum of 16-bit cells could leave 32 bits: all survive
    for (std::int64_t i = 0; i < found; ++i) {
      worker.survivors[i] = static_cast<std::uint32_t>(chunk.begin + i);
      worker.numerators[i] = 3e38f;
    }
  } else {
    found = (place.segment->wide() ? kernels().scan_wide : kernels().scan_short)(job);
  }
  worker.survivors.resize(found);
  worker.counts.after_linear += found;
  if (!options_.all && !seeded_.exchange(true)) seed(place, worker, scorer);
  refine(place, worker);
  for (const Candidate& candidate : worker.candidates) {
    if (candidate.numerator < needed(place.segment->size_of(group.first + candidate.number))) continue;
    score_candidate(place, candidate.number, worker, scorer);
    if (full_) return;
  }
}

// Documents without words score 0, and no bound can tell them from others of no size.
void SearchRun::offer_empty(const Place& place, Worker& worker) {
  if (threshold_.load(std::memory_order_relaxed) > 0) return;
  const Group& group = place.segment->groups()[place.chunk->group];
  for (std::int64_t i = place.chunk->begin; i < place.chunk->end; ++i) {
    const std::uint32_t document = place.segment->document(group.first + i);
    if (!skipped(document)) offer(worker, {0.0f, document});
  }
}

// The first chunk: exact scores of its most promising documents give the threshold for everything else.
void SearchRun::seed(const Place& place, Worker& worker, PairScorer& scorer) {
  const Group& group = place.segment->groups()[place.chunk->group];
  const std::int64_t found = static_cast<std::int64_t>(worker.survivors.size());
  const std::int64_t wanted = 2 * options_.wanted;
  if (found <= 2 * wanted) return;
  std::vector<std::pair<float, std::int64_t>> order(found);
  for (std::int64_t i = 0; i < found; ++i) {
    const float size = place.segment->size_of(group.first + worker.survivors[i]);
    const double full = needed_numerator(corpus_.measure(), 1.0, scratch_.query.size(), size);
    order[i] = {full > 0 ? static_cast<float>(worker.numerators[i] / full) : 3e38f, i};
  }
  std::partial_sort(order.begin(), order.begin() + wanted, order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (std::int64_t i = 0; i < wanted; ++i) {
    const std::int64_t taken = order[i].second;
    score_candidate(place, worker.survivors[taken], worker, scorer);
    worker.numerators[taken] = -std::numeric_limits<float>::infinity();  // done
  }
}

void SearchRun::refine(const Place& place, Worker& worker) {
  const Group& group = place.segment->groups()[place.chunk->group];
  worker.candidates.clear();
  for (std::size_t i = 0; i < worker.survivors.size(); ++i) {
    const std::int64_t number = worker.survivors[i];
    const float size = place.segment->size_of(group.first + number);
    const double enough = needed(size);
    if (worker.numerators[i] == -std::numeric_limits<float>::infinity() || worker.numerators[i] < enough) continue;
    const Segment::Words words = place.segment->words(group, number, worker.local);
    const float numerator = scratch_.bounds.row_numerator(words.local, words.length, worker.numerators[i]);
    if (numerator < enough) continue;
    const double full = needed_numerator(corpus_.measure(), 1.0, scratch_.query.size(), size);
    worker.candidates.push_back({full > 0 ? static_cast<float>(numerator / full) : 3e38f, numerator, number});
  }
  worker.counts.after_rows += static_cast<std::int64_t>(worker.candidates.size());
  std::sort(worker.candidates.begin(), worker.candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.promise != b.promise ? a.promise > b.promise : a.number < b.number;
  });
}

void SearchRun::score_candidate(const Place& place, std::int64_t number, Worker& worker, PairScorer& scorer) {
  const Group& group = place.segment->groups()[place.chunk->group];
  const std::uint32_t document = place.segment->document(group.first + number);
  if (skipped(document)) return;
  const Segment::Words words = place.segment->words(group, number, worker.local);
  worker.table_ids.resize(words.length);
  for (std::int64_t j = 0; j < words.length; ++j) worker.table_ids[j] = corpus_.table_ids()[words.local[j]];
  const TextWords& text = worker.gathered.gather(corpus_.table(), worker.table_ids.data(), words.length, words.counts,
                                                 words.self ? words.self : corpus_.ones());
  offer(worker, {scorer.score(corpus_.measure(), scratch_.query.words(), text).score, document});
  ++worker.counts.scored;
  if (scored_.fetch_add(1, std::memory_order_relaxed) > patience_) full_ = true;
}

void SearchRun::offer(Worker& worker, Hit hit) {
  if (hit.score < options_.min_score) return;
  worker.top.add(hit);
  if (!worker.top.full()) return;
  const float worst = worker.top.worst();
  float current = threshold_.load(std::memory_order_relaxed);
  while (worst > current && !threshold_.compare_exchange_weak(current, worst)) {
  }
}

void SearchRun::fill_full(Execution& execution, int worker) {
  if (!by_table_) return;
  const std::int64_t words = corpus_.words();
  for (;;) {
    const std::int64_t begin = next_words_.fetch_add(kWordsAtOnce);
    if (begin >= words || execution.stopped(worker)) return;
    scratch_.similarities.fill(corpus_.table(), corpus_.table_ids(), begin, std::min(words, begin + kWordsAtOnce),
                               scratch_.query.words());
  }
}

void SearchRun::scan_full(Execution& execution, int number) {
  Worker& worker = workers_[number];
  worker.top = TopList(options_.wanted);
  PairScorer scorer(execution, number);
  SimilarityTable::Scratch table_scratch;
  for (;;) {
    const std::int64_t taken = next_full_.fetch_add(1);
    if (taken >= static_cast<std::int64_t>(places_.size())) return;
    const Place& place = places_[taken];
    const Group& group = place.segment->groups()[place.chunk->group];
    for (std::int64_t i = place.chunk->begin; i < place.chunk->end; ++i) {
      if (execution.stopped(number)) return;
      const std::uint32_t document = place.segment->document(group.first + i);
      if (skipped(document)) continue;
      if (!by_table_) {
        score_candidate(place, i, worker, scorer);
        continue;
      }
      const Segment::Words words = place.segment->words(group, i, worker.local);
      const float* self = words.self ? words.self : corpus_.ones();
      offer(worker, {scratch_.similarities
                         .score(corpus_.measure(), scratch_.query.words(), corpus_.table(), corpus_.table_ids(),
                                words.local, words.length, self, table_scratch)
                         .score,
                     document});
    }
  }
}

std::vector<Hit> search_alone(const Corpus& corpus, const QueryTexts& queries, std::int64_t text,
                              const SearchOptions& options, Execution& execution, int worker, SearchScratch& scratch) {
  scratch.query.prepare(corpus, queries, text, execution, worker);
  SearchRun run(corpus, options, worker + 1, scratch);
  run.fill(execution, worker);
  run.scan(execution, worker);
  if (run.needs_full_scan()) {
    scratch.similarities.resize(corpus.words(), scratch.query.words().length);
    run.fill_full(execution, worker);
    run.scan_full(execution, worker);
  }
  if (execution.stopped(worker)) throw Interrupted();
  return run.hits();
}

std::vector<Hit> SearchRun::hits() const {
  std::vector<Hit> all;
  for (const Worker& worker : workers_) all.insert(all.end(), worker.top.hits().begin(), worker.top.hits().end());
  std::sort(all.begin(), all.end(), better);
  if (static_cast<std::int64_t>(all.size()) > options_.wanted) all.resize(options_.wanted);
  return all;
}

SearchStatistics SearchRun::statistics() const {
  SearchStatistics sum;
  for (const Worker& worker : workers_) {
    sum.scanned += worker.counts.scanned;
    sum.after_linear += worker.counts.after_linear;
    sum.after_rows += worker.counts.after_rows;
    sum.scored += worker.counts.scored;
  }
  sum.full_scans = full_;
  return sum;
}

}  // namespace fuzzbow
