#include "words/table.hpp"

#include <algorithm>
#include <cmath>

namespace fuzzbow {

Table::Table(std::int64_t dimension, bool rules, bool unit)
    : dimension_(dimension), padded_(static_cast<int>((dimension + 15) / 16 * 16)), rules_(rules), unit_(unit) {}

// Measures without rules are invariant to a common factor. Tiny vectors are therefore scaled (by a power of two,
// exactly) to where float32 products neither underflow nor overflow.
void Table::choose_scale(const TableRows& rows) {
  float largest = 0.0f;
  for (std::int64_t i = 0; i < rows.count * dimension_; ++i) largest = std::max(largest, std::fabs(rows.vectors[i]));
  if (rules_ || unit_) {
    scale_ = 1.0f;
  } else if (largest > 0.0f) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    scale_ = std::ldexp(1.0f, std::min(126, std::max(-126, -exponent)));
  }
}

void Table::append(const TableRows& rows) {
  if (scale_ == 0.0f) choose_scale(rows);
  const float scale = scale_ == 0.0f ? 1.0f : scale_;
  const std::size_t total = static_cast<std::size_t>(size_ + rows.count);
  vectors_.resize(total * padded_);
  weights_.resize(total);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    float* target = vectors_.data() + (size_ + i) * padded_;
    const float* source = rows.vectors + i * dimension_;
    const bool unknown = rules_ && rows.kinds && is_unknown(rows.kinds[i]);  // stays zero: compared by letters
    for (std::int64_t t = 0; !unknown && t < dimension_; ++t) target[t] = source[t] * scale;
    weights_[size_ + i] = rows.weights ? rows.weights[i] : 1.0f;
  }
  kinds_.resize(total, kOrdinary);
  trigram_offsets_.resize(total + 1, trigram_offsets_.back());
  if (rows.kinds) std::copy(rows.kinds, rows.kinds + rows.count, kinds_.begin() + size_);
  for (std::int64_t i = size_; i < size_ + rows.count; ++i) {
    special_ = special_ || kinds_[i] != kOrdinary;
    unknown_ = unknown_ || is_unknown(kinds_[i]);
  }
  if (rows.trigram_offsets) {
    const std::int64_t base = static_cast<std::int64_t>(trigrams_.size());
    trigrams_.insert(trigrams_.end(), rows.trigram_ids, rows.trigram_ids + rows.trigram_offsets[rows.count]);
    for (std::int64_t i = 0; i <= rows.count; ++i) trigram_offsets_[size_ + i] = base + rows.trigram_offsets[i];
  }
  append_letters(rows);
  size_ += rows.count;
}

void Table::append_letters(const TableRows& rows) {
  spellings_.resize(static_cast<std::size_t>(size_ + rows.count));
  letter_offsets_.resize(spellings_.size() + 1, letter_offsets_.back());
  const std::int64_t base = letter_offsets_[size_];
  if (rows.letter_offsets)
    letters_.insert(letters_.end(), rows.letters, rows.letters + rows.letter_offsets[rows.count]);
  for (std::int64_t i = 0; i < rows.count; ++i) {
    Spelling& spelling = spellings_[size_ + i];
    spelling.trigrams = static_cast<std::uint32_t>(trigram_count(static_cast<std::uint32_t>(size_ + i)));
    if (!rows.letter_offsets) continue;
    const std::int64_t begin = rows.letter_offsets[i], end = rows.letter_offsets[i + 1];
    letter_offsets_[size_ + i + 1] = base + end;
    spelling.letters = static_cast<std::uint8_t>(end - begin);
    for (std::int64_t t = begin; t < end; ++t) {
      std::uint64_t bit = std::uint64_t{1} << (rows.letters[t] % 32);
      if (spelling.used & bit) bit <<= 32;
      spelling.bits += (spelling.used & bit) == 0;
      spelling.used |= bit;
    }
  }
}

std::size_t Table::bytes() const {
  return vectors_.bytes() + weights_.bytes() + kinds_.capacity() + trigram_offsets_.capacity() * 8 +
         (trigrams_.capacity() + letters_.capacity()) * 4 + letter_offsets_.capacity() * 8 +
         spellings_.capacity() * sizeof(Spelling);
}

}  // namespace fuzzbow
