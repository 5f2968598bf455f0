// A view of texts as ragged word ids: text i is ids[offsets[i] .. offsets[i + 1]).
#pragma once
#include <cstdint>

namespace fuzzbow {

struct Ragged {
  const std::uint32_t* ids = nullptr;
  const std::int64_t* offsets = nullptr;
  const float* counts = nullptr;  // bag counts parallel to ids; null: every word counts once
  std::int64_t size = 0;

  std::int64_t start(std::int64_t text) const { return offsets[text]; }
  std::int64_t length(std::int64_t text) const { return offsets[text + 1] - offsets[text]; }
  std::int64_t total() const { return size ? offsets[size] : 0; }
};

// A view of text numbers.
struct Indices {
  const std::int64_t* values = nullptr;
  std::int64_t size = 0;

  std::int64_t operator[](std::int64_t i) const { return values[i]; }
};

}  // namespace fuzzbow
