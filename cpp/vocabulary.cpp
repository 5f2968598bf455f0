#include "vocabulary.hpp"

#include <cstring>

namespace fuzzbow {

namespace {

template <class Whole>
std::uint64_t load(const char* from) {
  Whole value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Up to eight bytes as a number; different bytes of one length are different numbers.
std::uint64_t packed(const char* word, std::size_t length) {
  if (length >= 8) return load<std::uint64_t>(word);
  if (length >= 4) return load<std::uint32_t>(word) | load<std::uint32_t>(word + length - 4) << 32;
  if (length >= 2) return load<std::uint16_t>(word) | load<std::uint8_t>(word + length - 1) << 16;
  return length ? load<std::uint8_t>(word) : 0;
}

// Eight bytes per step, multiplied and folded; good enough for words, and fast on short ones.
std::uint64_t hash_of(const char* word, std::size_t length) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ length;
  for (std::size_t done = 0; done < length; done += 8) {
    hash = (hash ^ packed(word + done, length - done)) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  hash *= 0xD6E8FEB86659FD93ull;
  return hash ^ hash >> 29;
}

bool equal(const char* a, const char* b, std::size_t length) {
  return length <= 8 ? packed(a, length) == packed(b, length) : std::memcmp(a, b, length) == 0;
}

}  // namespace

Vocabulary::Vocabulary(const char* blob, const std::int64_t* offsets, std::int64_t count)
    : blob_(blob, blob + offsets[count]), offsets_(offsets, offsets + count + 1) {
  std::uint64_t slots = 16;
  while (slots < static_cast<std::uint64_t>(count) * 2) slots *= 2;
  slots_.resize(slots);
  mask_ = slots - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const char* word = blob_.data() + offsets_[i];
    const std::size_t length = static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]);
    if (find(word, length) >= 0) continue;
    const std::uint64_t hash = hash_of(word, length);
    std::uint64_t place = hash & mask_;
    while (slots_[place].id >= 0) place = (place + 1) & mask_;
    slots_[place] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
  }
}

std::int32_t Vocabulary::find(const char* word, std::size_t length) const {
  const std::uint64_t hash = hash_of(word, length);
  const std::uint32_t mark = static_cast<std::uint32_t>(hash >> 32);
  for (std::uint64_t place = hash & mask_; slots_[place].id >= 0; place = (place + 1) & mask_) {
    const Slot& slot = slots_[place];
    if (slot.mark != mark) continue;
    const std::size_t known = static_cast<std::size_t>(offsets_[slot.id + 1] - offsets_[slot.id]);
    if (known == length && equal(blob_.data() + offsets_[slot.id], word, length)) return slot.id;
  }
  return -1;
}

}  // namespace fuzzbow
