// The nearest neighbours of every word of a corpus.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "search/corpus.hpp"
#include "support/parallel.hpp"

namespace fuzzbow {

struct Neighbour {
  std::uint32_t word;
  float similarity;  // upper bound
};

class Neighbours {
 public:
  // Finds all v with S(v, i) >= share * S(i, i) for every word i. Not usable if there are far too many.
  Neighbours(const Corpus& corpus, float share, Execution& execution);

  bool usable() const { return usable_; }
  std::int64_t words() const { return static_cast<std::int64_t>(own_.size()); }
  float own(std::uint32_t word) const { return own_[word]; }  // upper bound of S(i, i)
  // Upper bound of the similarity of words that are not listed.
  float least(std::uint32_t word) const { return thresholds_[word] < kNever ? thresholds_[word] : next_to_nothing_; }
  // Neighbours in order of falling similarity, i itself included. Empty if S(i, i) is zero: such a word adds nothing to
  // a score.
  const Neighbour* begin(std::uint32_t word) const { return list_.data() + offsets_[word]; }
  const Neighbour* end(std::uint32_t word) const { return list_.data() + offsets_[word + 1]; }

 private:
  struct Pair {
    std::uint32_t first, second;
    float similarity;
  };
  void find_own(const Corpus& corpus, float share);
  void search_block(const Corpus& corpus, std::int64_t first_word, std::vector<Pair>& pairs) const;
  void add_trigram_pairs(const Corpus& corpus, std::int64_t begin, std::int64_t end, std::vector<Pair>& pairs) const;
  void collect(const Corpus& corpus, const std::vector<std::vector<Pair>>& found, Execution& execution);

  static constexpr float kNever = std::numeric_limits<float>::infinity();

  bool usable_ = true;
  AlignedBuffer<float> thresholds_;  // per word; kNever if S(i, i) is zero
  float next_to_nothing_ = 0;        // upper bound of the similarities of words with S(i, i) = 0
  std::vector<float> own_;
  std::vector<std::int64_t> offsets_;
  std::vector<Neighbour> list_;
};

}  // namespace fuzzbow
