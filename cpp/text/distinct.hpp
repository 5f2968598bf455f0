// Deduplication of equal texts.
#pragma once
#include <cstdint>
#include <vector>

#include "text/encoder.hpp"

namespace fuzzbow {

struct Distinct {
  std::vector<std::int64_t> firsts;  // index of the first occurrence of each distinct text, ascending
  std::vector<std::int64_t> which;   // for each text: the index of its distinct text
};

Distinct distinct(const std::vector<TextView>& texts);

}  // namespace fuzzbow
