#include "words/united_words.hpp"

#include <algorithm>
#include <cmath>

namespace fuzzbow {

// Branch-free: whether a word occurred before is unpredictable.
const TextWords& UnitedWords::read(const Table& table, const std::uint32_t* left, int left_length,
                                   const std::uint32_t* right, int right_length) {
  const int count = left_length + right_length;
  left_length_ = left_length;
  right_length_ = right_length;
  std::copy_n(left, left_length, all_);
  std::copy_n(right, right_length, all_ + left_length);
  std::uint8_t firsts[kLargestTriangle];
  std::uint8_t before[kLargestTriangle];  // number of distinct words before each word
  kernels().first_positions(all_, count, firsts);
  int size = 0;
  for (int i = 0; i < count; ++i) {
    before[i] = static_cast<std::uint8_t>(size);
    size += firsts[i] == i;
    const int position = positions_[i] = before[firsts[i]];
    ids_[position] = all_[i];
    rows_[position] = table.row(all_[i]);
  }
  std::fill_n(in_left_, kLargestTriangle, 0.0f);
  std::fill_n(in_right_, kLargestTriangle, 0.0f);
  for (int i = 0; i < left_length; ++i) in_left_[positions_[i]] = INFINITY;
  for (int i = left_length; i < count; ++i) in_right_[positions_[i]] = INFINITY;
  words_ = {&table, size, ids_, ids_, nullptr, rows_, nullptr, nullptr};
  return words_;
}

}  // namespace fuzzbow
