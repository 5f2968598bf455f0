// How many edits turn one word into another.
#pragma once
#include <array>
#include <cstdint>

namespace fuzzbow {

constexpr int kMostLetters = 64;  // of a word that is compared by edits: one bit each

// A word to compare others with by optimal string alignment: letters are inserted, deleted and replaced, and neighbours
// change places, none twice. Words have at most kMostLetters letters, as code points.
class EditPattern {
 public:
  // Reads a word of at least one letter, which must outlive the pattern.
  void read(const std::uint32_t* letters, int length);
  bool empty() const { return length_ == 0; }
  // Edits from one word to the other; any number above `most` if there are more than those.
  int distance(const std::uint32_t* other, int other_length, int most) const;

 private:
  std::uint64_t positions(std::uint32_t letter) const;

  const std::uint32_t* letters_ = nullptr;
  int length_ = 0;
  bool collides_ = false;                       // letters share a slot: compared one by one
  std::array<std::uint64_t, 64> positions_;     // bits, by slot: the code point modulo 64; unset before `read`
  std::array<std::uint32_t, 64> slot_letters_;  // where there are positions
};

}  // namespace fuzzbow
