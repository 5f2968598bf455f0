// Score matrix of texts.
#pragma once
#include "scores/set_similarity.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// out (n, m): score of text rows[i] with text columns[j].
void matrix(const Table& table, const Ragged& texts, const Indices& rows, const Indices& columns,
            const SetSimilarity& similarity, Execution& execution, float* out);

}  // namespace fuzzbow
