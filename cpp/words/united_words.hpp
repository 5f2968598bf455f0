// The words of two short texts together, each once: products of words that both texts have, or that one has twice, are
// computed once, and memberships in either text come out of one triangle.
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
  // The result has no weights and no self.
  const TextWords& read(const Table& table, const std::uint32_t* left, int left_length, const std::uint32_t* right,
                        int right_length);

  // Of each word read, infinity where it is one of the text, else 0.
  const float* in_left() const { return in_left_; }
  const float* in_right() const { return in_right_; }
  // From values of the words read to values of each text's words.
  void spread_left(const float* found, float* out) const { spread(found, places_, left_length_, out); }
  void spread_right(const float* found, float* out) const { spread(found, places_ + left_length_, right_length_, out); }

 private:
  static void spread(const float* found, const std::uint8_t* places, int length, float* out) {
    for (int i = 0; i < length; ++i) out[i] = found[places[i]];
  }

  TextWords words_;
  int left_length_ = 0, right_length_ = 0;
  std::uint32_t all_[kLargestTriangle] = {};  // ids of both texts
  std::uint8_t places_[kLargestTriangle];     // of each among the words read
  std::uint32_t ids_[kLargestTriangle];
  const float* rows_[kLargestTriangle];
  alignas(64) float in_left_[kLargestTriangle];
  alignas(64) float in_right_[kLargestTriangle];
};

}  // namespace fuzzbow
