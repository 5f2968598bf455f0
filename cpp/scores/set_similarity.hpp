// Set similarities over element-weighted memberships: everything that depends on the formula is here.
//
// A text is a fuzzy set over a universe of words. With N the weight of what both texts hold and |A|, |B| the weights
// of what each holds:
//   jaccard       N / (|A| + |B| - N)
//   otsuka        N / sqrt(|A| |B|)
//   dice          2 N / (|A| + |B|)
//   cosine        the cosine of the two membership vectors: products and squares in place of minima and values
//   tversky(α, β) N / (N + α (|A| - N) + β (|B| - N)); (1, 0) is coverage, the share of A that B holds
//   overlap       N / min(|A|, |B|)
// 0 / 0 is 0, and so is the score of a text without words.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fuzzbow {

enum class Formula { kJaccard, kOtsuka, kDice, kCosine, kTversky, kOverlap };

// Whose words are the elements: those of both texts, or those of the left one (the query) alone.
enum class Universe { kDynamic, kQuery };

// Memberships of one text's words: in their own text, and in the other text.
struct Side {
  const float* self;
  const float* cross;
  const float* weights;
  std::int64_t length;
};

struct PairScore {
  float score;           // clamped to [0, 1]
  double left_coverage;  // sum w min(self, cross) over the left side, divided by sum w self
  double right_coverage;
};

class SetSimilarity {
 public:
  // By name; throws std::invalid_argument for an unknown name or parameters that the formula does not take.
  SetSimilarity(const std::string& name, const std::vector<double>& parameters, const std::string& universe);

  const char* name() const;
  std::vector<double> parameters() const;
  const char* universe_name() const;
  std::string description() const;  // as it is written in Python

  // Swapping the texts leaves the score as it is, bit for bit.
  bool symmetric() const { return universe_ == Universe::kDynamic && alpha_ == beta_; }
  // Sums are of products and squares, not of minima and values.
  bool squares() const { return formula_ == Formula::kCosine; }
  // The right text's words are elements too. Where they are not, its self memberships are never read.
  bool counts_right_words() const { return universe_ == Universe::kDynamic; }

  // The ONE place where the score of two texts is added up, in the order of the words.
  PairScore score_sides(const Side& left, const Side& right) const;
  // The score of two membership rows over one fixed universe; weights (width,) may be null.
  float score_rows(const float* left, const float* right, const float* weights, std::int64_t width) const;

  // What the bounds need to know of one text: sum w self, or for squares sqrt(sum w self^2).
  double text_size(const float* self, const float* weights, std::int64_t length) const;
  // A score of at least the threshold needs an N of at least this; concave in the right size.
  double needed_numerator(double threshold, double left_size, double right_size) const;
  // False where needed_numerator is always 0: only a full search makes sense.
  bool bounded() const;
  // In a pair that reaches the threshold, one text at least is covered by the other to this share: the sum of
  // w min(self, cross) over its words is so much of the sum of w self. 0 where nothing can be said. For symmetric ones.
  double needed_coverage(double threshold) const;

 private:
  struct Totals {        // over the whole universe
    double overlap;      // N: sum w min, or sum w left right
    double united;       // sum w max; not for squares
    double left, right;  // |A| and |B|: sums w left, or sums w left^2
  };
  float ratio(const Totals& totals) const;
  double needed_of_both(double threshold, double left_size, double right_size) const;
  double needed_of_left(double threshold, double left_size) const;

  Formula formula_ = Formula::kJaccard;
  Universe universe_ = Universe::kDynamic;
  double alpha_ = 1, beta_ = 1;  // as the Tversky index that the formula is, where it is one
};

}  // namespace fuzzbow
