// Which documents of a segment hold a word. Documents are in parts of up to 65,536 that follow each other; the lists of
// a word for all parts lie together, so that a query which goes from part to part finds them in the cache.
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
  static constexpr std::int64_t kMostBlocks = 65536 / kBlock;  // of a part
  // A word that occurs more often in so many documents is not listed.
  static std::int64_t most_listed(std::int64_t documents) { return documents / 32; }

  // Not where most lists would be empty: their offsets would take more room than they.
  static bool worth(std::int64_t words, std::int64_t parts, std::int64_t occurrences) {
    constexpr std::int64_t kLittle = 1 << 20, kMost = 0xFFFFFFFF;
    return occurrences < kMost && words * parts <= std::max(occurrences, kLittle);
  }

  SegmentPostings() = default;
  // each_word(part, visit) visits every word of a part's documents and the document's place, in the order of places; a
  // document that has a word twice is listed twice. words: above all ids.
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
    places_.resize(offsets_[offsets_.size() - 1]);
    std::vector<std::uint32_t> next(offsets_.data(), offsets_.data() + offsets_.size() - 1);
    execution.for_chunks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
      Times times(unlisted_.size());
      each_word(part, [&](std::uint32_t word, std::int64_t place) {
        const std::uint16_t number = frequent[word];
        if (number == kRare || times.next(number, place) > unlisted_[number].most)
          places_[next[word * parts + part]++] = static_cast<std::uint16_t>(place);
      });
    });
  }

  // Words that so many documents hold that to list them would not help to choose among these: of each document the
  // first `most` occurrences are not listed.
  struct Unlisted {
    std::uint32_t word, most;
  };
  const std::vector<Unlisted>& unlisted() const { return unlisted_; }

  // sums[place] += gain for the documents of a part that hold the word.
  void add(std::uint32_t word, std::int64_t part, std::int32_t gain, std::int32_t* sums) const {
    const std::size_t list = static_cast<std::size_t>(word) * parts_ + part;
    if (list + 1 >= offsets_.size()) return;
    const std::uint16_t* place = places_.data() + offsets_[list];
    for (const std::uint16_t* end = places_.data() + offsets_[list + 1]; place != end; ++place) sums[*place] += gain;
  }
  // Asks the cache for where a word's list is, and once that is there for its beginning.
  void expect_offset(std::uint32_t word, std::int64_t part) const {
    FUZZBOW_PREFETCH(offsets_.data() + std::min(static_cast<std::size_t>(word) * parts_ + part, offsets_.size()));
  }
  void expect_list(std::uint32_t word, std::int64_t part) const {
    const std::size_t list = static_cast<std::size_t>(word) * parts_ + part;
    if (list < offsets_.size()) FUZZBOW_PREFETCH(places_.data() + offsets_[list]);
  }
  std::size_t bytes() const { return unlisted_.capacity() * sizeof(Unlisted) + offsets_.bytes() + places_.bytes(); }

 private:
  static constexpr std::int64_t kFewAgain = 128;   // of so many documents one may be listed for further occurrences
  static constexpr std::uint32_t kMostTimes = 64;  // in one document, those of documents without pages
  static constexpr std::uint16_t kRare = 0xFFFF;
  using Frequent = std::vector<std::uint16_t>;  // per word: its number among those that are not listed, or kRare

  // How often a document has had a word so far.
  struct Times {
    explicit Times(std::size_t words) : seen_in(words, -1), count(words, 0) {}
    std::uint32_t next(std::size_t word, std::int64_t place) {
      count[word] = seen_in[word] == place ? count[word] + 1 : 1;
      seen_in[word] = static_cast<std::int32_t>(place);
      return count[word];
    }
    std::vector<std::int32_t> seen_in;
    std::vector<std::uint32_t> count;
  };

  // Chooses the words that are not listed; counts become those of their further occurrences.
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
    // Per part and word: how many documents have it more than n times.
    const std::size_t width = unlisted_.size() * kMostTimes;
    std::vector<std::uint32_t> again(parts_ * width, 0);
    execution.for_chunks(parts_, 1, [&](int, std::int64_t part, std::int64_t) {
      Times times(unlisted_.size());
      each_word(part, [&](std::uint32_t word, std::int64_t place) {
        if (frequent[word] == kRare) return;
        const std::uint32_t before = times.next(frequent[word], place) - 1;
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
  AlignedBuffer<std::uint16_t> places_;
};

}  // namespace fuzzbow
