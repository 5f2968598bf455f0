// Edit distance of two words.
#pragma once
#include <array>
#include <cstdint>

namespace fuzzbow {

constexpr int kMostLetters = 64;  // most letters of a word that edits can compare: one bit each

// A word prepared for comparison with others by optimal string alignment distance: insertions, deletions, replacements,
// and swaps of neighbouring letters, where no letter is edited twice. Words are code points, at most kMostLetters of
// them.
class EditPattern {
 public:
  // Prepares a word of at least one letter. The letters must outlive the pattern.
  void read(const std::uint32_t* letters, int length);
  bool empty() const { return length_ == 0; }
  // Number of edits from this word to the other. If it exceeds `most`, the result is some number above `most`.
  int distance(const std::uint32_t* other, int other_length, int most) const;

 private:
  std::uint64_t positions(std::uint32_t letter) const;

  const std::uint32_t* letters_ = nullptr;
  int length_ = 0;
  bool collides_ = false;                       // two letters share a slot: letters are then compared one by one
  std::array<std::uint64_t, 64> positions_;     // by slot, code point modulo 64: bits of positions
  std::array<std::uint32_t, 64> slot_letters_;  // the letter of each slot that has positions
};

}  // namespace fuzzbow
