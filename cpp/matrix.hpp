// Scores of every text with every other.
#pragma once
#include "parallel.hpp"
#include "ragged.hpp"
#include "set_similarity.hpp"
#include "table.hpp"

namespace fuzzbow {

// out (n, m): text rows[i] with text columns[j].
void matrix(const Table& table, const Ragged& texts, const Indices& rows, const Indices& columns,
            const SetSimilarity& similarity, Execution& execution, float* out);

}  // namespace fuzzbow
