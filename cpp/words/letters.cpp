#include "words/letters.hpp"

namespace fuzzbow {

void Letters::read(const TextWords& text) {
  known_.clear();
  unknown_.clear();
  kinds_.resize(text.length);
  table_ = text.table;
  ids_.assign(text.ids, text.ids + text.length);
  for (std::int64_t i = 0; i < text.length; ++i) {
    const std::uint32_t id = text.ids[i];
    kinds_[i] = text.table->kind(id);
    Postings& postings = is_unknown(kinds_[i]) ? unknown_ : known_;
    const std::uint32_t* trigrams = text.table->trigrams(id);
    for (std::int64_t t = 0; t < text.table->trigram_count(id); ++t)
      postings.push_back(static_cast<std::uint64_t>(trigrams[t]) << 32 | static_cast<std::uint32_t>(i));
  }
  std::sort(known_.begin(), known_.end());
  std::sort(unknown_.begin(), unknown_.end());
}

void Letters::count(const Postings& postings, const Table& table, std::uint32_t id, Scratch& scratch) {
  const std::uint32_t* trigrams = table.trigrams(id);
  auto found = postings.begin();
  for (std::int64_t t = 0; t < table.trigram_count(id); ++t) {  // both are in ascending order
    found = std::lower_bound(found, postings.end(), static_cast<std::uint64_t>(trigrams[t]) << 32);
    for (; found != postings.end() && *found >> 32 == trigrams[t]; ++found) {
      const std::uint32_t position = static_cast<std::uint32_t>(*found);
      if (scratch.common[position]++ == 0) scratch.touched.push_back(position);
    }
  }
}

}  // namespace fuzzbow
