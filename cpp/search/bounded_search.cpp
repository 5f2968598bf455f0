#include "search/bounded_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fuzzbow {

namespace {

constexpr std::int64_t kPanelsAtOnce = 64, kPanelGroup = 8;
constexpr std::int64_t kWordsAtOnce = GainWords::kWordsAtOnce;
constexpr std::int64_t kSampleBlocks = 16;    // to seed the threshold
constexpr std::int64_t kManySurvivors = 400;  // of one chunk: worth a higher threshold first
constexpr float kSeedShare = 1.3f;            // of words whose postings tell what is promising
constexpr float kShareOfThreshold = 0.92f;    // of the words whose postings are read
constexpr float kPostingsPerDocument = 2.0f;  // at most: more take longer than a scan
constexpr int kBisections = 4;                // to find what few documents of a part reach

// Panels that are filled in together: of frequent words, the one that holds both kinds, or of rare words.
std::int64_t end_of_group(std::int64_t first) {
  constexpr std::int64_t kMixed = kFrequentWords / kPanel;
  if (first == kMixed) return first + 1;
  return first < kMixed ? std::min(kMixed, first + kPanelGroup) : first + kPanelGroup;
}

}  // namespace

std::vector<Place> places_by_length(const Corpus& corpus, double length) {
  std::vector<Place> places;
  for (const auto& segment : corpus.segments())
    for (const Chunk& chunk : segment->chunks()) places.push_back({segment.get(), &chunk});
  auto distance = [&](const Place& place) { return std::fabs(static_cast<double>(place.chunk->length) - length); };
  std::stable_sort(places.begin(), places.end(),
                   [&](const Place& a, const Place& b) { return distance(a) < distance(b); });
  return places;
}

BoundedSearch::BoundedSearch(const Corpus& corpus, const SearchOptions& options, int workers, SearchScratch& scratch,
                             const std::vector<QueryScratch*>& queries)
    : corpus_(corpus),
      options_(options),
      words_(scratch.words),
      batch_(scratch.levels),
      remembers_(queries.size() == 1 && SeenWords::can_serve(corpus, queries[0]->query.words())),
      by_postings_(queries.size() == 1 && corpus.listed()),
      workers_(workers),
      filled_(corpus.panels().panels()),
      levelled_(corpus.words()),
      seeded_(0) {
  double length = 0;
  std::vector<const BoundTables*> tables;
  for (QueryScratch* query : queries) {
    queries_.push_back(std::make_unique<Query>(*query, options.min_score));
    // Past this many exact scores a full search is cheaper.
    queries_.back()->patience = FullSearch::has_table(corpus, query->query.words())
                                    ? corpus.size() / 64 + 2000 + (options.all ? 0 : 4 * options.wanted)
                                    : std::numeric_limits<std::int64_t>::max();
    query->bounds.resize(corpus, query->query);
    tables.push_back(&query->bounds);
    length += static_cast<double>(query->query.words().length) / static_cast<double>(queries.size());
  }
  if (queries_.size() > 1) batch_.resize(corpus.words(), std::move(tables));
  if (scratch.workers.size() < workers_.size()) scratch.workers.resize(workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].tops.assign(queries_.size(), TopList(options.wanted));
    workers_[i].scratch = &scratch.workers[i];
    if (remembers_) scratch.workers[i].seen.start(corpus, queries[0]->query.words());
  }
  if (by_postings_) queries[0]->gains.resize(corpus, queries[0]->bounds);
  tasks_ = tasks_by_length(length);
  seeded_.expect(static_cast<std::int64_t>(by_postings_ ? tasks_.size() : queries_.size()));
  seeds_ = !options.all && !tasks_.empty() && place(tasks_[0], tasks_[0].begin).chunk->length > 0;
}

// As places_by_length; a part goes by the chunk in its middle.
std::vector<BoundedSearch::Task> BoundedSearch::tasks_by_length(double length) const {
  std::vector<Task> tasks;
  for (const auto& segment : corpus_.segments()) {
    std::size_t chunk = 0;
    const auto add_chunks = [&](std::size_t end) {
      for (; chunk < end; ++chunk) tasks.push_back({segment.get(), chunk, chunk + 1, -1});
    };
    if (by_postings_)
      for (std::size_t i = 0; i < segment->parts().size(); ++i) {
        const Part& part = segment->parts()[i];
        add_chunks(part.begin);
        tasks.push_back({segment.get(), part.begin, part.end, static_cast<std::int64_t>(i)});
        chunk = part.end;
      }
    add_chunks(segment->chunks().size());
  }
  const auto distance = [&](const Task& task) {
    return std::fabs(static_cast<double>(place(task, (task.begin + task.end) / 2).chunk->length) - length);
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](const Task& a, const Task& b) { return distance(a) < distance(b); });
  return tasks;
}

bool BoundedSearch::can_serve(const Corpus& corpus, const SearchOptions& options, const PreparedQuery& query) {
  const bool counted = corpus.counted() || query.words().counts;
  const bool everything = !options.all && options.wanted * 4 >= corpus.size();
  return corpus.similarity().bounded() && !counted && !everything && query.distinct() > 0 && corpus.words() > 0;
}

void BoundedSearch::fill(Execution& execution, int worker) {
  const std::int64_t panels = corpus_.panels().panels();
  for (;;) {
    const std::int64_t begin = next_panels_.fetch_add(kPanelsAtOnce);
    if (begin >= panels || execution.stopped(worker)) break;
    QueryWords::Reader reader(corpus_, words_, begin);
    const std::int64_t end = std::min(panels, begin + kPanelsAtOnce);
    for (std::int64_t first = begin, last; first < end; first = last) {
      last = std::min(end, end_of_group(first));
      const float* similarities = reader.read(first, last);
      for (const auto& query : queries_)
        query->scratch.bounds.fill(corpus_, query->scratch.query, first, last, similarities, words_.count());
    }
    filled_.done(end - begin);
  }
  filled_.wait(execution, worker);
}

void BoundedSearch::set_levels(Execution& execution, int worker) {
  for (;;) {
    const std::int64_t begin = next_words_.fetch_add(kWordsAtOnce);
    if (begin >= corpus_.words() || execution.stopped(worker)) break;
    const std::int64_t end = std::min(corpus_.words(), begin + kWordsAtOnce);
    if (queries_.size() > 1)
      batch_.set_levels(begin, end);
    else
      queries_[0]->scratch.bounds.set_levels(begin, end);
    if (by_postings_) queries_[0]->scratch.gains.find(corpus_, begin, end);
    levelled_.done(end - begin);
  }
  levelled_.wait(execution, worker);
}

// Blocks of the first chunks, to seed the threshold: of one only for many queries, whose survivors share their room.
std::vector<Chunk> BoundedSearch::sample() const {
  std::vector<Chunk> chunks;
  std::int64_t left = kSampleBlocks;
  for (std::size_t i = 0; i < tasks_.size() && left > 0 && (i == 0 || queries_.size() == 1); ++i) {
    Chunk chunk = *place(tasks_[i], tasks_[i].begin).chunk;
    chunk.end = std::min(chunk.end, chunk.begin + left);
    left -= chunk.end - chunk.begin;
    chunks.push_back(chunk);
  }
  return chunks;
}

// The scan starts with a threshold that a sample gives, and with the scores that it took.
void BoundedSearch::seed(Execution& execution, int number) {
  if (!seeds_) return;
  if (by_postings_) return seed_by_postings(execution, number);
  DocumentScorer scorer(corpus_, execution, number);
  Worker& worker = workers_[number];
  worker.scorer = &scorer;
  const std::vector<Chunk> chunks = sample();
  std::vector<Place> places;
  for (std::size_t n = 0; n < chunks.size(); ++n) places.push_back({tasks_[n].segment, &chunks[n]});
  Survivors survivors[kBatch];
  bool passed = false;
  for (;;) {
    const std::size_t i = next_seed_.fetch_add(1);
    if (i >= queries_.size() || execution.stopped(number)) break;
    worker.promising.clear();
    for (std::size_t n = 0; n < chunks.size(); ++n) {
      if (chunks[n].length == 0) continue;
      const Place& place = places[n];
      if (!passed || chunks.size() > 1) pass(place, worker, survivors);
      collect(*queries_[i], place, n, survivors[i], worker);
    }
    passed = true;
    for (const Hit& hit : score_promising(*queries_[i], places, 4 * options_.wanted, worker)) {
      offer(i, hit, worker);
      queries_[i]->seeded.push_back(hit.document);
    }
    std::sort(queries_[i]->seeded.begin(), queries_[i]->seeded.end());
    seeded_.done(1);
  }
  seeded_.wait(execution, number);
}

// The same from all parts: a few postings tell which of their documents are promising.
void BoundedSearch::seed_by_postings(Execution& execution, int number) {
  DocumentScorer scorer(corpus_, execution, number);
  Worker& worker = workers_[number];
  worker.scorer = &scorer;
  worker.promising.clear();
  GainLists lists;
  lists.choose(queries_[0]->scratch.gains, kSeedShare, GainWords::kLowestShare);
  std::vector<Place> places;
  std::int64_t done = 0;
  for (std::size_t n; (n = next_seed_.fetch_add(1)) < tasks_.size() && !execution.stopped(number); ++done)
    if (tasks_[n].part >= 0) find_promising(tasks_[n], lists, worker, places);
  Query& query = *queries_[0];
  const std::vector<Hit> hits = score_promising(query, places, 0, worker);
  if (!hits.empty()) {
    const std::lock_guard<std::mutex> lock(seeding_);
    for (const Hit& hit : hits) {
      offer(0, hit, worker);
      query.seeded.push_back(hit.document);
    }
    std::sort(query.seeded.begin(), query.seeded.end());
  }
  seeded_.done(done);
  seeded_.wait(execution, number);
}

// Adds documents of a part to those that are promising; the best are kept, and set the bar for the next part.
void BoundedSearch::find_promising(const Task& task, const GainLists& lists, Worker& worker,
                                   std::vector<Place>& places) {
  const Query& query = *queries_[0];
  const DocumentSums sums = add_up(task, lists, worker);
  const auto reach = [&](const Place& place, float threshold) {
    const ScanJob job = scan_job(place, line(query, *place.chunk, threshold), worker);
    return std::pair(job, kernels().scan_sums(job, sums));
  };
  const std::int64_t many = 4 * options_.wanted;
  float low = bar_.load(), high = 1.0f;
  for (int round = 0, rounds = low > 0 ? 0 : kBisections; round < rounds; ++round) {
    const float middle = 0.5f * (low + high);
    std::int64_t count = 0;
    for (std::size_t i = task.begin; i < task.end && count <= many; ++i) count += reach(place(task, i), middle).second;
    (count > many ? low : high) = middle;
  }
  for (std::size_t i = task.begin; i < task.end; ++i) {
    places.push_back(place(task, i));
    const auto [job, found] = reach(places.back(), low);
    const std::int64_t kept = (places.back().chunk->wide ? kernels().keep_wide : kernels().keep_short)(job, found);
    collect(query, places.back(), places.size() - 1, {job.survivors, job.numerators, kept}, worker);
  }
  std::vector<Promising>& promising = worker.promising;
  if (static_cast<std::int64_t>(promising.size()) <= many) return;
  best_first(promising, many);
  promising.resize(many + 1);
  const float lowest = promising.back().promise;
  while (lowest > low && !bar_.compare_exchange_weak(low, lowest)) {
  }
}

// The `count` most promising come first, and after them the next.
void BoundedSearch::best_first(std::vector<Promising>& promising, std::int64_t count) {
  std::nth_element(promising.begin(), promising.begin() + count, promising.end(),
                   [](const Promising& a, const Promising& b) { return a.promise > b.promise; });
}

void BoundedSearch::collect(const Query& query, const Place& place, std::size_t number, const Survivors& survivors,
                            Worker& worker) const {
  for (std::int64_t i = 0; i < survivors.count; ++i) {
    const std::uint32_t position = survivors.positions[i];
    if (options_.skips(corpus_, place.segment->document(position))) continue;
    worker.promising.push_back({promise(query, survivors.numerators[i], place.segment->size_of(position)),
                                static_cast<std::uint32_t>(number), position});
  }
}

// Exact scores of the most promising documents as many as wanted, where there are more than `most_left`.
std::vector<Hit> BoundedSearch::score_promising(const Query& query, const std::vector<Place>& places,
                                                std::int64_t most_left, Worker& worker) {
  std::vector<Hit> hits;
  std::vector<Promising>& promising = worker.promising;
  if (static_cast<std::int64_t>(promising.size()) <= most_left) return hits;
  const std::int64_t count = std::min<std::int64_t>(options_.wanted, promising.size());
  best_first(promising, count);
  for (std::int64_t i = 0; i < count; ++i) {
    const Place& place = places[promising[i].place];
    const std::uint32_t position = promising[i].position;
    hits.push_back({exact_score(query, place, position, worker), place.segment->document(position)});
  }
  worker.counts.scored += count;
  return hits;
}

// Exact scores of the most promising survivors raise the threshold.
void BoundedSearch::raise_by_promising(Query& query, const Place& place, const Survivors& survivors, Worker& worker) {
  if (options_.all) return;
  worker.promising.clear();
  collect(query, place, 0, survivors, worker);
  TopList top(options_.wanted);
  for (const Hit& hit : score_promising(query, {place}, 4 * options_.wanted, worker)) top.add(hit);
  raise_threshold(query, top);
}

// What these lists add to the documents of a part, without what is in none of them.
DocumentSums BoundedSearch::add_up(const Task& task, const GainLists& lists, Worker& worker) const {
  const std::vector<Chunk>& chunks = task.segment->chunks();
  const std::int64_t first = chunks[task.begin].begin, documents = (chunks[task.end - 1].end - first) * kBlock;
  std::int32_t* sums = worker.scratch->sums.at_least(documents);
  std::fill_n(sums, documents, 0);
  lists.add_up(task.segment->postings(), task.part, sums);
  const BoundTables& bounds = queries_[0]->scratch.bounds;
  return {sums, first, bounds.base(), bounds.linear_unit(), lists.share()};
}

// Words of a share a little below the threshold; as that rises, fewer will do.
DocumentSums BoundedSearch::bound_by_postings(const Task& task, Worker& worker) const {
  const GainWords& words = queries_[0]->scratch.gains;
  const float highest = kShareOfThreshold * queries_[0]->threshold.load();
  if (task.part < 0 || highest < GainWords::kLowestShare) return {};
  const float share = GainWords::rounded(highest);
  if (static_cast<float>(words.cost(share)) > kPostingsPerDocument * static_cast<float>(corpus_.size())) return {};
  if (worker.lists.share() != share) worker.lists.choose(words, share, share);
  DocumentSums sums = add_up(task, worker.lists, worker);
  const std::int64_t unlisted = worker.lists.unlisted(words, task.segment->postings());
  sums.base = (sums.base + static_cast<float>(unlisted) * sums.unit) * 1.000001f;
  return sums;
}

void BoundedSearch::scan(Execution& execution, int number) {
  DocumentScorer scorer(corpus_, execution, number);
  Worker& worker = workers_[number];
  worker.scorer = &scorer;
  for (;;) {
    const std::int64_t taken = next_task_.fetch_add(1);
    if (taken >= static_cast<std::int64_t>(tasks_.size()) || execution.stopped(number)) return;
    const Task& task = tasks_[taken];
    worker.sums = bound_by_postings(task, worker);
    for (std::size_t i = task.begin; i < task.end && !execution.stopped(number); ++i)
      scan_chunk(place(task, i), worker);
  }
}

double BoundedSearch::needed(const Query& query, double size, float threshold) const {
  return corpus_.similarity().needed_numerator(threshold, query.scratch.query.size(), size);
}

// needed() is concave in the size, so its chord over the sizes of a chunk lies below it.
BoundedSearch::Line BoundedSearch::line(const Query& query, const Chunk& chunk, float threshold) const {
  if (query.given_up) return {3e38f, 0.0f};
  const double low = needed(query, chunk.smallest_size, threshold), high = needed(query, chunk.largest_size, threshold);
  const double width = static_cast<double>(chunk.largest_size) - chunk.smallest_size;
  if (!(low > -1e30)) return {-3e38f, 0.0f};
  const double slope = width <= 0 ? 0 : (high - low) / width;
  const double intercept = low - slope * chunk.smallest_size - 1e-6 * (std::fabs(low) + std::fabs(high));
  return {static_cast<float>(intercept), static_cast<float>(slope)};
}

void BoundedSearch::scan_chunk(const Place& place, Worker& worker) {
  if (place.chunk->length == 0) return offer_empty(place, worker);
  Survivors survivors[kBatch];
  pass(place, worker, survivors);
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    Query& query = *queries_[i];
    if (survivors[i].count > kManySurvivors) raise_by_promising(query, place, survivors[i], worker);
    refine(query, place, survivors[i], worker);
    for (const Candidate& candidate : worker.candidates) {
      if (query.given_up) break;
      if (candidate.numerator >= needed(query, place.segment->size_of(candidate.position)))
        score(i, place, candidate.position, worker);
    }
  }
}

void BoundedSearch::pass(const Place& place, Worker& worker, Survivors* survivors) const {
  const std::int64_t room = (place.chunk->end - place.chunk->begin) * kBlock;
  worker.scratch->survivors.at_least(room * queries_.size());
  worker.scratch->numerators.at_least(room * queries_.size());
  std::int64_t found[kBatch] = {};
  if (queries_.size() > 1)
    pass_batch(place, worker, room, found);
  else
    found[0] = pass_one(place, worker);
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    survivors[i] = {worker.scratch->survivors.data() + i * room, worker.scratch->numerators.data() + i * room,
                    found[i]};
    worker.counts.scanned += room;
    worker.counts.after_linear += found[i];
  }
}

ScanJob BoundedSearch::scan_job(const Place& place, const Line& enough, Worker& worker) const {
  const BoundTables& bounds = queries_[0]->scratch.bounds;
  const std::int64_t room = (place.chunk->end - place.chunk->begin) * kBlock;
  return {place.segment->scan_documents(*place.chunk),
          bounds.levels(),
          bounds.frequent_levels(),
          bounds.base(),
          bounds.unit(),
          bounds.frequent_unit(),
          enough.intercept,
          enough.slope,
          worker.scratch->survivors.at_least(room),
          worker.scratch->numerators.at_least(room)};
}

std::int64_t BoundedSearch::pass_one(const Place& place, Worker& worker) const {
  const Query& query = *queries_[0];
  const ScanJob job =
      scan_job(place, line(query, *place.chunk, query.threshold.load(std::memory_order_relaxed)), worker);
  const bool wide = place.chunk->wide;
  if (!tells(worker.sums, job, *place.chunk)) return (wide ? kernels().scan_wide : kernels().scan_short)(job);
  worker.counts.by_postings += (place.chunk->end - place.chunk->begin) * kBlock;
  return (wide ? kernels().keep_wide : kernels().keep_short)(job, kernels().scan_sums(job, worker.sums));
}

// Whether sums say anything: not where documents pass that are in no list.
bool BoundedSearch::tells(const DocumentSums& sums, const ScanJob& job, const Chunk& chunk) {
  const auto passes = [&](float size) { return sums.base >= job.intercept + (job.slope - sums.share) * size; };
  return sums.sums && !passes(chunk.smallest_size) && !passes(chunk.largest_size);
}

void BoundedSearch::pass_batch(const Place& place, Worker& worker, std::int64_t room, std::int64_t* found) const {
  alignas(64) float bases[kBatch], units[kBatch], intercepts[kBatch], slopes[kBatch];
  for (std::size_t i = 0; i < kBatch; ++i) {
    bases[i] = units[i] = slopes[i] = 0.0f;
    intercepts[i] = 3e38f;  // no document passes where there is no query
    if (i >= queries_.size()) continue;
    const Query& query = *queries_[i];
    const Line enough = line(query, *place.chunk, query.threshold.load(std::memory_order_relaxed));
    bases[i] = queries_[i]->scratch.bounds.base();
    units[i] = batch_.unit(i);
    intercepts[i] = enough.intercept;
    slopes[i] = enough.slope;
  }
  const BatchScanJob job = {place.segment->scan_documents(*place.chunk),
                            batch_.levels(),
                            batch_.frequent_levels(),
                            bases,
                            units,
                            intercepts,
                            slopes,
                            worker.scratch->survivors.data(),
                            worker.scratch->numerators.data(),
                            room,
                            found};
  (place.chunk->wide ? kernels().scan_batch_wide : kernels().scan_batch_short)(job);
}

void BoundedSearch::offer_empty(const Place& place, Worker& worker) {
  if (options_.min_score > 0) return;
  for (std::int64_t position = place.chunk->begin * kBlock; position < place.chunk->end * kBlock; ++position) {
    const std::uint32_t document = place.segment->document(position);
    if (document == kNobody || options_.skips(corpus_, document)) continue;
    for (std::size_t i = 0; i < queries_.size(); ++i) offer(i, {0.0f, document}, worker);
  }
}

float BoundedSearch::promise(const Query& query, float numerator, float size) const {
  const double full = corpus_.similarity().needed_numerator(1.0, query.scratch.query.size(), size);
  return full > 0 ? static_cast<float>(numerator / full) : 3e38f;
}

void BoundedSearch::refine(const Query& query, const Place& place, const Survivors& survivors, Worker& worker) {
  worker.candidates.clear();
  const BoundTables& bounds = query.scratch.bounds;
  // The rows of one document come from memory while the one before it is looked at.
  Candidate waiting = {0.0f, 0.0f, -1};
  const auto look = [&] {
    const float size = place.segment->size_of(waiting.position);
    waiting.numerator = bounds.row_numerator(worker.words, waiting.numerator);
    if (waiting.numerator < needed(query, size)) return;
    waiting.promise = promise(query, waiting.numerator, size);
    worker.candidates.push_back(waiting);
  };
  for (std::int64_t i = 0; i < survivors.count; ++i) {
    const std::int64_t position = survivors.positions[i];
    if (survivors.numerators[i] < needed(query, place.segment->size_of(position))) continue;
    place.segment->words(position, worker.next_words);
    bounds.expect_rows(worker.next_words);
    if (waiting.position >= 0) look();
    waiting = {0.0f, survivors.numerators[i], position};
    worker.words.swap(worker.next_words);
  }
  if (waiting.position >= 0) look();
  worker.counts.after_rows += static_cast<std::int64_t>(worker.candidates.size());
  std::sort(worker.candidates.begin(), worker.candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.promise != b.promise ? a.promise > b.promise : a.position < b.position;
  });
}

float BoundedSearch::exact_score(const Query& query, const Place& place, std::int64_t position, Worker& worker) const {
  const TextWords& words = query.scratch.query.words();
  if (remembers_ && place.chunk->length >= SeenWords::kLong)
    return worker.scratch->seen.score(corpus_, words, worker.scorer->words(*place.segment, position));
  return worker.scorer->score(words, *place.segment, position);
}

void BoundedSearch::score(std::size_t number, const Place& place, std::int64_t position, Worker& worker) {
  Query& query = *queries_[number];
  const std::uint32_t document = place.segment->document(position);
  if (options_.skips(corpus_, document)) return;
  if (std::binary_search(query.seeded.begin(), query.seeded.end(), document)) return;
  offer(number, {exact_score(query, place, position, worker), document}, worker);
  ++worker.counts.scored;
  if (query.scored.fetch_add(1, std::memory_order_relaxed) > query.patience) query.given_up = true;
}

void BoundedSearch::offer(std::size_t number, Hit hit, Worker& worker) {
  if (hit.score < options_.min_score) return;
  worker.tops[number].add(hit);
  raise_threshold(*queries_[number], worker.tops[number]);
}

void BoundedSearch::raise_threshold(Query& query, const TopList& top) {
  if (!top.full()) return;
  float current = query.threshold.load(std::memory_order_relaxed);
  while (top.worst() > current && !query.threshold.compare_exchange_weak(current, top.worst())) {
  }
}

std::vector<Hit> BoundedSearch::hits(std::size_t query) const {
  std::vector<TopList> lists;
  for (const Worker& worker : workers_) lists.push_back(worker.tops[query]);
  return best_of(lists);
}

SearchStatistics BoundedSearch::statistics() const {
  SearchStatistics sum;
  for (const Worker& worker : workers_) sum.add(worker.counts);
  for (const auto& query : queries_) sum.full_scans += query->given_up;
  return sum;
}

}  // namespace fuzzbow
