// An inverted index of consecutive documents: which of them contain a word, and how often.
//
// Idea: a posting is one number, the document in 24 bits and its occurrences in 8, so a list is scanned without a
// second array. Lists are built by counting, prefix sums and a second pass. If the documents have fewer words, repeats
// counted, than a quarter of the vocabulary, only the words that occur have lists, found by binary search; otherwise
// every word has one.
// Invariant: lists ascend, and the occurrences of all postings of a document in a list sum to its occurrences of the
// word.
// Complexity: O(w) to build for w words of documents, or O(w log w) with binary search; 4 bytes per posting, and 4 per
// word that has a list.
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
  // True if documents [first, last) are few enough for one index.
  static bool fits(const ForwardIndex& documents, std::int64_t first, std::int64_t last) {
    return last - first <= kMostDocuments && documents.offsets[last] - documents.offsets[first] <= kMostWords;
  }

  // Indexes documents [first, last) except removed ones. words: number of local ids.
  Postings(const ForwardIndex& documents, std::int64_t first, std::int64_t last, const std::uint8_t* removed,
           std::int64_t words);

  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  std::int64_t size() const { return last_ - first_; }

  // An ascending list: document - first() in 24 bits, occurrences in 8. A document with more occurrences has several
  // postings.
  struct List {
    const std::uint32_t *begin = nullptr, *end = nullptr;
  };
  List of(std::uint32_t word) const;
  std::size_t bytes() const;

 private:
  std::int64_t first_, last_;
  std::vector<std::uint32_t> words_;    // words that occur, ascending; empty if every word has a list
  std::vector<std::uint32_t> offsets_;  // start of each list, and the end
  AlignedBuffer<std::uint32_t> postings_;
};

}  // namespace fuzzbow
