// The words of two short texts together, each once: products of words that both texts have, or that one has twice, are
// computed once, and memberships in either text come out of one triangle.
#pragma once
#include <cstdint>

#include "simd/kernels.hpp"
#include "texts.hpp"

namespace fuzzbow {

class UnitedWords {
 public:
  static bool fits(std::int64_t left_length, std::int64_t right_length) {
    return left_length + right_length <= kLargestTriangle;
  }
  // The result has no weights and no self. Words of the left text alone come first, then those of both.
  const TextWords& read(const Table& table, const std::uint32_t* left, int left_length, const std::uint32_t* right,
                        int right_length);

  int left_end() const { return left_end_; }        // words before it are the left text's
  int right_begin() const { return right_begin_; }  // words from it on are the right text's
  // From values of the words read to values of each text's words.
  void spread_left(const float* found, float* out) const { spread(found, left_places_, left_length_, out); }
  void spread_right(const float* found, float* out) const { spread(found, right_places_, right_length_, out); }

 private:
  static void spread(const float* found, const std::uint8_t* places, int length, float* out) {
    for (int i = 0; i < length; ++i) out[i] = found[places[i]];
  }
  int number_of(std::uint32_t id);

  TextWords words_;
  int size_ = 0, left_end_ = 0, right_begin_ = 0, left_length_ = 0, right_length_ = 0;
  std::uint8_t slots_[4 * kLargestTriangle];  // a hash table: number of a word + 1, or 0
  std::uint32_t met_[kLargestTriangle], ids_[kLargestTriangle];
  std::uint8_t left_places_[kLargestTriangle], right_places_[kLargestTriangle];
  const float* rows_[kLargestTriangle];
};

}  // namespace fuzzbow
