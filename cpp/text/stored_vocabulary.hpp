// The vocabulary of a mapped file: words found by the hashes that are stored in order, without a copy.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fuzzbow {

// First four bytes of BLAKE2b with a digest of four bytes, as a number.
std::uint32_t blake2b_32(const char* data, std::size_t length);

// Arrays that the caller keeps, as fuzzbow.vectors.vocabulary.StoredVocabulary has them.
struct StoredVocabulary {
  const char* data = nullptr;
  const std::int64_t* offsets = nullptr;  // (size + 1,)
  const std::uint32_t* hashes = nullptr;  // (size,) sorted
  const std::uint32_t* order = nullptr;   // (size,) id of the k-th hash
  std::int64_t size = 0;

  // Id of a word, or -1. Hashes are spread evenly, so that a few guesses by interpolation find one.
  std::int32_t find(const char* word, std::size_t length) const;
};

}  // namespace fuzzbow
