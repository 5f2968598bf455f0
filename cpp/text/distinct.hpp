// Which texts are equal.
#pragma once
#include <cstdint>
#include <vector>

#include "text/encoder.hpp"

namespace fuzzbow {

struct Distinct {
  std::vector<std::int64_t> firsts;  // where each distinct text occurs first, ascending
  std::vector<std::int64_t> which;   // per text: its place among them
};

Distinct distinct(const std::vector<TextView>& texts);

}  // namespace fuzzbow
