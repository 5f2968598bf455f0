// Exact top-k search by fuzzy BM25: postings by impact, exact scores of documents that may be among the best.
#pragma once
#include <vector>

#include "bm25/corpus.hpp"
#include "search/query.hpp"
#include "search/search.hpp"

namespace fuzzbow {

// Returns one list of hits per query, best first. Ids, order and scores equal a brute-force scan by bm25_pairs.
std::vector<std::vector<Hit>> bm25_search(const Bm25Corpus& corpus, const QueryTexts& queries,
                                          const SearchOptions& options, Execution& execution);

// Weights of these words by the corpus's statistics.
std::vector<double> bm25_word_weights(const Bm25Corpus& corpus, const QueryTexts& words, Execution& execution);

}  // namespace fuzzbow
