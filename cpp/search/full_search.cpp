#include "search/full_search.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

constexpr std::int64_t kTaskWords = 960;

}  // namespace

FullSearch::FullSearch(const Corpus& corpus, const SearchOptions& options, int workers, const TextWords& query,
                       SimilarityTable& similarities)
    : corpus_(corpus),
      options_(options),
      query_(query),
      similarities_(similarities),
      by_table_(has_table(corpus, query)),
      chunks_(chunks_by_length(corpus, static_cast<double>(query.length))),
      tops_(workers, TopList(options.wanted)) {
  if (by_table_) similarities_.resize(corpus.words(), query);
}

bool FullSearch::has_table(const Corpus& corpus, const TextWords& query) {
  return !corpus.counted() && !query.counts && SimilarityTable::fits(corpus.words(), query.length);
}

void FullSearch::fill(Execution& execution, int worker) {
  const std::int64_t words = by_table_ ? corpus_.words() : 0;
  for (;;) {
    const std::int64_t begin = next_words_.fetch_add(kTaskWords);
    if (begin >= words || execution.stopped(worker)) return;
    similarities_.fill(corpus_.table(), corpus_.table_ids(), begin, std::min(words, begin + kTaskWords), query_);
  }
}

void FullSearch::scan(Execution& execution, int worker) {
  DocumentScorer scorer(corpus_, execution, worker);
  SimilarityTable::Scratch scratch;
  for (;;) {
    const std::int64_t taken = next_chunk_.fetch_add(1);
    if (taken >= static_cast<std::int64_t>(chunks_.size())) return;
    const ChunkRef& ref = chunks_[taken];
    for (std::int64_t position = ref.chunk->begin * kBlock; position < ref.chunk->end * kBlock; ++position) {
      if (execution.stopped(worker)) return;
      const std::uint32_t document = ref.segment->document(position);
      if (document == kNoDocument || options_.skips(corpus_, document)) continue;
      const float found = score(ref, position, scorer, scratch);
      if (found >= options_.min_score) tops_[worker].add({found, document});
    }
  }
}

float FullSearch::score(const ChunkRef& ref, std::int64_t position, DocumentScorer& scorer,
                        SimilarityTable::Scratch& scratch) {
  if (!by_table_) return scorer.score(query_, *ref.segment, position);
  const Segment::Words words = scorer.words(*ref.segment, position);
  const float* self = words.self ? words.self : corpus_.ones();
  return similarities_
      .score(corpus_.similarity(), query_, corpus_.table(), corpus_.table_ids(), words.local, words.length, self,
             scratch)
      .score;
}

}  // namespace fuzzbow
