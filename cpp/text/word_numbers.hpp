// Distinct words numbered in order of first appearance.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/hashing.hpp"

namespace fuzzbow {

class WordNumbers {
 public:
  WordNumbers() : slots_(64) {}

  // Number of a word, which is added if it is new. `hash` is its hash_of.
  std::uint32_t number_of(const char* word, std::size_t length, std::uint64_t hash) {
    std::size_t position = find(word, length, hash);
    if (slots_[position].number < 0) {
      if (2 * words_.size() >= slots_.size()) {
        grow();
        position = find(word, length, hash);
      }
      slots_[position] = {hash, static_cast<std::int64_t>(words_.size())};
      words_.emplace_back(word, length);
    }
    return static_cast<std::uint32_t>(slots_[position].number);
  }

  std::vector<std::string>& words() { return words_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::int64_t number = -1;
  };

  // The slot of a word, or the free slot where it belongs.
  std::size_t find(const char* word, std::size_t length, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t position = hash & mask;
    for (; slots_[position].number >= 0; position = (position + 1) & mask) {
      const std::string& known = words_[static_cast<std::size_t>(slots_[position].number)];
      if (slots_[position].hash == hash && known.size() == length && equal(known.data(), word, length)) break;
    }
    return position;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::size_t position = slot.hash & (slots_.size() - 1);
      while (slots_[position].number >= 0) position = (position + 1) & (slots_.size() - 1);
      slots_[position] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::string> words_;
};

}  // namespace fuzzbow
