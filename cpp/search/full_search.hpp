// A search that scores every document exactly, for queries whose bounds would exclude few documents.
#pragma once
#include <atomic>
#include <vector>

#include "scores/similarity_table.hpp"
#include "search/document_scorer.hpp"
#include "search/search.hpp"

namespace fuzzbow {

class FullSearch {
 public:
  FullSearch(const Corpus& corpus, const SearchOptions& options, int workers, const TextWords& query,
             SimilarityTable& similarities);

  // True if a table of exact similarities fits the corpus's vocabulary, which makes this fast.
  static bool has_table(const Corpus& corpus, const TextWords& query);

  // Phases, to be called in this order on every worker; all workers must have left one before any enters the next.
  void fill(Execution& execution, int worker);
  void scan(Execution& execution, int worker);
  std::vector<Hit> hits() const { return best_of(tops_); }

 private:
  float score(const ChunkRef& ref, std::int64_t position, DocumentScorer& scorer, SimilarityTable::Scratch& scratch);

  const Corpus& corpus_;
  SearchOptions options_;
  const TextWords& query_;
  SimilarityTable& similarities_;
  bool by_table_;
  std::vector<ChunkRef> chunks_;
  std::vector<TopList> tops_;
  std::atomic<std::int64_t> next_words_{0}, next_chunk_{0};
};

}  // namespace fuzzbow
