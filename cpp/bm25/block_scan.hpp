// A scan of the postings with one query, a block of documents at a time.
//
// Idea: the score of a document is a sum over query words, each at most the word's share times its largest saturation.
// For 16,384 documents at a time, whose sums stay in the cache, postings are added up word by word in order of falling
// share. Once the remaining words together cannot lift a document without any earlier word over the threshold, the walk
// ends, or goes on only while that is cheaper than exact scores. The documents whose sum plus that remainder reaches
// the threshold are then scored exactly, highest sum first.
// Invariant: sum + tail(words walked) is an upper bound of the score, up to rounding errors that `needed` allows for.
// The threshold only rises, and documents are dropped only if strictly below it. Sums and touched counts are zero
// between two blocks.
// Complexity: linear in the postings of the words walked plus one comparison per document of a touched block; an exact
// score takes time linear in the document's words and their links to query words.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "bm25/corpus.hpp"
#include "bm25/prepared_query.hpp"
#include "search/search.hpp"
#include "search/top_list.hpp"
#include "support/aligned.hpp"

namespace fuzzbow {

// A score that k documents reach; shared by the workers of a query.
class SharedThreshold {
 public:
  explicit SharedThreshold(float lowest) : value_(lowest) {}
  float get() const { return value_.load(std::memory_order_relaxed); }
  void raise(float value);

 private:
  std::atomic<float> value_;
};

// K of BM25 by document length, in float32, capped to stay finite.
std::vector<float> norms_by_length(const Bm25Corpus& corpus);

class BlockScan {
 public:
  // Reusable buffers.
  struct Scratch {
    AlignedBuffer<float> often, scores;  // by document of a block; all 0 between blocks
    std::vector<std::uint32_t> touched;
    std::vector<double> exact;
  };
  BlockScan(const Bm25Corpus& corpus, const SearchOptions& options, const std::vector<float>& norms,
            const PreparedBm25Query& query, SharedThreshold& threshold, Scratch& scratch);

  // Scans documents [begin, end). Interruptible; `worker` is the number of this thread.
  void scan(std::int64_t begin, std::int64_t end, Execution& execution, int worker);
  const TopList& best() const { return best_; }

 private:
  struct Cursor {
    const std::uint32_t *next, *end;
    float gain;
  };
  struct Candidate {
    float sum;
    std::uint32_t document;
    bool operator<(const Candidate& other) const {
      return sum != other.sum ? sum < other.sum : document > other.document;
    }
  };
  void open(const Postings& segment, std::int64_t begin, std::int64_t end);
  void scan_block(std::int64_t first, std::int64_t begin, std::int64_t end);
  bool walk(std::size_t word, std::int64_t first, std::int64_t begin, std::int64_t end);
  void add_one(Cursor& cursor, float share, std::int64_t first, std::int64_t begin, std::uint32_t limit);
  void add_many(Cursor* cursors, Cursor* last, float share, std::int64_t first, std::int64_t begin,
                std::uint32_t limit);
  float needed(std::size_t walked) const;
  std::int64_t survivors(std::int64_t count, float needed) const;
  bool worth_walking(std::size_t word, std::int64_t count) const;
  void collect(std::int64_t begin, std::int64_t count, std::size_t walked);
  void score_candidates(std::size_t walked);
  bool skips(std::int64_t document) const {
    return corpus_.removed(static_cast<std::uint32_t>(document)) || (options_.allowed && !options_.allowed[document]);
  }

  const Bm25Corpus& corpus_;
  const SearchOptions& options_;
  const std::vector<float>& norms_;
  const PreparedBm25Query& query_;
  SharedThreshold& threshold_;
  Scratch& scratch_;
  TopList best_;
  std::vector<Cursor> cursors_;
  std::vector<std::size_t> firsts_;  // first cursor of each word, and the end
  std::vector<Candidate> candidates_;
};

}  // namespace fuzzbow
