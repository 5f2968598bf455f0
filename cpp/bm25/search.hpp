// Exact top-k under fuzzy BM25: postings by impact, exact scores of what may be among the best.
#pragma once
#include <vector>

#include "bm25/corpus.hpp"
#include "search/query.hpp"
#include "search/search.hpp"

namespace fuzzbow {

// One list per query text, best first. Equals a brute-force scan through bm25_pairs, ids, order and scores.
std::vector<std::vector<Hit>> bm25_search(const Bm25Corpus& corpus, const QueryTexts& queries,
                                          const SearchOptions& options, Execution& execution);

// Weights of these words by the statistics of the live documents.
std::vector<double> bm25_word_weights(const Bm25Corpus& corpus, const QueryTexts& words, Execution& execution);

}  // namespace fuzzbow
