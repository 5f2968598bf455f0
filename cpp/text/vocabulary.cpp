#include "text/vocabulary.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace fuzzbow {

Vocabulary::Vocabulary(const char* blob, const std::int64_t* offsets, std::int64_t count) {
  if (count > 0) {
    blob_.assign(blob, blob + offsets[count]);
    offsets_.assign(offsets, offsets + count + 1);
  }
  resize(static_cast<std::uint64_t>(count));
  for (std::int64_t id = 0; id < count; ++id) enter(id);
}

void Vocabulary::add(const char* word, std::size_t length) {
  blob_.append(word, length);
  offsets_.push_back(static_cast<std::int64_t>(blob_.size()));
  if (static_cast<std::uint64_t>(size()) * 2 <= slots_.size()) return enter(size() - 1);
  resize(static_cast<std::uint64_t>(size()) * 2);
  for (std::int64_t id = 0; id < size(); ++id) enter(id);
}

void Vocabulary::resize(std::uint64_t words) {
  std::uint64_t slots = 16;
  while (slots < words * 2) slots *= 2;
  slots_.assign(slots, Slot());
  mask_ = slots - 1;
}

void Vocabulary::enter(std::int64_t id) {
  const char* word = blob_.data() + offsets_[id];
  const std::size_t length = static_cast<std::size_t>(offsets_[id + 1] - offsets_[id]);
  const std::uint64_t hash = hash_of(word, length);
  if (find(word, length, hash) >= 0) return;
  measure(word, length);
  std::uint64_t position = hash & mask_;
  while (slots_[position].id >= 0) position = (position + 1) & mask_;
  slots_[position] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(id)};
}

void Vocabulary::measure(const char* word, std::size_t length) {
  const char *p = word, *end = word + length;
  // all letters of such scripts have three or four bytes; other words with such a first byte are few and harmless
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
  for (std::uint64_t position = hash & mask_; slots_[position].id >= 0; position = (position + 1) & mask_) {
    const Slot& slot = slots_[position];
    if (slot.mark != mark) continue;
    const std::size_t known = static_cast<std::size_t>(offsets_[slot.id + 1] - offsets_[slot.id]);
    if (known == length && equal(blob_.data() + offsets_[slot.id], word, length)) return slot.id;
  }
  return -1;
}

}  // namespace fuzzbow
