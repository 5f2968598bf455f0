// Fuzzy BM25 of pairs of texts, by weights of the words that the caller has.
#pragma once
#include "bm25/options.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// out[i] = query left[i] with document right[i]; weights by word of the table.
void bm25_pairs(const Table& table, const Ragged& texts, const Indices& left, const Indices& right,
                const double* weights, double mean_length, const Bm25Options& options, Execution& execution,
                float* out);

}  // namespace fuzzbow
