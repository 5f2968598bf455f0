#include "rules.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

// The similarity of two words of which at least one is a number or unknown; the dot product may stay.
void set_special(const RuleWords& rows, int i, const RuleWords& columns, int j, bool letters, float* similarity) {
  if (is_number(rows.kind(i)) && is_number(columns.kind(j))) {
    *similarity = 0.0f;
    return;
  }
  if (!letters || (!is_unknown(rows.kind(i)) && !is_unknown(columns.kind(j)))) return;
  *similarity = trigram_dice(rows.table->trigrams(rows.ids[i]), rows.table->trigram_count(rows.ids[i]),
                             columns.table->trigrams(columns.ids[j]), columns.table->trigram_count(columns.ids[j]));
}

// Cells of a special row or column; most words are ordinary, and so most cells are left alone.
void apply_special(const RuleWords& rows, int row_count, const RuleWords& columns, int column_count, bool letters,
                   float* block, int stride) {
  for (int j = 0; j < column_count; ++j)
    if (columns.kind(j) != kOrdinary)
      for (int i = 0; i < row_count; ++i) set_special(rows, i, columns, j, letters, block + i * stride + j);
  for (int i = 0; i < row_count; ++i)
    if (rows.kind(i) != kOrdinary)
      for (int j = 0; j < column_count; ++j)
        if (columns.kind(j) == kOrdinary) set_special(rows, i, columns, j, letters, block + i * stride + j);
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

void apply_rules(const RuleWords& rows, int row_count, const RuleWords& columns, int column_count, bool letters,
                 float* block, int stride) {
  if (rows.table->unit()) {
    for (int i = 0; i < row_count; ++i)
      for (int j = 0; j < column_count; ++j) block[i * stride + j] = std::min(block[i * stride + j], 1.0f);
  }
  if (rows.table->special() || columns.table->special())
    apply_special(rows, row_count, columns, column_count, letters, block, stride);
  for (int i = 0; i < row_count; ++i) {
    float* line = block + i * stride;
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

const std::vector<TrigramIndex::Match>& TrigramIndex::matches(const std::uint32_t* trigrams, std::int64_t count,
                                                              Scratch& scratch) const {
  if (scratch.common.size() < lengths_.size()) scratch.common.resize(lengths_.size(), 0);
  scratch.touched.clear();
  scratch.found.clear();
  for (std::int64_t t = 0; t < count; ++t) {
    if (trigrams[t] >= postings_.size()) continue;
    for (std::uint32_t local : postings_[trigrams[t]])
      if (scratch.common[local]++ == 0) scratch.touched.push_back(local);
  }
  std::sort(scratch.touched.begin(), scratch.touched.end());
  for (std::uint32_t local : scratch.touched) {
    scratch.found.push_back({local, dice(scratch.common[local], count, lengths_[local])});
    scratch.common[local] = 0;
  }
  return scratch.found;
}

std::size_t TrigramIndex::bytes() const {
  std::size_t total = lengths_.capacity() * 4 + postings_.capacity() * sizeof(postings_[0]);
  for (const auto& posting : postings_) total += posting.capacity() * 4;
  return total;
}

}  // namespace fuzzbow
