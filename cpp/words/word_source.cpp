#include "words/word_source.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "scores/products.hpp"
#include "text/utf8.hpp"
#include "words/edits.hpp"

namespace fuzzbow {

namespace {

constexpr float kLargestValue = 1e12f;      // LARGEST_VALUE of fuzzbow.vectors.tables
constexpr double kLargestWhitened = 1e30;   // LARGEST_WHITENED of fuzzbow.vectors.weights
constexpr std::int64_t kFewestLetters = 4;  // FEWEST_LETTERS of fuzzbow.engine.letters

// Sum of squares in the order of NumPy's pairwise sum.
double sum_of_squares(const double* values, std::int64_t count) {
  if (count < 8) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < count; ++i) sum += values[i] * values[i];
    return sum;
  }
  if (count > 128) {
    std::int64_t half = count / 2;
    half -= half % 8;
    return sum_of_squares(values, half) + sum_of_squares(values + half, count - half);
  }
  double sums[8];
  for (int k = 0; k < 8; ++k) sums[k] = values[k] * values[k];
  std::int64_t i = 8;
  for (; i < count - count % 8; i += 8)
    for (int k = 0; k < 8; ++k) sums[k] += values[i + k] * values[i + k];
  double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -value : value;
  }
  const std::uint32_t bits = sign | (exponent == 31 ? 0xFFu : exponent + 112) << 23 | fraction << 13;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

bool StoredRows::read(std::int64_t word, float* out) const {
  const std::int64_t row = row_of ? row_of[word] : word, first = row * row_stride;
  const auto read_as = [&](auto type, auto convert) {
    const auto* stored = static_cast<const decltype(type)*>(values) + first;
    if (column_stride == 1)
      for (std::int64_t i = 0; i < dimension; ++i) out[i] = convert(stored[i]);
    else
      for (std::int64_t i = 0; i < dimension; ++i) out[i] = convert(stored[i * column_stride]);
  };
  switch (type) {
    case StoredAs::kFloat32:
      read_as(float{}, [](float value) { return value; });
      break;
    case StoredAs::kFloat16:
      read_as(std::uint16_t{}, from_half);
      break;
    case StoredAs::kInt8:
      read_as(std::int8_t{}, [](std::int8_t value) { return static_cast<float>(value); });
      break;
    case StoredAs::kInt4: {
      const std::uint8_t* stored = static_cast<const std::uint8_t*>(values) + first;
      for (std::int64_t i = 0; i < dimension / 2; ++i) {
        const int pair = stored[i * column_stride];
        out[2 * i] = static_cast<float>((pair & 15) - 8);
        out[2 * i + 1] = static_cast<float>((pair >> 4) - 8);
      }
      if (dimension % 2) out[dimension - 1] = static_cast<float>((stored[dimension / 2 * column_stride] & 15) - 8);
      break;
    }
  }
  const float scale = scales ? scales[row] : 1.0f;
  bool finite = true;
  for (std::int64_t i = 0; i < dimension; ++i) {
    out[i] *= scale;
    finite &= std::fabs(out[i]) <= kLargestValue;  // NaN is not
  }
  return finite;
}

void TrigramNumbers::begin_with(const std::uint64_t* trigrams, std::int64_t count) {
  numbers_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) number_of(trigrams[i]);
}

TableRows NewRows::rows() const {
  TableRows rows;
  rows.vectors = vectors_.data();
  rows.count = count_;
  if (!rules_) return rows;
  rows.weights = weights_.data();
  rows.kinds = kinds_.data();
  rows.trigram_offsets = trigram_offsets_.data();
  rows.trigram_ids = trigrams_.data();
  rows.letter_offsets = letter_offsets_.data();
  rows.letters = letters_.data();
  return rows;
}

void NewRows::clear() {
  count_ = 0;
  vectors_.clear();
  weights_.clear();
  kinds_.clear();
  trigrams_.clear();
  letters_.clear();
  trigram_offsets_.resize(1);
  letter_offsets_.resize(1);
}

// Reads the vector of a word as it is compared, and its weight before the rules; false if it is damaged.
bool WordSource::read_vector(std::int32_t id, std::vector<double>& exact, float* out, double& weight) const {
  const std::int64_t size = rows_.dimension;
  if (!rows_.read(id, out)) return false;
  const bool plain = rules_.form == RowForm::kPlain;
  if (plain && !rules_.normalise && !rules_.factors) return true;
  exact.assign(out, out + size);
  if (!plain && !rules_.preweighted) {
    for (std::int64_t i = 0; i < size; ++i) exact[i] -= rules_.mean[i];
    std::vector<double> whitened(static_cast<std::size_t>(size));
    Execution here(1);
    products({exact.data(), 1, size}, {rules_.matrix, size, size}, here, whitened.data());
    exact.swap(whitened);
    for (double value : exact)
      if (!(std::fabs(value) <= kLargestWhitened)) return false;
  }
  const double squares = sum_of_squares(exact.data(), size), length = std::sqrt(squares);
  const double factor = rules_.factors ? rules_.factors[id] : 1.0;
  if (!plain || rules_.normalise)
    for (double& value : exact) value = length > 0 ? value / length : 0.0;
  if (plain && rules_.factors)
    for (double& value : exact) value *= factor;
  if (!plain) {
    weight = rules_.preweighted ? squares * factor : length / rules_.mean_length * factor;
    weight = std::max(weight, rules_.smallest_weight);
  }
  for (std::int64_t i = 0; i < size; ++i) out[i] = static_cast<float>(exact[i]);
  if (rules_.form == RowForm::kLengthened) {
    const float root = static_cast<float>(std::sqrt(weight));
    for (std::int64_t i = 0; i < size; ++i) out[i] *= root;
  }
  return true;
}

WordSource::Made WordSource::make(std::int32_t id, const char* word, std::size_t length, std::uint8_t traits,
                                  TrigramNumbers& trigrams, NewRows& rows) const {
  const bool known = id >= 0;
  const bool is_weighted = has_rules();
  if (!known && !(is_weighted && rules_.unknown)) return Made::kDropped;
  if (is_weighted && !rules_.punctuation && (traits & kPunctuation)) return Made::kDropped;
  const std::size_t before = rows.vectors_.size(), size = static_cast<std::size_t>(rows_.dimension);
  rows.vectors_.resize(before + size);
  float* vector = rows.vectors_.data() + before;
  double weight = rules_.unknown_weight;
  if (known && !read_vector(id, rows.exact_, vector, weight)) {
    rows.vectors_.resize(before);
    return Made::kDamaged;
  }
  ++rows.count_;
  if (!is_weighted) return Made::kRow;
  if (rules_.numbers && (traits & kNumeric)) weight = rules_.number_weight;
  const bool code = rules_.codes && (traits & kHasDigit);
  if (rules_.unknown && (traits & kSymbol)) weight = std::min(weight, rules_.symbol_weight);
  if (code || (rules_.unknown && (traits & kSymbol))) std::fill_n(vector, size, 0.0f);
  if (code && (traits & kCompound)) weight *= rules_.code_weight;
  if (rules_.codes && (traits & kDecimal)) weight *= rules_.decimal_weight;
  rows.weights_.push_back(static_cast<float>(weight));
  const bool contrasted = (traits & kContrasted) || (!known && (traits & kHasDigit));
  std::uint8_t kind = (rules_.numbers && contrasted) || code ? kNumber : kOrdinary;
  if (!known && !code) kind |= kUnknownWord;
  rows.kinds_.push_back(kind);
  append_spelling(word, length, traits, code, trigrams, rows);
  return Made::kRow;
}

// Appends sorted numbers of the distinct trigrams of `<word>`, unless it is a code, and letters for edits.
void WordSource::append_spelling(const char* word, std::size_t length, std::uint8_t traits, bool code,
                                 TrigramNumbers& trigrams, NewRows& rows) const {
  const std::size_t before = rows.letters_.size(), first = rows.trigrams_.size();
  std::uint64_t older = 0, last = '<';
  std::int64_t count = 0;
  const auto add = [&](std::uint64_t character) {
    if (!code && count > 0) rows.trigrams_.push_back(trigrams.number_of(older << 42 | last << 21 | character));
    older = last;
    last = character;
  };
  for (const char *p = word, *end = word + length; p < end; ++count) {
    const char32_t character = next_character(p, end);
    add(character);
    if (count < kMostLetters) rows.letters_.push_back(character);
  }
  add('>');
  std::sort(rows.trigrams_.begin() + first, rows.trigrams_.end());
  rows.trigrams_.erase(std::unique(rows.trigrams_.begin() + first, rows.trigrams_.end()), rows.trigrams_.end());
  const bool compared = (traits & kLettersOnly) && count >= kFewestLetters && count <= kMostLetters;
  if (!compared) rows.letters_.resize(before);
  rows.trigram_offsets_.push_back(static_cast<std::int64_t>(rows.trigrams_.size()));
  rows.letter_offsets_.push_back(static_cast<std::int64_t>(rows.letters_.size()));
}

}  // namespace fuzzbow
