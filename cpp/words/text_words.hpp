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

// A long text with each of its words once, known words first: what a word finds, its repeats find too. With bag counts
// every word stays, as repeats may count differently.
class EachOnce {
 public:
  // The result has no weights and no self.
  const TextWords& read(const TextWords& text);
  std::int64_t known() const { return known_; }  // so many of the first words are not unknown
  // From values of the words read to values of the text's words.
  void spread(const float* found, float* out) const {
    for (std::size_t i = 0; i < places_.size(); ++i) out[i] = found[places_[i]];
  }

 private:
  TextWords words_;
  std::int64_t known_ = 0;
  std::vector<std::uint32_t> ids_, identities_, places_;
  std::vector<float> counts_;
  std::vector<const float*> rows_;
};

// Ids mostly come in order of frequency: so many of the first rows are in the cache anyway.
std::uint32_t cached_rows(const Table& table);

// Asks the cache for the vectors of a text that comes soon.
void prefetch_rows(const Table& table, const std::uint32_t* ids, std::int64_t length);

}  // namespace fuzzbow
