// Upper bounds of a text's score with an anchor, from lists of similar words alone.
//
// Idea: with the anchor's words i (self a_i, weight w_i) and S_ji listed for all pairs of words above a floor g_i:
//   sum_i w_i min(a_i, c_i) <= sum_i w_i (g_i + sum_j (min(a_i, S_ji) - g_i)+)        linear: one lookup for each j
//                           <= sum_i w_i max(g_i, max_j min(a_i, S_ji))               rows: tighter
//   sum_j w_j min(b_j, e_j) <= sum_j w_j min(B_j, max(g, max_i S_ji)),  g the largest g_i, B_j the largest self of j
// The bounds are compared with the coverage and the numerator that the threshold needs, cheapest first; the last sum is
// computed for the heaviest words of a text first, which decide most cases.
// Invariant: every bound is rounded up and at least the value that the exact kernel computes, so no pair at the
// threshold is excluded. All cells and links are zero between two anchors.
// Complexity: start and finish take time linear in the neighbours of the anchor's words; a partner takes one lookup per
// word, and for the row bound one step per listed pair of its words and the anchor's.
#pragma once
#include <cstdint>
#include <vector>

#include "search/anchor.hpp"

namespace fuzzbow {

class PartnerBounds {
 public:
  PartnerBounds(const Corpus& corpus, const JoinTexts& texts, const Neighbours& neighbours, double threshold,
                double coverage);

  // Fills the tables for the partners of this anchor.
  void start(const Anchor& anchor);
  // Clears the tables.
  void finish();
  // False if the pair cannot reach the threshold or cannot cover the anchor enough. most_covered must be an upper bound
  // of the sum over the anchor's words.
  bool possible(std::int64_t partner, double most_covered);

 private:
  // Contributions of a corpus word to the linear bounds of the anchor's words and of its own text's words.
  struct Cell {
    float gain, other;
  };
  struct Link {  // to a word of the anchor
    std::uint32_t next, element;
    float similarity;
  };
  void link();
  Cell sum(const std::uint32_t* words, std::int64_t count) const;
  double row_bound(const JoinTexts::Summary& partner);

  const Corpus& corpus_;
  const JoinTexts& texts_;
  const Neighbours& neighbours_;
  double threshold_, coverage_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> heads_;  // by corpus word: its first link, or 0
  std::vector<Link> links_;
  std::vector<std::uint32_t> touched_;  // words
  struct Row {                          // of a word of the anchor
    std::uint32_t word;
    float weight, self, floor;
  };
  std::vector<Row> rows_;
  std::vector<float> best_;
  double size_ = 0, base_ = 0, margin_ = 1;
  float floor_ = 0;
  bool linked_ = false;
};

}  // namespace fuzzbow
