#include "rules.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

float dice(std::int64_t common, std::int64_t a_count, std::int64_t b_count) {
  return a_count + b_count > 0 ? static_cast<float>(2.0 * common / static_cast<double>(a_count + b_count)) : 0.0f;
}

// The similarity of two words of which at least one is a number or unknown; false where the dot product stays.
bool special_similarity(const RuleWords& rows, int i, const RuleWords& columns, int j, float* similarity) {
  const std::uint8_t row_kind = rows.table->kind(rows.ids[i]);
  const std::uint8_t column_kind = columns.table->kind(columns.ids[j]);
  if (is_number(row_kind) && is_number(column_kind)) {
    *similarity = 0.0f;
    return true;
  }
  if (!is_unknown(row_kind) && !is_unknown(column_kind)) return false;
  *similarity = trigram_dice(rows.table->trigrams(rows.ids[i]), rows.table->trigram_count(rows.ids[i]),
                             columns.table->trigrams(columns.ids[j]), columns.table->trigram_count(columns.ids[j]));
  return true;
}

}  // namespace

float trigram_dice(const std::uint32_t* a, std::int64_t a_count, const std::uint32_t* b, std::int64_t b_count) {
  std::int64_t common = 0;
  for (std::int64_t i = 0, j = 0; i < a_count && j < b_count;) {
    if (a[i] == b[j]) ++common;
    const std::uint32_t left = a[i], right = b[j];
    i += left <= right;
    j += right <= left;
  }
  return dice(common, a_count, b_count);
}

void apply_rules(const RuleWords& rows, int row_count, const RuleWords& columns, int column_count, float* block,
                 int stride) {
  if (rows.table->unit()) {
    for (int i = 0; i < row_count; ++i)
      for (int j = 0; j < column_count; ++j)
        if (block[i * stride + j] > 1.0f) block[i * stride + j] = 1.0f;
  }
  const bool special = rows.table->special() || columns.table->special();
  for (int i = 0; i < row_count; ++i) {
    float* line = block + i * stride;
    if (special)
      for (int j = 0; j < column_count; ++j) special_similarity(rows, i, columns, j, line + j);
    const std::uint32_t identity = rows.identities[i];
    if (identity == kNobody) continue;
    for (int j = 0; j < column_count; ++j) line[j] = columns.identities[j] == identity ? 1.0f : line[j];
  }
}

void TrigramIndex::add(const Table& table, std::uint32_t id, std::uint32_t local) {
  if (lengths_.size() <= local) lengths_.resize(local + 1, 0);
  lengths_[local] = static_cast<std::uint32_t>(table.trigram_count(id));
  const std::uint32_t* trigrams = table.trigrams(id);
  for (std::int64_t t = 0; t < table.trigram_count(id); ++t) {
    if (postings_.size() <= trigrams[t]) postings_.resize(static_cast<std::size_t>(trigrams[t]) + 1);
    postings_[trigrams[t]].push_back(local);
  }
}

std::vector<TrigramIndex::Match> TrigramIndex::matches(const std::uint32_t* trigrams, std::int64_t count) const {
  std::vector<std::uint16_t> common(lengths_.size(), 0);
  std::vector<std::uint32_t> touched;
  for (std::int64_t t = 0; t < count; ++t) {
    if (trigrams[t] >= postings_.size()) continue;
    for (std::uint32_t local : postings_[trigrams[t]])
      if (common[local]++ == 0) touched.push_back(local);
  }
  std::sort(touched.begin(), touched.end());
  std::vector<Match> found;
  found.reserve(touched.size());
  for (std::uint32_t local : touched) found.push_back({local, dice(common[local], count, lengths_[local])});
  return found;
}

std::size_t TrigramIndex::bytes() const {
  std::size_t total = lengths_.capacity() * 4 + postings_.capacity() * sizeof(postings_[0]);
  for (const auto& posting : postings_) total += posting.capacity() * 4;
  return total;
}

}  // namespace fuzzbow
