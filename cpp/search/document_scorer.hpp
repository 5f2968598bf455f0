// Exact scores of a segment's documents; one per worker.
#pragma once
#include <vector>

#include "scoring.hpp"
#include "search/corpus.hpp"

namespace fuzzbow {

class DocumentScorer {
 public:
  DocumentScorer(const Corpus& corpus, Execution& execution, int worker)
      : corpus_(corpus), scorer_(execution, worker) {}

  Segment::Words words(const Segment& segment, std::int64_t position) { return segment.words(position, local_); }

  float score(const TextWords& query, const Segment& segment, std::int64_t position) {
    const Segment::Words found = words(segment, position);
    table_ids_.resize(found.length);
    for (std::int64_t j = 0; j < found.length; ++j) table_ids_[j] = corpus_.table_ids()[found.local[j]];
    const float* self = found.self ? found.self : corpus_.ones();
    const TextWords& text = gathered_.gather(corpus_.table(), table_ids_.data(), found.length, found.counts, self);
    return scorer_.score(corpus_.similarity(), query, text).score;
  }

 private:
  const Corpus& corpus_;
  PairScorer scorer_;
  Gathered gathered_;
  std::vector<std::uint32_t> local_, table_ids_;
};

// Chunks of all segments, those with documents about as long as the query first: they hold the best hits most often,
// and raise the threshold early.
struct Place {
  const Segment* segment;
  const Chunk* chunk;
};
std::vector<Place> places_by_length(const Corpus& corpus, double length);

}  // namespace fuzzbow
