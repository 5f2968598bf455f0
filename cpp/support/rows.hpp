// A view of a matrix by rows.
#pragma once
#include <cstdint>

namespace fuzzbow {

template <class T>
struct Rows {
  const T* values = nullptr;  // (size, width), contiguous
  std::int64_t size = 0, width = 0;
  const T* row(std::int64_t i) const { return values + i * width; }
};

}  // namespace fuzzbow
