// Memberships of words in their own texts, in units of the stored (scaled) vectors.
#pragma once
#include <cstdint>
#include <vector>

#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// out (values,): self membership of every word of every text.
void self_memberships(const Table& table, const Ragged& texts, Execution& execution, float* out);

// Self memberships of some texts of a batch, each computed once however often its index occurs.
class SelfMemberships {
 public:
  SelfMemberships(const Table& table, const Ragged& texts, std::initializer_list<Indices> used, Execution& execution);
  const float* of(std::int64_t text) const { return values_.data() + starts_[text]; }

 private:
  std::vector<std::int64_t> starts_;  // by text
  std::vector<float> values_;
};

}  // namespace fuzzbow
