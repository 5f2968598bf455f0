// A map from short words to numbers: an open-addressing hash table whose slots hold the words themselves, so that a
// lookup reads one cache line.
#pragma once
#include <cstdint>

#include "simd/compiler.hpp"
#include "support/aligned.hpp"
#include "support/hashing.hpp"

namespace fuzzbow {

// A word of 1 to kLongest bytes as two numbers. Together with the length they are unique.
struct ShortWord {
  static constexpr std::size_t kLongest = 16;
  std::uint64_t first, second;
  std::uint32_t length;

  static ShortWord of(const char* word, std::size_t length) {
    char bytes[kLongest] = {};
    std::memcpy(bytes, word, length);
    return {load_whole<std::uint64_t>(bytes), load_whole<std::uint64_t>(bytes + 8), static_cast<std::uint32_t>(length)};
  }
  // Same as `of`, for a word from whose start kLongest bytes may be read.
  static ShortWord of_padded(const char* word, std::size_t length) {
    if (!kLittleEndian) return of(word, length);
    const std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t first = load_whole<std::uint64_t>(word), second = load_whole<std::uint64_t>(word + 8);
    if (length <= 8) return {first & all >> (64 - 8 * length), 0, static_cast<std::uint32_t>(length)};
    return {first, second & all >> (128 - 8 * length), static_cast<std::uint32_t>(length)};
  }

  // Writes kLongest bytes: the word, then zeros.
  void write(char* bytes) const {
    std::memcpy(bytes, &first, 8);
    std::memcpy(bytes + 8, &second, 8);
  }

  std::uint64_t hash() const {
    std::uint64_t value = (first ^ length) * 0x9E3779B97F4A7C15ull;
    value = (value ^ value >> 32 ^ second) * 0xD6E8FEB86659FD93ull;
    return value ^ value >> 32;
  }
};

class ShortWordMap {
 public:
  static constexpr std::uint32_t kMissing = 0xFFFFFFFEu;

  ShortWordMap() { slots_.resize(16); }

  std::uint32_t find(const ShortWord& word, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask; slots_[slot].length; slot = (slot + 1) & mask)
      if (slots_[slot].holds(word)) return slots_[slot].value;
    return kMissing;
  }
  // Adds a new word.
  void add(const ShortWord& word, std::uint32_t value) {
    if (2 * ++size_ > slots_.size()) {
      AlignedBuffer<Slot> old;
      old.resize(2 * slots_.size());
      old.swap(slots_);
      for (std::size_t i = 0; i < old.size(); ++i)
        if (old[i].length) enter({old[i].first, old[i].second, old[i].length}, old[i].value);
    }
    enter(word, value);
  }
  // Prefetches the slot of a word with this hash.
  void prefetch(std::uint64_t hash) const { FUZZBOW_PREFETCH(slots_.data() + (hash & (slots_.size() - 1))); }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.bytes(); }

 private:
  struct alignas(32) Slot {  // a ShortWord and its value, in one cache line
    std::uint64_t first, second;
    std::uint32_t length;  // 0: the slot is free
    std::uint32_t value;
    bool holds(const ShortWord& word) const {
      return ((first ^ word.first) | (second ^ word.second) | (length ^ word.length)) == 0;
    }
  };

  void enter(const ShortWord& word, std::uint32_t value) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = word.hash() & mask;
    while (slots_[slot].length) slot = (slot + 1) & mask;
    slots_[slot] = {word.first, word.second, word.length, value};
  }

  AlignedBuffer<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace fuzzbow
