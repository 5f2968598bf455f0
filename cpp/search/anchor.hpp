// Which postings are read to find the partners of a text, its anchor.
//
// An anchor is covered to a share t: sum_i w_i min(a_i, c_i) >= t sum_i w_i a_i. If for every word i the postings of
// all words of a similarity above a floor g_i are read, then a partner that is met nowhere lacks at least sum_i w_i
// (a_i - g_i). Once that is more than (1 - t) sum_i w_i a_i, every partner is met. A floor may be high, and the
// postings of the word alone are enough, or low, and those of its neighbours are read too: the words and the floors are
// chosen where so much coverage costs the fewest postings.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/join_texts.hpp"
#include "search/neighbours.hpp"

namespace fuzzbow {

// For every word: how many of its nearest neighbours are worth reading together.
class Steps {
 public:
  struct Step {
    std::uint32_t neighbours;  // the first so many of Neighbours
    float floor;               // no other word is more similar than this
    std::int64_t cost;         // postings of all of them
  };
  Steps(const JoinTexts& texts, const Neighbours& neighbours, Execution& execution);

  // Ever more neighbours; what a posting gains falls from step to step.
  const Step* begin(std::uint32_t word) const { return list_.data() + offsets_[word]; }
  const Step* end(std::uint32_t word) const { return list_.data() + offsets_[word + 1]; }

 private:
  static void find(const JoinTexts& texts, const Neighbours& neighbours, std::uint32_t word, std::vector<Step>& steps);

  std::vector<std::int64_t> offsets_;
  std::vector<Step> list_;
};

class Anchor {
 public:
  struct Element {  // a distinct word
    std::uint32_t word;
    float weight, self;
    std::uint32_t neighbours;  // so many are read
    float floor;               // of the words that are not read, at most self
    // What a partner's word of this similarity adds to the coverage beyond the floor, rounded up.
    float gain(float similarity) const { return weight * ((similarity < self ? similarity : self) - floor) * 1.00001f; }
  };

  // False where no floors suffice: then any text may be a partner.
  static bool covers(const JoinTexts& texts, const Neighbours& neighbours, std::int64_t text, double coverage);
  // False where it takes more postings than `most`.
  bool plan(const JoinTexts& texts, const Steps& steps, std::int64_t text, double coverage, std::int64_t most);

  const std::vector<Element>& elements() const { return elements_; }
  // What partners must gain through the postings that are read.
  double needed() const { return needed_; }
  // No gain is larger.
  double largest_gain() const { return gathered_ * 1.0001; }
  // A partner that gains so much covers no more of the anchor than this.
  double most_covered(double gained) const { return size_ - gathered_ + gained; }
  double size() const { return size_; }  // sum of w a
  std::int64_t lists() const;            // words whose postings are read

 private:
  struct Offer {
    float price;  // postings for each unit of coverage
    std::uint32_t element;
    const Steps::Step* step;
  };
  void read(const JoinTexts& texts, std::int64_t text);
  void list_offers(const Steps& steps);
  void accept(const Offer& offer);

  std::vector<Element> elements_;
  std::vector<std::int64_t> costs_;  // per element
  std::vector<Offer> offers_;
  double size_ = 0, needed_ = 0, gathered_ = 0;
  std::int64_t cost_ = 0;
};

}  // namespace fuzzbow
