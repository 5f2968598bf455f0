// The documents of one query that passed the linear bound and wait to be scored or excluded. One per query and worker.
//
// Idea: exact scores cost far more than bounds, so documents wait for each other. The most promising ones (bound
// relative to the numerator of a score of 1) are scored first and raise the threshold, which excludes most others
// unscored. Before that, the row bound replaces the linear one for those that are about to be scored.
// Invariant: an entry is dropped only if an upper bound of its numerator is below what the current threshold needs. The
// threshold only rises, so no hit is lost. After `settle` the list is empty.
// Complexity: selections take linear time (nth_element), the final sort O(n log n) for n entries; the rows of an entry
// are read at most once, and it is scored at most once on its way to the top list.
#pragma once
#include <cstdint>
#include <vector>

#include "search/document_scorer.hpp"
#include "search/running_query.hpp"
#include "search/seen_words.hpp"

namespace fuzzbow {

struct Survivors {  // of a scan, for one query
  const std::uint32_t* positions;
  const float* numerators;
  std::int64_t count;
};

class Shortlist {
 public:
  // Without `seen`, every document is scored on its own.
  Shortlist(const Corpus& corpus, const SearchOptions& options, RunningQuery& query, DocumentScorer& scorer,
            SeenWords* seen, SearchStatistics& counts)
      : corpus_(corpus), options_(options), query_(query), scorer_(scorer), seen_(seen), counts_(counts) {}

  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  // True if there are so many entries that raising the threshold now is worth exact scores.
  bool is_long() const { return size() >= kLong + many(); }
  // Number of entries from which the most promising ones are worth scoring.
  std::int64_t many() const { return 4 * options_.wanted; }

  void add(const ChunkRef& ref, const Survivors& survivors);
  // Keeps the `count` most promising entries and returns the promise of the next one. There must be more.
  float keep_best(std::int64_t count);
  // Raises the threshold by exact scores of the most promising entries, which are kept.
  void raise_threshold();
  // If there are many entries, scores the most promising ones and drops those that the new threshold excludes.
  void score_best(TopList& top);
  // Scores all entries that may be hits, and clears the list.
  void settle(TopList& top);

 private:
  static constexpr std::int64_t kLong = 1000;

  struct Entry {
    float promise, numerator, size;
    std::uint32_t chunk, position;
    bool by_rows;  // the numerator is the row bound
  };

  void drop_excluded();
  // Moves the `count` most promising of the first `among` entries to the front, in any order.
  void best_first(std::int64_t count, std::int64_t among);
  void tighten_by_rows(std::int64_t count);
  bool uses_seen_words(const ChunkRef& ref) const { return seen_ && ref.chunk->length >= SeenWords::kLong; }
  void prefetch(const Entry& entry);
  float exact_score(const Entry& entry);
  void score(const Entry& entry, TopList& top);

  const Corpus& corpus_;
  const SearchOptions& options_;
  RunningQuery& query_;
  DocumentScorer& scorer_;
  SeenWords* seen_;
  SearchStatistics& counts_;
  std::vector<ChunkRef> chunks_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> words_, next_words_;
};

}  // namespace fuzzbow
