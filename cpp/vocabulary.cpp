#include "vocabulary.hpp"

#include <cstring>

namespace fuzzbow {

namespace {

// Eight bytes per step, multiplied and folded; good enough for words, and fast on short ones.
std::uint64_t hash_of(const char* word, std::size_t length) {
  std::uint64_t hash = 0x9E3779B97F4A7C15ull ^ length;
  while (length > 0) {
    std::uint64_t piece = 0;
    const std::size_t taken = length < 8 ? length : 8;
    std::memcpy(&piece, word, taken);
    hash = (hash ^ piece) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
    word += taken;
    length -= taken;
  }
  hash *= 0xD6E8FEB86659FD93ull;
  return hash ^ hash >> 29;
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
    if (known == length && std::memcmp(blob_.data() + offsets_[slot.id], word, length) == 0) return slot.id;
  }
  return -1;
}

}  // namespace fuzzbow
