// Documents that have passed the linear bound of a query, until they are scored or out of the question. They wait for
// each other: exact scores of the most promising ones raise the threshold for all others. One per query and worker.
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
  // Without `seen`, every document is scored by itself.
  Shortlist(const Corpus& corpus, const SearchOptions& options, RunningQuery& query, DocumentScorer& scorer,
            SeenWords* seen, SearchStatistics& counts)
      : corpus_(corpus), options_(options), query_(query), scorer_(scorer), seen_(seen), counts_(counts) {}

  std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }
  // So many that a higher threshold is worth its exact scores now.
  bool is_long() const { return size() >= kLong + many(); }
  // How many are enough for the most promising of them to tell something.
  std::int64_t many() const { return 4 * options_.wanted; }

  void add(const Place& place, const Survivors& survivors);
  // Keeps the most promising `count`, and returns what the next one promises; there are more.
  float keep_best(std::int64_t count);
  // Raises the threshold by scores of the most promising ones, which stay.
  void raise_threshold();
  // Scores the most promising ones where there are many, and drops what is out of the question then.
  void score_best(TopList& top);
  // Scores all that may be hits, and is empty after.
  void settle(TopList& top);

 private:
  static constexpr std::int64_t kLong = 1000;

  struct Entry {
    float promise, numerator, size;
    std::uint32_t place, position;
    bool by_rows;  // the numerator is the row bound already
  };

  void drop_hopeless();
  // The most promising `count` come first, in any order.
  void best_first(std::int64_t count, std::int64_t among);
  void look_at_rows(std::int64_t count);
  bool remembers(const Place& place) const { return seen_ && place.chunk->length >= SeenWords::kLong; }
  void expect(const Entry& entry);
  float exact_score(const Entry& entry);
  void score(const Entry& entry, TopList& top);

  const Corpus& corpus_;
  const SearchOptions& options_;
  RunningQuery& query_;
  DocumentScorer& scorer_;
  SeenWords* seen_;
  SearchStatistics& counts_;
  std::vector<Place> places_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> words_, next_words_;
};

}  // namespace fuzzbow
