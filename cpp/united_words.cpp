#include "united_words.hpp"

#include <cstring>

namespace fuzzbow {

// In the order in which words are met.
int UnitedWords::number_of(std::uint32_t id) {
  static_assert(sizeof slots_ == 256, "the hash has eight bits");
  for (std::uint32_t slot = id * 0x9E3779B1u >> 24;; slot = (slot + 1) & 255) {
    const int number = slots_[slot] - 1;
    if (number >= 0 && met_[number] != id) continue;
    if (number >= 0) return number;
    met_[size_] = id;
    slots_[slot] = static_cast<std::uint8_t>(size_ + 1);
    return size_++;
  }
}

const TextWords& UnitedWords::read(const Table& table, const std::uint32_t* left, int left_length,
                                   const std::uint32_t* right, int right_length) {
  std::memset(slots_, 0, sizeof slots_);
  size_ = 0;
  left_length_ = left_length;
  right_length_ = right_length;
  for (int i = 0; i < left_length; ++i) left_places_[i] = static_cast<std::uint8_t>(number_of(left[i]));
  left_end_ = size_;
  bool shared[kLargestTriangle] = {};
  for (int i = 0; i < right_length; ++i) {
    right_places_[i] = static_cast<std::uint8_t>(number_of(right[i]));
    shared[right_places_[i]] = true;
  }
  std::uint8_t places[kLargestTriangle];  // by number
  int next = 0;
  for (const bool wanted : {false, true}) {
    if (wanted) right_begin_ = next;
    for (int number = 0; number < left_end_; ++number)
      if (shared[number] == wanted) places[number] = static_cast<std::uint8_t>(next++);
  }
  for (int number = left_end_; number < size_; ++number) places[number] = static_cast<std::uint8_t>(number);
  for (int number = 0; number < size_; ++number) {
    ids_[places[number]] = met_[number];
    rows_[places[number]] = table.row(met_[number]);
  }
  for (int i = 0; i < left_length; ++i) left_places_[i] = places[left_places_[i]];
  for (int i = 0; i < right_length; ++i) right_places_[i] = places[right_places_[i]];
  words_ = {&table, size_, ids_, ids_, nullptr, rows_, nullptr, nullptr};
  return words_;
}

}  // namespace fuzzbow
