// Bounds of what a text can score with an anchor, from lists of similar words alone.
//
// With the anchor's words i (self a_i, weight w_i) and S_ji listed for all pairs of words above a floor g_i:
//   sum_i w_i min(a_i, c_i) <= sum_i w_i (g_i + sum_j (min(a_i, S_ji) - g_i)+)        linear: one look-up for each j
//                           <= sum_i w_i max(g_i, max_j min(a_i, S_ji))               rows: tighter
//   sum_j w_j min(b_j, e_j) <= sum_j w_j min(B_j, max(g, max_i S_ji)),  g the largest g_i, B_j the largest self of j
// The last sum is looked at for the heaviest words of a text first, which decide it in most cases.
// Compared with what coverage and score need. Everything is rounded up.
#pragma once
#include <cstdint>
#include <vector>

#include "search/anchor.hpp"

namespace fuzzbow {

class PartnerBounds {
 public:
  PartnerBounds(const Corpus& corpus, const JoinTexts& texts, const Neighbours& neighbours, double threshold,
                double coverage);

  // The partners of this anchor are asked about next.
  void start(const Anchor& anchor);
  // Forgets the anchor.
  void finish();
  // False where the pair does not reach the threshold, or does not cover the anchor enough. most_covered is known to
  // be no less than the sum over the anchor's words.
  bool possible(std::int64_t partner, double most_covered);

 private:
  // What a word of the corpus adds to the linear bound of the anchor's words, and to that of its own text's.
  struct Cell {
    float gain, other;
  };
  struct Link {  // to a word of the anchor
    std::uint32_t next, element;
    float similarity;
  };
  void link();
  Cell sum(const std::uint32_t* words, std::int64_t count) const;
  double row_bound(const JoinTexts::Place& partner);

  const Corpus& corpus_;
  const JoinTexts& texts_;
  const Neighbours& neighbours_;
  double threshold_, coverage_;
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> heads_;  // of each word of the corpus: its first link, or 0
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
