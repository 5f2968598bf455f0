#include "search/bounded_search.hpp"
#include "support/counts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fuzzbow {

namespace {

constexpr std::int64_t kTaskPanels = 64, kPanelGroup = 8;
constexpr std::int64_t kTaskWords = GainWords::kTaskWords;
constexpr std::int64_t kFewBlocks = 16;       // scanned at a time before there is a threshold
constexpr float kSeedShare = 1.3f;            // s of the words whose postings find promising documents
constexpr float kShareOfThreshold = 0.92f;    // s relative to the threshold
constexpr float kPostingsPerDocument = 2.0f;  // with more, reading postings takes longer than a scan
constexpr int kBisections = 4;                // steps to find a threshold that few documents of a part reach

auto keep(const Chunk& chunk) { return chunk.wide ? kernels().keep_wide : kernels().keep_short; }

// End of the panels that are filled together: of frequent words, of both kinds (one panel), or of rare words.
std::int64_t end_of_group(std::int64_t first) {
  constexpr std::int64_t kMixed = kFrequentWords / kPanel;
  if (first == kMixed) return first + 1;
  return first < kMixed ? std::min(kMixed, first + kPanelGroup) : first + kPanelGroup;
}

}  // namespace

std::vector<ChunkRef> chunks_by_length(const Corpus& corpus, double length) {
  std::vector<ChunkRef> refs;
  for (const auto& segment : corpus.segments())
    for (const Chunk& chunk : segment->chunks()) refs.push_back({segment.get(), &chunk});
  auto distance = [&](const ChunkRef& ref) { return std::fabs(static_cast<double>(ref.chunk->length) - length); };
  std::stable_sort(refs.begin(), refs.end(),
                   [&](const ChunkRef& a, const ChunkRef& b) { return distance(a) < distance(b); });
  return refs;
}

BoundedSearch::BoundedSearch(const Corpus& corpus, const SearchOptions& options, int workers, SearchScratch& scratch,
                             const std::vector<QueryScratch*>& queries)
    : corpus_(corpus),
      options_(options),
      words_(scratch.words),
      batch_(scratch.levels),
      uses_seen_words_(queries.size() == 1 && SeenWords::can_serve(corpus, queries[0]->query.words())),
      by_postings_(queries.size() == 1 && corpus.listed()),
      workers_(workers),
      filled_(corpus.panels().panels()),
      levelled_(corpus.words()),
      seeded_(0) {
  double length = 0;
  std::vector<const BoundTables*> tables;
  for (QueryScratch* query : queries) {
    queries_.push_back(std::make_unique<RunningQuery>(corpus, options_, *query));
    query->bounds.resize(corpus, query->query);
    tables.push_back(&query->bounds);
    length += static_cast<double>(query->query.words().length) / static_cast<double>(queries.size());
  }
  if (queries_.size() > 1) batch_.resize(corpus.words(), std::move(tables));
  if (scratch.workers.size() < workers_.size()) scratch.workers.resize(workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].tops.assign(queries_.size(), TopList(options.wanted));
    workers_[i].scratch = &scratch.workers[i];
    if (uses_seen_words_) scratch.workers[i].seen.start(corpus, queries[0]->query.words());
  }
  if (by_postings_) queries[0]->gains.resize(corpus, queries[0]->bounds);
  tasks_ = tasks_by_length(length);
  seeded_.set_work(static_cast<std::int64_t>(tasks_.size()));
}

// Orders tasks as chunks_by_length does; a part counts as the chunk in its middle.
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
    return std::fabs(static_cast<double>(chunk_ref(task, (task.begin + task.end) / 2).chunk->length) - length);
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
    const std::int64_t begin = next_panels_.fetch_add(kTaskPanels);
    if (begin >= panels || execution.stopped(worker)) break;
    QueryWords::Reader reader(corpus_, words_, begin);
    const std::int64_t end = std::min(panels, begin + kTaskPanels);
    for (std::int64_t first = begin, last; first < end; first = last) {
      last = std::min(end, end_of_group(first));
      const float* similarities = reader.read(first, last);
      for (const auto& query : queries_)
        query->scratch().bounds.fill(corpus_, query->scratch().query, first, last, similarities, words_.count());
    }
    filled_.done(end - begin);
  }
  filled_.wait(execution, worker);
}

void BoundedSearch::set_levels(Execution& execution, int worker) {
  for (;;) {
    const std::int64_t begin = next_words_.fetch_add(kTaskWords);
    if (begin >= corpus_.words() || execution.stopped(worker)) break;
    const std::int64_t end = std::min(corpus_.words(), begin + kTaskWords);
    if (queries_.size() > 1)
      batch_.set_levels(begin, end);
    else
      queries_[0]->scratch().bounds.set_levels(begin, end);
    if (by_postings_) queries_[0]->scratch().gains.find(corpus_, begin, end);
    levelled_.done(end - begin);
  }
  levelled_.wait(execution, worker);
}

Shortlist BoundedSearch::shortlist(std::size_t query, DocumentScorer& scorer, Worker& worker) {
  return {corpus_,      options_, *queries_[query], scorer, uses_seen_words_ ? &worker.scratch->seen : nullptr,
          worker.counts};
}

// Finds a threshold for the scan by postings: a few lists show which documents of all parts are promising.
void BoundedSearch::seed(Execution& execution, int number) {
  if (!by_postings_ || options_.all) return;
  Worker& worker = workers_[number];
  worker.has_threshold = true;
  DocumentScorer scorer(corpus_, execution, number);
  Shortlist promising = shortlist(0, scorer, worker);
  GainLists lists;
  lists.choose(queries_[0]->gains(), kSeedShare, GainWords::kLowestShare);
  std::int64_t done = 0;
  for (std::size_t n; (n = next_seed_.fetch_add(1)) < tasks_.size() && !execution.stopped(number); ++done)
    if (tasks_[n].part >= 0) find_promising(tasks_[n], lists, worker, promising);
  promising.raise_threshold();
  seeded_.done(done);
  seeded_.wait(execution, number);
}

// Adds the promising documents of a part. The best of all parts are kept and set the bar for the next part.
void BoundedSearch::find_promising(const Task& task, const GainLists& lists, Worker& worker, Shortlist& promising) {
  const RunningQuery& query = *queries_[0];
  const DocumentSums sums = add_up(task, lists, worker);
  const auto reach = [&](const ChunkRef& ref, float threshold) {
    const ScanJob job = scan_job(ref, line(query, *ref.chunk, threshold), worker);
    return std::pair(job, kernels().scan_sums(job, sums));
  };
  float low = bar_.load(), high = 1.0f;
  for (int round = 0, rounds = low > 0 ? 0 : kBisections; round < rounds; ++round) {
    const float middle = 0.5f * (low + high);
    std::int64_t count = 0;
    for (std::size_t i = task.begin; i < task.end && count <= promising.many(); ++i)
      count += reach(chunk_ref(task, i), middle).second;
    (count > promising.many() ? low : high) = middle;
  }
  for (std::size_t i = task.begin; i < task.end; ++i) {
    const auto [job, found] = reach(chunk_ref(task, i), low);
    const std::int64_t kept = keep(*chunk_ref(task, i).chunk)(job, found);
    promising.add(chunk_ref(task, i), {job.survivors, job.numerators, kept});
  }
  if (promising.size() <= promising.many()) return;
  const float lowest = promising.keep_best(promising.many());
  while (lowest > low && !bar_.compare_exchange_weak(low, lowest)) {
  }
}

// Sums of these lists for the documents of a part, without words that are in no list.
DocumentSums BoundedSearch::add_up(const Task& task, const GainLists& lists, Worker& worker) const {
  const std::vector<Chunk>& chunks = task.segment->chunks();
  const std::int64_t first = chunks[task.begin].begin, documents = (chunks[task.end - 1].end - first) * kBlock;
  std::int32_t* sums = worker.scratch->sums.at_least(documents);
  std::fill_n(sums, documents, 0);
  lists.add_up(task.segment->postings(), task.part, sums);
  const BoundTables& bounds = queries_[0]->bounds();
  return {sums, first, bounds.base(), bounds.linear_unit(), lists.share()};
}

// Uses an s slightly below the threshold: as that rises, fewer words are read.
DocumentSums BoundedSearch::bound_by_postings(const Task& task, Worker& worker) const {
  const GainWords& words = queries_[0]->gains();
  const float highest = kShareOfThreshold * queries_[0]->threshold();
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
  Worker& worker = workers_[number];
  DocumentScorer scorer(corpus_, execution, number);
  std::vector<Shortlist> waiting;
  for (std::size_t i = 0; i < queries_.size(); ++i) waiting.push_back(shortlist(i, scorer, worker));
  for (;;) {
    const std::int64_t taken = next_task_.fetch_add(1);
    if (taken >= static_cast<std::int64_t>(tasks_.size()) || execution.stopped(number)) break;
    const Task& task = tasks_[taken];
    worker.sums = bound_by_postings(task, worker);
    for (std::size_t i = task.begin; i < task.end && !execution.stopped(number); ++i)
      scan_chunk(chunk_ref(task, i), worker, waiting);
  }
  for (std::size_t i = 0; i < queries_.size() && !execution.stopped(number); ++i) waiting[i].settle(worker.tops[i]);
}

// needed() is concave in the size, so its chord over the sizes of a chunk is a lower bound.
BoundedSearch::Line BoundedSearch::line(const RunningQuery& query, const Chunk& chunk, float threshold) const {
  if (query.given_up()) return {3e38f, 0.0f};
  const double low = query.needed(chunk.smallest_size, threshold), high = query.needed(chunk.largest_size, threshold);
  const double width = static_cast<double>(chunk.largest_size) - chunk.smallest_size;
  if (!(low > -1e30)) return {-3e38f, 0.0f};
  const double slope = width <= 0 ? 0 : (high - low) / width;
  const double intercept = low - slope * chunk.smallest_size - 1e-6 * (std::fabs(low) + std::fabs(high));
  return {static_cast<float>(intercept), static_cast<float>(slope)};
}

// Survivors wait for those of other chunks, which may raise the threshold, unless there are many.
void BoundedSearch::scan_chunk(const ChunkRef& whole, Worker& worker, std::vector<Shortlist>& waiting) {
  if (whole.chunk->length == 0) return add_empty(whole, worker);
  Chunk part = *whole.chunk;
  for (part.end = part.begin; part.end < whole.chunk->end; part.begin = part.end) {
    part.end =
        worker.has_threshold || options_.all ? whole.chunk->end : std::min(whole.chunk->end, part.begin + kFewBlocks);
    Survivors survivors[kBatch];
    pass({whole.segment, &part}, worker, survivors);
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      Shortlist& shortlist = waiting[i];
      shortlist.add(whole, survivors[i]);
      if (!options_.all && shortlist.is_long()) {
        shortlist.score_best(worker.tops[i]);
        worker.has_threshold = true;
      }
      if (options_.all || shortlist.is_long()) shortlist.settle(worker.tops[i]);
    }
  }
}

void BoundedSearch::pass(const ChunkRef& ref, Worker& worker, Survivors* survivors) const {
  const std::int64_t room = (ref.chunk->end - ref.chunk->begin) * kBlock;
  worker.scratch->survivors.at_least(room * queries_.size());
  worker.scratch->numerators.at_least(room * queries_.size());
  std::int64_t found[kBatch] = {};
  if (queries_.size() > 1)
    pass_batch(ref, worker, room, found);
  else
    found[0] = pass_one(ref, worker);
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    survivors[i] = {worker.scratch->survivors.data() + i * room, worker.scratch->numerators.data() + i * room,
                    found[i]};
    worker.counts.scanned += room;
    worker.counts.after_linear += found[i];
  }
}

ScanJob BoundedSearch::scan_job(const ChunkRef& ref, const Line& enough, Worker& worker) const {
  const BoundTables& bounds = queries_[0]->bounds();
  const std::int64_t room = (ref.chunk->end - ref.chunk->begin) * kBlock;
  return {ref.segment->scan_documents(*ref.chunk),
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

std::int64_t BoundedSearch::pass_one(const ChunkRef& ref, Worker& worker) const {
  const RunningQuery& query = *queries_[0];
  const Chunk& chunk = *ref.chunk;
  const ScanJob job = scan_job(ref, line(query, chunk, query.threshold()), worker);
  if (!excludes_unlisted(worker.sums, job, chunk))
    return (chunk.wide ? kernels().scan_wide : kernels().scan_short)(job);
  worker.counts.by_postings += (chunk.end - chunk.begin) * kBlock;
  return keep(chunk)(job, kernels().scan_sums(job, worker.sums));
}

// False if documents that are in no list may pass: sums would then exclude too little.
bool BoundedSearch::excludes_unlisted(const DocumentSums& sums, const ScanJob& job, const Chunk& chunk) {
  const auto passes = [&](float size) { return sums.base >= job.intercept + (job.slope - sums.share) * size; };
  return sums.sums && !passes(chunk.smallest_size) && !passes(chunk.largest_size);
}

void BoundedSearch::pass_batch(const ChunkRef& ref, Worker& worker, std::int64_t room, std::int64_t* found) const {
  alignas(64) float bases[kBatch], units[kBatch], intercepts[kBatch], slopes[kBatch];
  for (std::size_t i = 0; i < kBatch; ++i) {
    bases[i] = units[i] = slopes[i] = 0.0f;
    intercepts[i] = 3e38f;  // nothing passes for an unused query
    if (i >= queries_.size()) continue;
    const RunningQuery& query = *queries_[i];
    const Line enough = line(query, *ref.chunk, query.threshold());
    bases[i] = query.bounds().base();
    units[i] = batch_.unit(i);
    intercepts[i] = enough.intercept;
    slopes[i] = enough.slope;
  }
  const BatchScanJob job = {ref.segment->scan_documents(*ref.chunk),
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
  (ref.chunk->wide ? kernels().scan_batch_wide : kernels().scan_batch_short)(job);
}

void BoundedSearch::add_empty(const ChunkRef& ref, Worker& worker) {
  if (options_.min_score > 0) return;
  for (std::int64_t position = ref.chunk->begin * kBlock; position < ref.chunk->end * kBlock; ++position) {
    const std::uint32_t document = ref.segment->document(position);
    if (document == kNoDocument || options_.skips(corpus_, document)) continue;
    for (std::size_t i = 0; i < queries_.size(); ++i) {
      worker.tops[i].add({0.0f, document});
      queries_[i]->raise_threshold(worker.tops[i]);
    }
  }
}

std::vector<Hit> BoundedSearch::hits(std::size_t query) const {
  std::vector<TopList> lists;
  for (const Worker& worker : workers_) lists.push_back(worker.tops[query]);
  return best_of(lists);
}

SearchStatistics BoundedSearch::statistics() const {
  SearchStatistics sum;
  for (const Worker& worker : workers_) add_counts(sum, worker.counts);
  for (const auto& query : queries_) sum.full_scans += query->given_up();
  return sum;
}

}  // namespace fuzzbow
