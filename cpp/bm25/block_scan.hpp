// One query through the postings, some thousand documents at a time whose sums stay in the cache.
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

// A score that k documents reach, shared by the workers of a query.
class SharedThreshold {
 public:
  explicit SharedThreshold(float lowest) : value_(lowest) {}
  float get() const { return value_.load(std::memory_order_relaxed); }
  void raise(float value);

 private:
  std::atomic<float> value_;
};

// K by a document's length, in float32 and never too large.
std::vector<float> norms_by_length(const Bm25Corpus& corpus);

class BlockScan {
 public:
  // Buffers for one query after another.
  struct Scratch {
    AlignedBuffer<float> often, scores;  // per document of a block, all 0 between blocks
    std::vector<std::uint32_t> touched;
    std::vector<double> exact;
  };
  BlockScan(const Bm25Corpus& corpus, const SearchOptions& options, const std::vector<float>& norms,
            const PreparedBm25Query& query, SharedThreshold& threshold, Scratch& scratch);

  // Documents [begin, end); worker asks whether to go on.
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
  std::vector<std::size_t> firsts_;  // of each word's cursors, and the end
  std::vector<Candidate> candidates_;
};

}  // namespace fuzzbow
