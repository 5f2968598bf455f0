// The words of one text gathered for scoring: row pointers, weights, identities.
#pragma once
#include <cstdint>
#include <vector>

#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

struct TextWords {
  const Table* table = nullptr;
  std::int64_t length = 0;
  const std::uint32_t* ids = nullptr;
  const std::uint32_t* identities = nullptr;  // equal identities are the same word, also across tables
  const float* counts = nullptr;              // or null
  const float* const* rows = nullptr;
  const float* weights = nullptr;
  const float* self = nullptr;  // memberships in its own text
};

// Reusable buffers of a TextWords.
class Gathered {
 public:
  // The ids must outlive the result.
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

// The distinct words of a long text, known words first. Repeats of a word get its result. With bag counts all words are
// kept, as repeats may have different counts.
class UniqueWords {
 public:
  // Collects the distinct words. The result has no weights and no self memberships.
  const TextWords& read(const TextWords& text);
  std::int64_t known() const { return known_; }  // the first known() words are not unknown
  // Copies values of the distinct words to the words of the text.
  void spread(const float* found, float* out) const {
    for (std::size_t i = 0; i < positions_.size(); ++i) out[i] = found[positions_[i]];
  }

 private:
  TextWords words_;
  std::int64_t known_ = 0;
  std::vector<std::uint32_t> ids_, identities_, positions_;
  std::vector<float> counts_;
  std::vector<const float*> rows_;
};

// Number of first rows that need no prefetch: ids are mostly in order of frequency, so these rows stay in the cache.
std::uint32_t cached_rows(const Table& table);

// Prefetches the vectors of a text that will be scored soon.
void prefetch_rows(const Table& table, const std::uint32_t* ids, std::int64_t length);

}  // namespace fuzzbow
