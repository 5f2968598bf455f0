// Exact scores of a segment's documents. One per worker.
#pragma once
#include <utility>
#include <vector>

#include "scores/pair_scorer.hpp"
#include "search/corpus.hpp"

namespace fuzzbow {

class DocumentScorer {
 public:
  DocumentScorer(const Corpus& corpus, Execution& execution, int worker)
      : corpus_(corpus), scorer_(execution, worker) {}

  Segment::Words words(const Segment& segment, std::int64_t position) { return segment.words(position, local_); }

  // Prefetches the document that will be scored next.
  void prefetch(const Segment& segment, std::int64_t position) {
    next_.read(corpus_, segment, position);
    prefetch_rows(corpus_.table(), next_.table_ids.data(), next_.words.length);
  }

  float score(const TextWords& query, const Segment& segment, std::int64_t position) {
    if (next_.segment != &segment || next_.position != position) next_.read(corpus_, segment, position);
    std::swap(document_, next_);
    next_.segment = nullptr;
    const Segment::Words& found = document_.words;
    const float* self = found.self ? found.self : corpus_.ones();
    const TextWords& text =
        gathered_.gather(corpus_.table(), document_.table_ids.data(), found.length, found.counts, self);
    return scorer_.score(corpus_.similarity(), query, text).score;
  }

 private:
  struct Document {
    const Segment* segment = nullptr;
    std::int64_t position = 0;
    Segment::Words words = {};
    std::vector<std::uint32_t> local, table_ids;

    void read(const Corpus& corpus, const Segment& from, std::int64_t at) {
      segment = &from;
      position = at;
      words = from.words(at, local);
      table_ids.resize(words.length);
      for (std::int64_t j = 0; j < words.length; ++j) table_ids[j] = corpus.table_ids()[words.local[j]];
    }
  };

  const Corpus& corpus_;
  PairScorer scorer_;
  Gathered gathered_;
  Document document_, next_;
  std::vector<std::uint32_t> local_;
};

// Chunks of all segments, those with documents about as long as the query first: they contain the best hits most often
// and raise the threshold early.
struct ChunkRef {
  const Segment* segment;
  const Chunk* chunk;
};
std::vector<ChunkRef> chunks_by_length(const Corpus& corpus, double length);

}  // namespace fuzzbow
