#include "scores/pair_scorer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simd/kernels.hpp"
#include "words/rules.hpp"

namespace fuzzbow {

namespace {

constexpr int kTile = 64;
static_assert(kTile == kLargestTriangle, "what fits a triangle is one tile");
constexpr std::int64_t kLargePair = 1 << 15;  // words times words: above it, distinct words are compared once

int rounded(std::int64_t length) { return static_cast<int>((length + 15) / 16 * 16); }

// As block_maxima, with each cell multiplied by the bag count of the word that the element is compared with.
void counted_maxima(const float* block, int rows, int columns, int stride, const float* row_counts,
                    const float* column_counts, float* row_maxima, float* column_maxima) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const float value = block[i * stride + j];
      row_maxima[i] = std::max(row_maxima[i], column_counts ? column_counts[j] * value : value);
      column_maxima[j] = std::max(column_maxima[j], row_counts ? row_counts[i] * value : value);
    }
}

const float* counts_at(const TextWords& text, std::int64_t i) { return text.counts ? text.counts + i : nullptr; }

}  // namespace

// Writes similarities of left words i.. with right words j.. to block_; cells after the columns are zero.
void PairScorer::tile(const TextWords& left, std::int64_t i, int rows, const TextWords& right, std::int64_t j,
                      int columns, bool triangle) {
  stride_ = rounded(columns);
  float* block = block_.at_least(kTile * kTile);
  std::memset(block, 0, sizeof(float) * rows * stride_);
  if (triangle)
    kernels().dot_triangle(left.rows + i, rows, left.table->padded(), block, stride_, upcoming_);
  else
    kernels().dot_block(left.rows + i, rows, right.rows + j, columns, left.table->padded(), block, stride_, upcoming_);
  if (left.table->equal_is_one()) {
    const RuleWords row_words = {left.table, left.ids + i, left.identities + i};
    const RuleWords column_words = {right.table, right.ids + j, right.identities + j};
    apply_rules(row_words, rows, column_words, columns, true, block, stride_);
  }
}

void PairScorer::prefetch(const Table& table, const std::uint32_t* ids, std::int64_t length) {
  const std::uint32_t cached = cached_rows(table);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(length, kTile); ++i)
    if (ids[i] >= cached) upcoming_rows_.push_back(table.row(ids[i]));
  const std::size_t bytes = static_cast<std::size_t>(table.padded()) * sizeof(float);
  upcoming_ = {nullptr, nullptr, upcoming_rows_.data(), upcoming_rows_.data() + upcoming_rows_.size(),
               (bytes + 127) / 128 * 128};
}

void PairScorer::self(const TextWords& text, float* out) {
  const std::int64_t length = text.length;
  if (length == 0) return;                   // out may be null
  if (text.table->unit() && !text.counts) {  // similarities are at most 1, and a word has 1 with itself
    std::fill_n(out, length, 1.0f);
    return;
  }
  const bool large = length * length > kLargePair && !text.counts;
  const TextWords& words = large ? left_unique_.read(text) : text;
  float* best = left_cross_.at_least(rounded(words.length) + kTile);
  std::memset(best, 0, sizeof(float) * (rounded(words.length) + kTile));
  own_maxima(words, best);
  if (large)
    left_unique_.spread(best, out);
  else
    std::memcpy(out, best, sizeof(float) * length);
}

void PairScorer::own_maxima(const TextWords& text, float* best) {
  const std::int64_t length = text.length;
  alignas(64) float columns_best[kTile], rows_best[kTile];
  for (std::int64_t i = 0; i < length; i += kTile) {
    const int rows = static_cast<int>(std::min<std::int64_t>(kTile, length - i));
    for (std::int64_t j = i; j < length; j += kTile) {
      if (length > kTile) check();
      const int columns = static_cast<int>(std::min<std::int64_t>(kTile, length - j));
      tile(text, i, rows, text, j, columns, i == j);
      std::memset(columns_best, 0, sizeof columns_best);
      std::memset(rows_best, 0, sizeof rows_best);
      if (text.counts)
        counted_maxima(block_.data(), rows, columns, stride_, text.counts + i, text.counts + j, rows_best,
                       columns_best);
      else
        kernels().block_maxima(block_.data(), rows, stride_, rows_best, columns_best);
      for (int r = 0; r < rows; ++r) best[i + r] = std::max(best[i + r], rows_best[r]);
      for (int c = 0; c < columns; ++c) best[j + c] = std::max(best[j + c], columns_best[c]);
    }
  }
}

PairScore PairScorer::score(const SetSimilarity& similarity, const TextWords& left, const TextWords& right) {
  if (left.length == 0 || right.length == 0) return {0.0f, 0.0, 0.0};
  const Cross cross = left.length * right.length > kLargePair ? large_cross(left, right) : cross_maxima(left, right);
  return similarity.score_sides({left.self, cross.left, left.weights, left.length},
                                {right.self, cross.right, right.weights, right.length});
}

PairScore PairScorer::score_united(const SetSimilarity& similarity, const Table& table, const std::uint32_t* left,
                                   std::int64_t left_length, const std::uint32_t* right, std::int64_t right_length) {
  if (left_length == 0 || right_length == 0) return {0.0f, 0.0, 0.0};
  const TextWords& words =
      united_.read(table, left, static_cast<int>(left_length), right, static_cast<int>(right_length));
  tile(words, 0, static_cast<int>(words.length), words, 0, static_cast<int>(words.length), true);
  alignas(64) float in_left[kTile], in_right[kTile];
  kernels().triangle_maxima(block_.data(), static_cast<int>(words.length), stride_, united_.in_left(),
                            united_.in_right(), in_left, in_right);
  float self[kTile], cross[kTile], weights[kTile];  // of the left text, then of the right one
  united_.spread_left(in_left, self);
  united_.spread_left(in_right, cross);
  united_.spread_right(in_right, self + left_length);
  united_.spread_right(in_left, cross + left_length);
  for (std::int64_t i = 0; i < left_length; ++i) weights[i] = table.weight(left[i]);
  for (std::int64_t i = 0; i < right_length; ++i) weights[left_length + i] = table.weight(right[i]);
  return similarity.score_sides({self, cross, weights, left_length},
                                {self + left_length, cross + left_length, weights + left_length, right_length});
}

// Memberships of each text's words in the other text.
PairScorer::Cross PairScorer::cross_maxima(const TextWords& left, const TextWords& right) {
  float* left_cross = left_cross_.at_least(rounded(left.length) + kTile);
  float* right_cross = right_cross_.at_least(rounded(right.length) + kTile);
  std::memset(left_cross, 0, sizeof(float) * rounded(left.length));
  std::memset(right_cross, 0, sizeof(float) * rounded(right.length));
  raise_by_tiles(left, left.length, right, right.length);
  return {left_cross, right_cross};
}

// Raises memberships by the first left_count and right_count words.
void PairScorer::raise_by_tiles(const TextWords& left, std::int64_t left_count, const TextWords& right,
                                std::int64_t right_count) {
  float *left_cross = left_cross_.data(), *right_cross = right_cross_.data();
  const bool counted = left.counts || right.counts;
  for (std::int64_t i = 0; i < left_count; i += kTile) {
    const int rows = static_cast<int>(std::min<std::int64_t>(kTile, left_count - i));
    for (std::int64_t j = 0; j < right_count; j += kTile) {
      if (left_count > kTile || right_count > kTile) check();
      const int columns = static_cast<int>(std::min<std::int64_t>(kTile, right_count - j));
      tile(left, i, rows, right, j, columns, false);
      if (counted)
        counted_maxima(block_.data(), rows, columns, stride_, counts_at(left, i), counts_at(right, j), left_cross + i,
                       right_cross + j);
      else
        kernels().block_maxima(block_.data(), rows, stride_, left_cross + i, right_cross + j);
    }
  }
}

// Same result as cross_maxima, comparing each distinct word once and unknown words through an index of their trigrams.
PairScorer::Cross PairScorer::large_cross(const TextWords& left, const TextWords& right) {
  const TextWords &a = left_unique_.read(left), &b = right_unique_.read(right);
  float* left_cross = left_cross_.at_least(rounded(a.length) + kTile);
  float* right_cross = right_cross_.at_least(rounded(b.length) + kTile);
  std::memset(left_cross, 0, sizeof(float) * rounded(a.length));
  std::memset(right_cross, 0, sizeof(float) * rounded(b.length));
  raise_by_tiles(a, left_unique_.known(), b, right_unique_.known());
  if (left_unique_.known() < a.length || right_unique_.known() < b.length) raise_by_letters(a, b);
  left_spread_.resize(left.length);
  right_spread_.resize(right.length);
  left_unique_.spread(left_cross, left_spread_.data());
  right_unique_.spread(right_cross, right_spread_.data());
  return {left_spread_.data(), right_spread_.data()};
}

// Raises memberships by pairs with at least one unknown word.
void PairScorer::raise_by_letters(const TextWords& left, const TextWords& right) {
  const auto raise = [&](std::int64_t i, std::int64_t j, float similarity) {
    float &of_left = left_cross_[i], &of_right = right_cross_[j];
    of_left = std::max(of_left, right.counts ? right.counts[j] * similarity : similarity);
    of_right = std::max(of_right, left.counts ? left.counts[i] * similarity : similarity);
  };
  letters_.read(right);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> same;  // (identity, position) of the right words
  for (std::int64_t j = 0; j < right.length; ++j)
    if (right.identities[j] != kNoWord) same.emplace_back(right.identities[j], static_cast<std::uint32_t>(j));
  std::sort(same.begin(), same.end());
  for (std::int64_t i = 0; i < left.length; ++i) {
    if (i % kTile == 0) check();
    const bool unknown = i >= left_unique_.known();
    if (!unknown && right_unique_.known() == right.length) continue;
    letters_.matches(*left.table, left.ids[i], letters_scratch_,
                     [&](std::uint32_t j, float similarity) { raise(i, j, similarity); });
    const std::uint32_t identity = left.identities[i];
    for (auto found = std::lower_bound(same.begin(), same.end(), std::pair(identity, std::uint32_t{0}));
         found != same.end() && found->first == identity; ++found)
      if (unknown || found->second >= right_unique_.known()) raise(i, found->second, 1.0f);
  }
}

}  // namespace fuzzbow
