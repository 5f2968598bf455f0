#include "search/full_search.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

constexpr std::int64_t kWordsAtOnce = 960;

}  // namespace

FullSearch::FullSearch(const Corpus& corpus, const SearchOptions& options, int workers, const TextWords& query,
                       SimilarityTable& similarities)
    : corpus_(corpus),
      options_(options),
      query_(query),
      similarities_(similarities),
      by_table_(has_table(corpus, query)),
      places_(places_by_length(corpus, static_cast<double>(query.length))),
      tops_(workers, TopList(options.wanted)) {
  if (by_table_) similarities_.resize(corpus.words(), query);
}

bool FullSearch::has_table(const Corpus& corpus, const TextWords& query) {
  return !corpus.counted() && !query.counts && SimilarityTable::fits(corpus.words(), query.length);
}

void FullSearch::fill(Execution& execution, int worker) {
  const std::int64_t words = by_table_ ? corpus_.words() : 0;
  for (;;) {
    const std::int64_t begin = next_words_.fetch_add(kWordsAtOnce);
    if (begin >= words || execution.stopped(worker)) return;
    similarities_.fill(corpus_.table(), corpus_.table_ids(), begin, std::min(words, begin + kWordsAtOnce), query_);
  }
}

void FullSearch::scan(Execution& execution, int worker) {
  DocumentScorer scorer(corpus_, execution, worker);
  SimilarityTable::Scratch scratch;
  for (;;) {
    const std::int64_t taken = next_place_.fetch_add(1);
    if (taken >= static_cast<std::int64_t>(places_.size())) return;
    const Place& place = places_[taken];
    for (std::int64_t position = place.chunk->begin * kBlock; position < place.chunk->end * kBlock; ++position) {
      if (execution.stopped(worker)) return;
      const std::uint32_t document = place.segment->document(position);
      if (document == kNobody || options_.skips(corpus_, document)) continue;
      const float found = score(place, position, scorer, scratch);
      if (found >= options_.min_score) tops_[worker].add({found, document});
    }
  }
}

float FullSearch::score(const Place& place, std::int64_t position, DocumentScorer& scorer,
                        SimilarityTable::Scratch& scratch) {
  if (!by_table_) return scorer.score(query_, *place.segment, position);
  const Segment::Words words = scorer.words(*place.segment, position);
  const float* self = words.self ? words.self : corpus_.ones();
  return similarities_
      .score(corpus_.similarity(), query_, corpus_.table(), corpus_.table_ids(), words.local, words.length, self,
             scratch)
      .score;
}

}  // namespace fuzzbow
