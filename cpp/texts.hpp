// The words of one text gathered for scoring: row pointers, weights, identities.
#pragma once
#include <cstdint>
#include <vector>

#include "ragged.hpp"
#include "table.hpp"

namespace fuzzbow {

struct TextWords {
  const Table* table = nullptr;
  std::int64_t length = 0;
  const std::uint32_t* ids = nullptr;
  const std::uint32_t* identities = nullptr;  // equal identities are the same word, across tables
  const float* counts = nullptr;              // or null
  const float* const* rows = nullptr;
  const float* weights = nullptr;
  const float* self = nullptr;  // memberships in its own text
};

// Scratch behind a TextWords; reused from text to text.
class Gathered {
 public:
  // ids must outlive the result.
  const TextWords& gather(const Table& table, const std::uint32_t* ids, std::int64_t length, const float* counts,
                          const float* self);
  const TextWords& gather(const Table& table, const Ragged& texts, std::int64_t text, const float* self) {
    const std::int64_t start = texts.start(text);
    return gather(table, texts.ids + start, texts.length(text), texts.counts ? texts.counts + start : nullptr,
                  self ? self + start : nullptr);
  }

 private:
  TextWords words_;
  std::vector<const float*> rows_;
  std::vector<float> weights_;
};

// Ids mostly come in order of frequency: so many of the first rows are in the cache anyway.
std::uint32_t cached_rows(const Table& table);

// Asks the cache for the vectors of a text that comes soon.
void prefetch_rows(const Table& table, const std::uint32_t* ids, std::int64_t length);

}  // namespace fuzzbow
