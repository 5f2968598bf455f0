#include "words/rules.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

int bits(std::uint64_t set) {
  set -= set >> 1 & 0x5555555555555555u;
  set = (set & 0x3333333333333333u) + (set >> 2 & 0x3333333333333333u);
  set = (set + (set >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<int>(set * 0x0101010101010101u >> 56);
}

// Most edits of words that edits make similar; with more, trigrams alone count.
int most_edits(int longer) { return 3 * longer / 10; }

double by_edits(int edits, int longer) { return 1.0 - 1.2 * (static_cast<double>(edits) / longer); }

int difference(int a, int b) { return a > b ? a - b : b - a; }

// Lower bound of the number of edits: each adds at most one letter and removes at most one.
int least_edits(const Spelling& a, const Spelling& b) {
  // Letters that only one word has: the larger of the two counts, from their sum and their difference.
  const int only_one = (bits(a.used ^ b.used) + difference(a.bits, b.bits)) / 2;
  return std::max(only_one, difference(a.letters, b.letters));
}

double trigram_dice(const Spelling& a, const Spelling& b, std::int64_t common) {
  return 2.0 * static_cast<double>(common) / (static_cast<double>(a.trigrams) + b.trigrams);
}

// True if edits may give a higher similarity than trigrams.
bool worth_edits(const Spelling& a, const Spelling& b, double dice) {
  const int longer = std::max(a.letters, b.letters);
  if (a.letters == 0 || b.letters == 0 || difference(a.letters, b.letters) > most_edits(longer)) return false;
  const int least = least_edits(a, b);
  return least <= most_edits(longer) && by_edits(least, longer) > dice;
}

std::int64_t common_trigrams(const std::uint32_t* a, std::int64_t a_count, const std::uint32_t* b,
                             std::int64_t b_count) {
  std::int64_t common = 0;
  for (std::int64_t i = 0, j = 0; i < a_count && j < b_count;) {
    if (a[i] == b[j]) ++common;
    const std::uint32_t left = a[i], right = b[j];
    i += left <= right;
    j += right <= left;
  }
  return common;
}

// Sets the similarity of two words of which at least one is a number or unknown, if it is not their dot product.
void set_special(const RuleWords& rows, int i, const RuleWords& columns, int j, bool letters, float* similarity) {
  if (is_number(rows.kind(i)) && is_number(columns.kind(j))) {
    *similarity = 0.0f;
    return;
  }
  if (!letters || (!is_unknown(rows.kind(i)) && !is_unknown(columns.kind(j)))) return;
  const std::uint32_t a = rows.ids[i], b = columns.ids[j];
  const std::int64_t common = common_trigrams(rows.table->trigrams(a), rows.table->trigram_count(a),
                                              columns.table->trigrams(b), columns.table->trigram_count(b));
  *similarity = LetterComparer(*rows.table, a).similarity(*columns.table, b, columns.table->spelling(b), common);
}

// Visits the cells of special rows and columns only: most words are ordinary.
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

float LetterComparer::similarity(const Table& table, std::uint32_t id, const Spelling& spelling, std::int64_t common) {
  if (common == 0) return 0.0f;
  const Spelling& own = table_.spelling(id_);
  const double dice = trigram_dice(own, spelling, common);
  return static_cast<float>(worth_edits(own, spelling, dice) ? with_edits(table, id, dice) : dice);
}

double LetterComparer::with_edits(const Table& table, std::uint32_t id, double dice) {
  const int own = table_.spelling(id_).letters, letters = table.spelling(id).letters;
  if (pattern_.empty()) pattern_.read(table_.letters(id_), own);
  const int longer = std::max(own, letters), most = most_edits(longer);
  const int edits = pattern_.distance(table.letters(id), letters, most);
  return edits <= most ? std::max(dice, by_edits(edits, longer)) : dice;
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
    if (identity == kNoWord) continue;
    for (int j = 0; j < column_count; ++j) line[j] = columns.identities[j] == identity ? 1.0f : line[j];
  }
}

void TrigramIndex::add(std::uint32_t id, std::uint32_t local) {
  if (ids_.size() <= local) {
    ids_.resize(local + 1, 0);
    spellings_.resize(local + 1);
  }
  ids_[local] = id;
  spellings_[local] = table_.spelling(id);
  const std::uint32_t* trigrams = table_.trigrams(id);
  for (std::int64_t t = 0; t < table_.trigram_count(id); ++t) {
    if (postings_.size() <= trigrams[t]) postings_.resize(static_cast<std::size_t>(trigrams[t]) + 1);
    postings_[trigrams[t]].push_back(local);
  }
}

const std::vector<TrigramIndex::Match>& TrigramIndex::matches(const Table& table, std::uint32_t id,
                                                              Scratch& scratch) const {
  const std::uint32_t* trigrams = table.trigrams(id);
  const std::int64_t count = table.trigram_count(id);
  LetterComparer comparer(table, id);
  if (scratch.common.size() < ids_.size()) scratch.common.resize(ids_.size(), 0);
  scratch.touched.clear();
  scratch.found.clear();
  for (std::int64_t t = 0; t < count; ++t) {
    if (trigrams[t] >= postings_.size()) continue;
    for (std::uint32_t local : postings_[trigrams[t]])
      if (scratch.common[local]++ == 0) scratch.touched.push_back(local);
  }
  std::sort(scratch.touched.begin(), scratch.touched.end());
  for (std::uint32_t local : scratch.touched) {
    const float similarity = comparer.similarity(table_, ids_[local], spellings_[local], scratch.common[local]);
    scratch.found.push_back({local, similarity});
    scratch.common[local] = 0;
  }
  return scratch.found;
}

std::size_t TrigramIndex::bytes() const {
  std::size_t total =
      ids_.capacity() * 4 + spellings_.capacity() * sizeof(Spelling) + postings_.capacity() * sizeof(postings_[0]);
  for (const auto& posting : postings_) total += posting.capacity() * 4;
  return total;
}

}  // namespace fuzzbow
