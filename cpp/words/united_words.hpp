// The distinct words of two short texts together. A word in both texts, or twice in one, is multiplied once, and
// memberships in both texts come from one triangle of products.
#pragma once
#include <cstdint>

#include "simd/kernels.hpp"
#include "words/text_words.hpp"

namespace fuzzbow {

class UnitedWords {
 public:
  static bool fits(std::int64_t left_length, std::int64_t right_length) {
    return left_length + right_length <= kLargestTriangle;
  }
  // Collects the distinct words. The result has no weights and no self memberships.
  const TextWords& read(const Table& table, const std::uint32_t* left, int left_length, const std::uint32_t* right,
                        int right_length);

  // For each distinct word: infinity if the text contains it, else 0.
  const float* in_left() const { return in_left_; }
  const float* in_right() const { return in_right_; }
  // Copy values of the distinct words to the words of each text.
  void spread_left(const float* found, float* out) const { spread(found, positions_, left_length_, out); }
  void spread_right(const float* found, float* out) const {
    spread(found, positions_ + left_length_, right_length_, out);
  }

 private:
  static void spread(const float* found, const std::uint8_t* positions, int length, float* out) {
    for (int i = 0; i < length; ++i) out[i] = found[positions[i]];
  }

  TextWords words_;
  int left_length_ = 0, right_length_ = 0;
  std::uint32_t all_[kLargestTriangle] = {};  // ids of both texts
  std::uint8_t positions_[kLargestTriangle];  // of each word: its index among the distinct words
  std::uint32_t ids_[kLargestTriangle];
  const float* rows_[kLargestTriangle];
  alignas(64) float in_left_[kLargestTriangle];
  alignas(64) float in_right_[kLargestTriangle];
};

}  // namespace fuzzbow
