#include "search/corpus_words.hpp"

#include <algorithm>

namespace fuzzbow {

void CorpusWords::add_word(std::uint32_t table_id) {
  const std::uint32_t local = static_cast<std::uint32_t>(table_ids_.size());
  if (local_ids_.size() <= table_id) local_ids_.resize(table_.size(), kNoWord);
  local_ids_[table_id] = local;
  table_ids_.push_back(table_id);
  panels_.add(table_.row(table_id));
  numbers_.resize(panels_.panels());
  has_vectors_.resize(panels_.panels());
  const std::uint8_t kind = table_.kind(table_id);
  if (!is_unknown(kind)) has_vectors_.back() = 1;
  if (is_number(kind)) numbers_.back() |= static_cast<std::uint16_t>(1u << (local % kPanel));
  // Every word may be compared with an unknown word of a later query.
  if (table_.rules()) trigrams_.add(table_id, local);
}

void CorpusWords::add(const Ragged& texts) {
  std::vector<std::uint32_t> frequency(table_.size(), 0);
  std::vector<std::uint32_t> fresh;
  for (std::int64_t i = 0; i < texts.total(); ++i) {
    const std::uint32_t id = texts.ids[i];
    if (frequency[id]++ == 0 && local(id) == kNoWord) fresh.push_back(id);
  }
  std::sort(fresh.begin(), fresh.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (frequency[a] != frequency[b]) return frequency[a] > frequency[b];
    const bool unknown_a = is_unknown(table_.kind(a)), unknown_b = is_unknown(table_.kind(b));
    return unknown_a != unknown_b ? unknown_b : a < b;
  });
  for (std::uint32_t id : fresh) add_word(id);
}

std::size_t CorpusWords::bytes() const {
  return panels_.bytes() + (table_ids_.capacity() + local_ids_.capacity()) * 4 + numbers_.capacity() * 2 +
         has_vectors_.capacity() + trigrams_.bytes();
}

}  // namespace fuzzbow
