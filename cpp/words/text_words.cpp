#include "words/text_words.hpp"

#include <algorithm>

#include "simd/compiler.hpp"

namespace fuzzbow {

const TextWords& Gathered::gather(const Table& table, const std::uint32_t* ids, std::int64_t length,
                                  const float* counts, const float* self) {
  rows_.resize(length);
  weights_.resize(length);
  for (std::int64_t i = 0; i < length; ++i) {
    rows_[i] = table.row(ids[i]);
    weights_[i] = table.weight(ids[i]);
  }
  words_ = {&table, length, ids, ids, counts, rows_.data(), weights_.data(), self};
  return words_;
}

const TextWords& UniqueWords::read(const TextWords& text) {
  ids_.clear();
  identities_.clear();
  counts_.clear();
  rows_.clear();
  known_ = 0;
  positions_.resize(text.length);
  std::vector<std::uint64_t> order(text.length);  // unknown words last, equal words together
  for (std::int64_t i = 0; i < text.length; ++i)
    order[i] = (is_unknown(text.table->kind(text.ids[i])) ? std::uint64_t{1} << 63 : 0) | static_cast<std::uint64_t>(i);
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    const std::uint32_t first = text.ids[static_cast<std::uint32_t>(a)],
                        second = text.ids[static_cast<std::uint32_t>(b)];
    if (a >> 63 != b >> 63) return a < b;
    return first != second ? first < second : a < b;
  });
  for (std::uint64_t key : order) {
    const std::uint32_t i = static_cast<std::uint32_t>(key);
    if (text.counts || ids_.empty() || ids_.back() != text.ids[i]) {
      ids_.push_back(text.ids[i]);
      identities_.push_back(text.identities[i]);
      rows_.push_back(text.rows[i]);
      if (text.counts) counts_.push_back(text.counts[i]);
      if (key >> 63 == 0) ++known_;
    }
    positions_[i] = static_cast<std::uint32_t>(ids_.size() - 1);
  }
  words_ = {text.table,
            static_cast<std::int64_t>(ids_.size()),
            ids_.data(),
            identities_.data(),
            text.counts ? counts_.data() : nullptr,
            rows_.data(),
            nullptr,
            nullptr};
  return words_;
}

std::uint32_t cached_rows(const Table& table) { return static_cast<std::uint32_t>((1 << 18) / table.padded()); }

void prefetch_rows(const Table& table, const std::uint32_t* ids, std::int64_t length) {
  const std::uint32_t cached = cached_rows(table);
  for (std::int64_t i = 0; i < length; ++i) {
    if (ids[i] < cached) continue;
    const float* row = table.row(ids[i]);
    for (int t = 0; t < table.padded(); t += 16) FUZZBOW_PREFETCH_EARLY(row + t);
  }
}

}  // namespace fuzzbow
