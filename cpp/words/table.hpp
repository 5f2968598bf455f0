// The word table: vector, weight, kind, trigrams and letters of every word, by word id.
#pragma once
#include <cstdint>
#include <shared_mutex>
#include <vector>

#include "support/aligned.hpp"

namespace fuzzbow {

enum Kind : std::uint8_t { kOrdinary = 0, kNumber = 1, kUnknownWord = 2, kUnknownNumber = 3 };

inline bool is_number(std::uint8_t kind) { return kind & 1; }
inline bool is_unknown(std::uint8_t kind) { return kind & 2; }

// Rows to append. Null kinds: all words are ordinary. The trigrams of a word that has letters must be those of
// `<letters>`, each once: indexes conclude from the number of edits how many trigrams two words have in common.
struct TableRows {
  const float* vectors = nullptr;  // (count, dimension), contiguous
  const float* weights = nullptr;  // (count,)
  const std::uint8_t* kinds = nullptr;
  const std::int64_t* trigram_offsets = nullptr;  // (count + 1,) or null
  const std::uint32_t* trigram_ids = nullptr;     // sorted, unique inside a word
  const std::int64_t* letter_offsets = nullptr;   // (count + 1,) or null
  const std::uint32_t* letters = nullptr;         // code points, at most kMostLetters of a word
  std::int64_t count = 0;
};

// A summary of a word's letters that rules out most words before letters are compared.
struct Spelling {
  // Letters by code point modulo 32: the low bit for one occurrence, the high bit for two or more.
  std::uint64_t used = 0;
  std::uint32_t trigrams = 0;
  std::uint8_t letters = 0;  // 0: the word is compared by trigrams only
  std::uint8_t bits = 0;     // number of bits set in `used`
};

class Table {
 public:
  // rules: equal words have similarity 1, different numbers 0, and unknown words are compared by letters.
  // unit: similarities are at most 1, and a word has similarity 1 with itself.
  Table(std::int64_t dimension, bool rules, bool unit);

  void append(const TableRows& rows);

  std::int64_t size() const { return size_; }
  std::int64_t dimension() const { return dimension_; }
  int padded() const { return padded_; }
  bool rules() const { return rules_; }
  bool unit() const { return unit_; }
  bool equal_is_one() const { return rules_ || unit_; }
  // Power of two by which vectors are multiplied when stored; 1 under rules, where magnitudes matter.
  float scale() const { return scale_; }

  const float* row(std::uint32_t id) const { return vectors_.data() + static_cast<std::size_t>(id) * padded_; }
  float weight(std::uint32_t id) const { return weights_[id]; }
  std::uint8_t kind(std::uint32_t id) const { return rules_ ? kinds_[id] : 0; }
  const std::uint32_t* trigrams(std::uint32_t id) const { return trigrams_.data() + trigram_offsets_[id]; }
  std::int64_t trigram_count(std::uint32_t id) const { return trigram_offsets_[id + 1] - trigram_offsets_[id]; }
  const Spelling& spelling(std::uint32_t id) const { return spellings_[id]; }
  const std::uint32_t* letters(std::uint32_t id) const { return letters_.data() + letter_offsets_[id]; }
  bool special() const { return special_; }  // some word is a number or unknown
  bool unknown() const { return unknown_; }  // some word is unknown
  std::size_t bytes() const;

  // Readers hold it shared for the length of a call, append holds it exclusively.
  std::shared_mutex& mutex() const { return mutex_; }

 private:
  void choose_scale(const TableRows& rows);
  void append_letters(const TableRows& rows);

  std::int64_t dimension_;
  int padded_;
  bool rules_, unit_;
  bool special_ = false, unknown_ = false;
  float scale_ = 0.0f;
  std::int64_t size_ = 0;
  AlignedBuffer<float> vectors_, weights_;
  std::vector<std::uint8_t> kinds_;
  std::vector<std::int64_t> trigram_offsets_{0};
  std::vector<std::uint32_t> trigrams_;
  std::vector<std::int64_t> letter_offsets_{0};
  std::vector<std::uint32_t> letters_;
  std::vector<Spelling> spellings_;
  mutable std::shared_mutex mutex_;
};

}  // namespace fuzzbow
