// Words to ids: an open-addressing hash table over one block of UTF-8.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/hashing.hpp"

namespace fuzzbow {

// Characters of a word that segments are looked for in; fuzzbow.text.segments has the same.
constexpr std::size_t kLongestSegment = 20;

class Vocabulary {
 public:
  Vocabulary() : Vocabulary("", nullptr, 0) {}
  // Word i is blob[offsets[i] .. offsets[i + 1]); where a word is repeated the first one counts.
  Vocabulary(const char* blob, const std::int64_t* offsets, std::int64_t count);

  // The next id, for a word that is not there yet.
  void add(const char* word, std::size_t length);
  // Id of a word, or -1.
  std::int32_t find(const char* word, std::size_t length) const { return find(word, length, hash_of(word, length)); }
  std::int32_t find(const char* word, std::size_t length, std::uint64_t hash) const;
  // No word of a script without spaces that begins with these two characters has more, up to kLongestSegment.
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
  void resize(std::uint64_t words);  // slots for so many words, all empty
  void enter(std::int64_t id);

  std::string blob_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::vector<std::uint8_t> longest_;  // by beginning; empty where no word begins so
};

}  // namespace fuzzbow
