// A map from words to ids: an open-addressing hash table over one block of UTF-8.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/hashing.hpp"

namespace fuzzbow {

// Longest segment, in characters, of scripts without spaces; LONGEST of fuzzbow.text.segments is the same.
constexpr std::size_t kLongestSegment = 20;

class Vocabulary {
 public:
  Vocabulary() : Vocabulary("", nullptr, 0) {}
  // Word i is blob[offsets[i] .. offsets[i + 1]). The first of repeated words wins.
  Vocabulary(const char* blob, const std::int64_t* offsets, std::int64_t count);

  // Adds a new word under the next id.
  void add(const char* word, std::size_t length);
  // Id of a word, or -1.
  std::int32_t find(const char* word, std::size_t length) const { return find(word, length, hash_of(word, length)); }
  std::int32_t find(const char* word, std::size_t length, std::uint64_t hash) const;
  // Length of the longest word, up to kLongestSegment characters, that begins with these two (or with others of the
  // same hash).
  std::size_t longest_from(char32_t first, char32_t second) const {
    return longest_.empty() ? 0 : longest_[beginning(first, second)];
  }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()) - 1; }
  std::size_t bytes() const {
    return blob_.capacity() + offsets_.capacity() * 8 + slots_.capacity() * sizeof(Slot) + longest_.capacity();
  }

 private:
  static constexpr std::size_t kBeginnings = 1 << 16;
  static std::size_t beginning(char32_t first, char32_t second) { return (first * 40503u + second) % kBeginnings; }
  void measure(const char* word, std::size_t length);

  struct Slot {
    std::uint32_t mark = 0;  // high bits of the hash, to avoid most string comparisons
    std::int32_t id = -1;
  };
  void resize(std::uint64_t words);  // allocates empty slots for this many words
  void enter(std::int64_t id);

  std::string blob_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::vector<std::uint8_t> longest_;  // by hash of the first two characters; empty if no such word exists
};

}  // namespace fuzzbow
