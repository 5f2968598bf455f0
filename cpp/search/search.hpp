// Exact top-k search: bound tables, scan, exact scores of the survivors.
#pragma once
#include <cstdint>
#include <array>
#include <utility>
#include <vector>

#include "search/corpus.hpp"
#include "search/query.hpp"
#include "search/top_list.hpp"

namespace fuzzbow {

struct SearchOptions {
  std::int64_t wanted = 10;               // number of hits, k
  float min_score = 0.0f;                 // hits with a lower score are dropped
  const std::uint8_t* allowed = nullptr;  // per document, or null
  bool all = false;                       // all hits of at least min_score; wanted must be the corpus's size

  bool skips(const Corpus& corpus, std::uint32_t document) const {
    return corpus.removed(document) || (allowed && !allowed[document]);
  }
};

struct SearchStatistics {
  std::int64_t scanned = 0, after_linear = 0, after_rows = 0, scored = 0, full_scans = 0;
  std::int64_t by_postings = 0;  // documents scanned by postings
  using Count = std::pair<const char*, std::int64_t SearchStatistics::*>;
  static const std::array<Count, 6> kCounts;
};

// Returns one list of hits per query, best first. Ids, order and scores equal a brute-force scan with the pair kernel.
std::vector<std::vector<Hit>> search(const Corpus& corpus, const QueryTexts& queries, const SearchOptions& options,
                                     Execution& execution, SearchStatistics* statistics);

}  // namespace fuzzbow
