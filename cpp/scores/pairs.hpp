// Scores of pairs of texts.
#pragma once
#include "scores/set_similarity.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// out (n,): score of text left[i] with text right[i]. left and right have equal length.
void pairs(const Table& table, const Ragged& texts, const Indices& left, const Indices& right,
           const SetSimilarity& similarity, Execution& execution, float* out);

}  // namespace fuzzbow
