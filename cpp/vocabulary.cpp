#include "vocabulary.hpp"

#include <algorithm>

#include "utf8.hpp"

namespace fuzzbow {

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
    measure(word, length);
    const std::uint64_t hash = hash_of(word, length);
    std::uint64_t place = hash & mask_;
    while (slots_[place].id >= 0) place = (place + 1) & mask_;
    slots_[place] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
  }
}

void Vocabulary::measure(const char* word, std::size_t length) {
  const char *p = word, *end = word + length;
  // all letters of such scripts have three bytes or four; other words of that kind are few and do no harm
  if (length == 0 || static_cast<unsigned char>(*word) < 0xE0) return;
  const char32_t first = next_character(p, end);
  if (p == end) return;
  const char32_t second = next_character(p, end);
  std::size_t count = 2;
  for (; p < end; ++count) next_character(p, end);
  if (longest_.empty()) longest_.resize(kBeginnings);
  std::uint8_t& longest = longest_[beginning(first, second)];
  if (count <= kLongestSegment) longest = std::max(longest, static_cast<std::uint8_t>(count));
}

std::int32_t Vocabulary::find(const char* word, std::size_t length, std::uint64_t hash) const {
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
