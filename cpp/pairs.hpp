// Scores row by row, and the self memberships that they need.
#pragma once
#include "set_similarity.hpp"
#include "parallel.hpp"
#include "ragged.hpp"
#include "table.hpp"

namespace fuzzbow {

// out (values,): membership of every word in its own text, in the units of the stored (scaled) vectors.
void self_memberships(const Table& table, const Ragged& texts, Execution& execution, float* out);

// out (n,): left text i with right text i. Self memberships may be null; they are then computed pair by pair.
void pairs(const Table& table, const Ragged& left, const Ragged& right, const float* left_self, const float* right_self,
           Measure measure, Execution& execution, float* out);

}  // namespace fuzzbow
