#include "text/distinct.hpp"

#include "simd/compiler.hpp"
#include "support/hashing.hpp"

namespace fuzzbow {

namespace {

constexpr std::size_t kAhead = 8;  // texts between the prefetch of a slot and its use

struct Slot {
  std::uint32_t mark = 0;  // high bits of the hash, to avoid most comparisons
  std::int32_t number = -1;
};

bool same(const TextView& a, const TextView& b) { return a.length == b.length && equal(a.data, b.data, a.length); }

}  // namespace

Distinct distinct(const std::vector<TextView>& texts) {
  std::size_t size = 16;
  while (size < 2 * texts.size()) size *= 2;
  std::vector<Slot> slots(size);
  std::vector<std::uint64_t> hashes(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) hashes[i] = hash_of(texts[i].data, texts[i].length);
  Distinct result;
  result.which.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i + kAhead < texts.size()) FUZZBOW_PREFETCH(slots.data() + (hashes[i + kAhead] & (size - 1)));
    const std::uint32_t mark = static_cast<std::uint32_t>(hashes[i] >> 32);
    std::size_t slot = hashes[i] & (size - 1);
    for (; slots[slot].number >= 0; slot = (slot + 1) & (size - 1))
      if (slots[slot].mark == mark && same(texts[result.firsts[slots[slot].number]], texts[i])) break;
    if (slots[slot].number < 0) {
      slots[slot] = {mark, static_cast<std::int32_t>(result.firsts.size())};
      result.firsts.push_back(static_cast<std::int64_t>(i));
    }
    result.which.push_back(slots[slot].number);
  }
  return result;
}

}  // namespace fuzzbow
