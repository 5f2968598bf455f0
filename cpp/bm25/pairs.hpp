// Fuzzy BM25 of pairs of texts, with weights of words from the caller.
#pragma once
#include "bm25/options.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// out[i] = score of query left[i] with document right[i]; weights are by word of the table.
void bm25_pairs(const Table& table, const Ragged& texts, const Indices& left, const Indices& right,
                const double* weights, double mean_length, const Bm25Options& options, Execution& execution,
                float* out);

}  // namespace fuzzbow
