// The choice of postings that find all partners of a text, its anchor.
//
// Idea: a partner covers the anchor to a share t: sum_i w_i min(a_i, c_i) >= t sum_i w_i a_i. For every word i, read
// the postings of all words whose similarity is above a floor g_i. What a partner covers through words that were not
// read is at most sum_i w_i g_i, so a partner gains at least sum_i w_i (a_i - g_i) - (1 - t) sum_i w_i a_i from the
// postings that were read. Once that is positive, no partner is missed. A high floor takes only the postings of the
// word itself, a low one also those of its neighbours. Words and floors are chosen greedily by postings per unit of
// coverage.
// Invariant: gathered = sum_i w_i (a_i - g_i) of the words that are read. A plan is valid if and only if gathered
// exceeds (1 - t) sum_i w_i a_i; any valid plan finds all partners, a cheap one sooner.
// Complexity: the steps of all words take time linear in the number of neighbours, once per join. A plan sorts the
// steps of the anchor's words: O(s log s) for s steps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/join_texts.hpp"
#include "search/neighbours.hpp"

namespace fuzzbow {

// For every word, the numbers of nearest neighbours that are worth reading together: the corners of the concave hull of
// coverage over cost.
class Steps {
 public:
  struct Step {
    std::uint32_t neighbours;  // number of first entries of Neighbours
    float floor;               // no other word has a higher similarity
    std::int64_t cost;         // postings of these neighbours
  };
  Steps(const JoinTexts& texts, const Neighbours& neighbours, Execution& execution);

  // Steps in order of more neighbours; the coverage per posting falls from step to step.
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
    std::uint32_t neighbours;  // number of neighbours whose postings are read
    float floor;               // upper bound of the similarity of words that are not read, at most self
    // Coverage beyond the floor that a partner's word of this similarity adds, rounded up.
    float gain(float similarity) const { return weight * ((similarity < self ? similarity : self) - floor) * 1.00001f; }
  };

  // False if no floors suffice: any text may then be a partner.
  static bool covers(const JoinTexts& texts, const Neighbours& neighbours, std::int64_t text, double coverage);
  // Plans the postings to read. Returns false if they are more than `most`.
  bool plan(const JoinTexts& texts, const Steps& steps, std::int64_t text, double coverage, std::int64_t most);

  const std::vector<Element>& elements() const { return elements_; }
  // Least gain of a partner from the postings that are read.
  double needed() const { return needed_; }
  // Upper bound of all gains.
  double largest_gain() const { return gathered_ * 1.0001; }
  // Upper bound of the coverage of the anchor by a partner with this gain.
  double most_covered(double gained) const { return size_ - gathered_ + gained; }
  double size() const { return size_; }  // sum of w a
  std::int64_t lists() const;            // number of words whose postings are read

 private:
  struct Offer {
    float price;  // postings per unit of coverage
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
