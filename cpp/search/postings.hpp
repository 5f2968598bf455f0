// An inverted index of a segment: the documents that contain a word.
//
// Idea: documents are divided into consecutive parts of up to 65,536, so that a position takes 16 bits and the sums of
// a part stay in the cache. The lists of one word for all parts are adjacent. Lists are built by counting, prefix sums
// and a second pass. Words in more than 1/32 of the documents are not listed: they would not help to choose among
// documents, and their lists would be the longest.
// Invariant: for every document and word, the number of occurrences is at most the number of list entries plus `most`
// of an unlisted word, so that bounds which add `most` times its gain to every document stay upper bounds.
// Complexity: a constant number of passes over all words, parallel by part; 2 bytes per occurrence and 4 per word and
// part. `add` takes time linear in the list.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simd/compiler.hpp"
#include "simd/kernels.hpp"
#include "support/aligned.hpp"
#include "support/parallel.hpp"

namespace fuzzbow {

class SegmentPostings {
 public:
  static constexpr std::int64_t kMostBlocks = 65536 / kBlock;  // largest part
  // Most occurrences of a word that is listed.
  static std::int64_t most_listed(std::int64_t documents) { return documents / 32; }

  // False if most lists would be empty, so that their offsets would take more memory than they.
  static bool worth(std::int64_t words, std::int64_t parts, std::int64_t occurrences) {
    constexpr std::int64_t kLittle = 1 << 20, kMost = 0xFFFFFFFF;
    return occurrences < kMost && words * parts <= std::max(occurrences, kLittle);
  }

  SegmentPostings() = default;
  // each_word(part, visit) must visit every word of a part's documents and the document's position, in order of
  // positions. A document that contains a word twice is listed twice. words: number of word ids.
  template <class EachWord>
  SegmentPostings(std::int64_t parts, std::int64_t documents, std::int64_t words, const EachWord& each_word,
                  Execution& execution)
      : parts_(parts) {
    offsets_.resize(static_cast<std::size_t>(words * parts) + 1);
    std::uint32_t* counts = offsets_.data() + 1;
    execution.for_chunks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
      each_word(part, [&](std::uint32_t word, std::int64_t) { ++counts[word * parts + part]; });
    });
    const Frequent frequent = leave_out(documents, words, each_word, execution);
    for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
    positions_.resize(offsets_[offsets_.size() - 1]);
    std::vector<std::uint32_t> next(offsets_.data(), offsets_.data() + offsets_.size() - 1);
    execution.for_chunks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
      Times times(unlisted_.size());
      each_word(part, [&](std::uint32_t word, std::int64_t position) {
        const std::uint16_t number = frequent[word];
        if (number == kRare || times.next(number, position) > unlisted_[number].most)
          positions_[next[word * parts + part]++] = static_cast<std::uint16_t>(position);
      });
    });
  }

  // A word in so many documents that listing it would not help to choose among them: the first `most` occurrences in
  // each document are not listed.
  struct Unlisted {
    std::uint32_t word, most;
  };
  const std::vector<Unlisted>& unlisted() const { return unlisted_; }

  // Adds gain to sums[position] of the documents of a part that contain the word.
  void add(std::uint32_t word, std::int64_t part, std::int32_t gain, std::int32_t* sums) const {
    const std::size_t list = static_cast<std::size_t>(word) * parts_ + part;
    if (list + 1 >= offsets_.size()) return;
    const std::uint16_t* position = positions_.data() + offsets_[list];
    for (const std::uint16_t* end = positions_.data() + offsets_[list + 1]; position != end; ++position)
      sums[*position] += gain;
  }
  // Prefetch the offset of a word's list and, once that is loaded, the start of the list.
  void prefetch_offset(std::uint32_t word, std::int64_t part) const {
    FUZZBOW_PREFETCH(offsets_.data() + std::min(static_cast<std::size_t>(word) * parts_ + part, offsets_.size()));
  }
  void prefetch_list(std::uint32_t word, std::int64_t part) const {
    const std::size_t list = static_cast<std::size_t>(word) * parts_ + part;
    if (list < offsets_.size()) FUZZBOW_PREFETCH(positions_.data() + offsets_[list]);
  }
  std::size_t bytes() const { return unlisted_.capacity() * sizeof(Unlisted) + offsets_.bytes() + positions_.bytes(); }

 private:
  static constexpr std::int64_t kFewAgain = 128;   // one in this many documents may be listed for further occurrences
  static constexpr std::uint32_t kMostTimes = 64;  // occurrences in one document that are counted
  static constexpr std::uint16_t kRare = 0xFFFF;
  using Frequent = std::vector<std::uint16_t>;  // by word: its index in unlisted_, or kRare

  // Counts the occurrences of a word in the current document.
  struct Times {
    explicit Times(std::size_t words) : seen_in(words, -1), count(words, 0) {}
    std::uint32_t next(std::size_t word, std::int64_t position) {
      count[word] = seen_in[word] == position ? count[word] + 1 : 1;
      seen_in[word] = static_cast<std::int32_t>(position);
      return count[word];
    }
    std::vector<std::int32_t> seen_in;
    std::vector<std::uint32_t> count;
  };

  // Chooses the words that are not listed. Their counts become those of further occurrences.
  template <class EachWord>
  Frequent leave_out(std::int64_t documents, std::int64_t words, const EachWord& each_word, Execution& execution) {
    std::uint32_t* counts = offsets_.data() + 1;
    Frequent frequent(words, kRare);
    for (std::int64_t word = 0; word < words; ++word) {
      std::int64_t sum = 0;
      for (std::int64_t part = 0; part < parts_; ++part) sum += counts[word * parts_ + part];
      if (sum <= most_listed(documents) || unlisted_.size() >= kRare) continue;
      frequent[word] = static_cast<std::uint16_t>(unlisted_.size());
      unlisted_.push_back({static_cast<std::uint32_t>(word), 0});
    }
    // Per part and word: number of documents that contain it more than n times.
    const std::size_t width = unlisted_.size() * kMostTimes;
    std::vector<std::uint32_t> again(parts_ * width, 0);
    execution.for_chunks(parts_, 1, [&](int, std::int64_t part, std::int64_t) {
      Times times(unlisted_.size());
      each_word(part, [&](std::uint32_t word, std::int64_t position) {
        if (frequent[word] == kRare) return;
        const std::uint32_t before = times.next(frequent[word], position) - 1;
        ++again[part * width + frequent[word] * kMostTimes + std::min(before, kMostTimes - 1)];
      });
    });
    for (std::size_t number = 0; number < unlisted_.size(); ++number) {
      Unlisted& one = unlisted_[number];
      std::uint32_t* own = counts + static_cast<std::int64_t>(one.word) * parts_;
      std::int64_t left = 0;
      for (std::int64_t part = 0; part < parts_; ++part) left += own[part];
      for (; left > documents / kFewAgain && one.most < kMostTimes - 1; ++one.most)
        for (std::int64_t part = 0; part < parts_; ++part) {
          const std::uint32_t leaving = again[part * width + number * kMostTimes + one.most];
          own[part] -= leaving;
          left -= leaving;
        }
    }
    return frequent;
  }

  std::int64_t parts_ = 0;
  std::vector<Unlisted> unlisted_;
  AlignedBuffer<std::uint32_t> offsets_;  // (words, parts), and the end
  AlignedBuffer<std::uint16_t> positions_;
};

}  // namespace fuzzbow
