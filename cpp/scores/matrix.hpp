// Scores of every text with every other.
#pragma once
#include "scores/set_similarity.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// out (n, m): text rows[i] with text columns[j].
void matrix(const Table& table, const Ragged& texts, const Indices& rows, const Indices& columns,
            const SetSimilarity& similarity, Execution& execution, float* out);

}  // namespace fuzzbow
