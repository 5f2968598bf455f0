// Which documents hold a word, and how often: an inverted index of some documents that follow each other.
#pragma once
#include <cstdint>
#include <vector>

#include "support/aligned.hpp"

namespace fuzzbow {

// Documents as local ids in the order of the text: document i is words[offsets[i] .. offsets[i + 1]).
struct ForwardIndex {
  std::vector<std::int64_t> offsets{0};
  AlignedBuffer<std::uint32_t> words;

  std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t length(std::int64_t document) const { return offsets[document + 1] - offsets[document]; }
  const std::uint32_t* begin(std::int64_t document) const { return words.data() + offsets[document]; }
  const std::uint32_t* end(std::int64_t document) const { return words.data() + offsets[document + 1]; }
  std::size_t bytes() const { return offsets.capacity() * 8 + words.bytes(); }
};

class Postings {
 public:
  static constexpr std::int64_t kMostDocuments = std::int64_t{1} << 24;
  static constexpr std::int64_t kMostWords = std::int64_t{1} << 31;
  static constexpr std::uint32_t kMostOften = 255;
  // Whether documents [first, last) are few enough for one.
  static bool fits(const ForwardIndex& documents, std::int64_t first, std::int64_t last) {
    return last - first <= kMostDocuments && documents.offsets[last] - documents.offsets[first] <= kMostWords;
  }

  // Of documents [first, last), without those that are removed; words: how many local ids there are.
  Postings(const ForwardIndex& documents, std::int64_t first, std::int64_t last, const std::uint8_t* removed,
           std::int64_t words);

  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  std::int64_t size() const { return last_ - first_; }

  // Ascending: the document less first() in 24 bits, how often in 8; a document that has a word still more often has
  // several.
  struct List {
    const std::uint32_t *begin = nullptr, *end = nullptr;
  };
  List of(std::uint32_t word) const;
  std::size_t bytes() const;

 private:
  std::int64_t first_, last_;
  std::vector<std::uint32_t> words_;    // ascending, those that occur; empty where every word has an offset
  std::vector<std::uint32_t> offsets_;  // of each word's list, and the end
  AlignedBuffer<std::uint32_t> postings_;
};

}  // namespace fuzzbow
