#include "words/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

constexpr double kEditCost = 1.2;

double by_edits(int edits, int longer) { return 1.0 - kEditCost * (static_cast<double>(edits) / longer); }

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

// Fewest common trigrams of a word and another one of at least this similarity, by the lengths of the other one.
class FewestCommon {
 public:
  FewestCommon(const Spelling& own, double least) {
    for (int trigrams = 0; trigrams <= kMostCounted; ++trigrams)
      by_dice_[trigrams] = std::max(1, static_cast<int>(std::ceil(least * (own.trigrams + trigrams) / 2 - 1e-6)));
    by_edits_.fill(kNever);
    for (int letters = 1; own.letters > 0 && letters <= kMostLetters; ++letters) {
      const int longer = std::max<int>(own.letters, letters);
      const int edits = std::min(most_edits(longer), static_cast<int>((1.0 - least) / kEditCost * longer + 1e-6));
      if (difference(own.letters, letters) > edits) continue;
      by_edits_[letters] = std::max(1, static_cast<int>(own.trigrams) - kMostChanged * edits);
    }
    // A word has at least as many trigrams as it has in common with another.
    for (int trigrams = 1; trigrams <= kMostCounted; ++trigrams)
      if (by_dice_[trigrams] <= trigrams) fewest_ = std::min(fewest_, by_dice_[trigrams]);
    for (int common : by_edits_) fewest_ = std::min(fewest_, common);
  }
  int fewest() const { return fewest_; }
  int of(const WordLengths& lengths) const { return std::min(by_dice_[lengths.trigrams], by_edits_[lengths.letters]); }
  bool by_dice(const WordLengths& lengths, int common) const { return common >= by_dice_[lengths.trigrams]; }

 private:
  static constexpr int kNever = 1 << 20, kMostChanged = 4;  // trigrams that a swap of two letters changes
  std::array<int, kMostCounted + 1> by_dice_;
  std::array<int, kMostLetters + 1> by_edits_;
  int fewest_ = kNever;
};

// False if edits give two words a similarity below `least`, as far as the letters tell that they have.
bool edits_may_reach(const Spelling& a, const Spelling& b, double least) {
  const int edits = least_edits(a, b), longer = std::max(a.letters, b.letters);
  return edits <= most_edits(longer) && by_edits(edits, longer) >= least;
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
    lengths_.resize(local + 1);
  }
  ids_[local] = id;
  const Spelling& spelling = table_.spelling(id);
  lengths_[local] = {spelling.letters,
                     static_cast<std::uint8_t>(std::min<std::uint32_t>(spelling.trigrams, kMostCounted))};
  const std::uint32_t* trigrams = table_.trigrams(id);
  for (std::int64_t t = 0; t < table_.trigram_count(id); ++t) {
    if (postings_.size() <= trigrams[t]) postings_.resize(static_cast<std::size_t>(trigrams[t]) + 1);
    Lists& lists = postings_[trigrams[t]];
    (is_unknown(table_.kind(id)) ? lists.unknown : lists.known).push_back(local);
  }
}

const std::vector<TrigramIndex::Match>& TrigramIndex::matches(const Table& table, std::uint32_t id, float least,
                                                              Scratch& scratch, std::uint32_t first) const {
  const std::uint32_t* trigrams = table.trigrams(id);
  const std::int64_t count = table.trigram_count(id);
  const double floor = std::max(0.0, least - 1e-6);
  scratch.common.resize(std::max(scratch.common.size(), ids_.size()), 0);
  scratch.touched.clear();
  scratch.found.clear();
  scratch.lists.clear();
  const bool unknown = is_unknown(table.kind(id));
  const auto length = [&](const Lists* lists) { return lists->unknown.size() + (unknown ? lists->known.size() : 0); };
  for (std::int64_t t = 0; t < count; ++t)
    if (trigrams[t] < postings_.size() && length(&postings_[trigrams[t]]) > 0)
      scratch.lists.push_back(&postings_[trigrams[t]]);
  const Spelling& own = table.spelling(id);
  const FewestCommon fewest(own, floor);
  const int skipped = fewest.fewest() - 1;
  if (static_cast<int>(scratch.lists.size()) <= skipped) return scratch.found;
  const auto longest = scratch.lists.end() - skipped;
  if (skipped > 0)
    std::nth_element(scratch.lists.begin(), longest, scratch.lists.end(),
                     [&](const Lists* a, const Lists* b) { return length(a) < length(b); });
  const auto count_words = [&](const std::uint32_t* local, const std::uint32_t* end) {
    for (; local != end; ++local)
      if (scratch.common[*local]++ == 0) scratch.touched.push_back(*local);
  };
  for (auto lists = scratch.lists.begin(); lists != longest; ++lists) {
    const List &of_unknown = (*lists)->unknown, &of_known = (*lists)->known;
    const std::uint32_t* end = of_unknown.data() + of_unknown.size();
    count_words(first == 0 ? of_unknown.data() : std::lower_bound(of_unknown.data(), end, first), end);
    if (unknown) count_words(of_known.data(), of_known.data() + of_known.size());
  }
  LetterComparer comparer(table, id);
  for (std::uint32_t local : scratch.touched) {
    int common = scratch.common[local];
    scratch.common[local] = 0;
    if (common + skipped < fewest.of(lengths_[local])) continue;
    const std::uint32_t other = ids_[local];
    const Spelling& spelling = table_.spelling(other);
    if (!fewest.by_dice(lengths_[local], common + skipped) && !edits_may_reach(own, spelling, floor)) continue;
    if (skipped > 0)
      common = static_cast<int>(common_trigrams(trigrams, count, table_.trigrams(other), table_.trigram_count(other)));
    const float similarity = comparer.similarity(table_, other, spelling, common);
    if (similarity >= least) scratch.found.push_back({local, similarity});
  }
  std::sort(scratch.found.begin(), scratch.found.end(),
            [](const Match& a, const Match& b) { return a.local < b.local; });
  return scratch.found;
}

std::size_t TrigramIndex::bytes() const {
  std::size_t total =
      ids_.capacity() * 4 + lengths_.capacity() * sizeof(WordLengths) + postings_.capacity() * sizeof(postings_[0]);
  for (const Lists& lists : postings_) total += (lists.known.capacity() + lists.unknown.capacity()) * 4;
  return total;
}

}  // namespace fuzzbow
