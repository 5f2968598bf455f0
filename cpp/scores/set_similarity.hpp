// Set similarities over weighted memberships: everything that depends on the formula.
//
// A text is a fuzzy set over a universe of words. With N the weight of what both texts hold and |A|, |B| the weights
// of what each holds:
//   jaccard       N / (|A| + |B| - N)
//   otsuka        N / sqrt(|A| |B|)
//   dice          2 N / (|A| + |B|)
//   cosine        the cosine of the two membership vectors: products and squares in place of minima and values
//   tversky(α, β) N / (N + α (|A| - N) + β (|B| - N)); (1, 0) is coverage, the share of A that B contains
//   overlap       N / min(|A|, |B|)
// 0 / 0 is 0, and so is the score of a text without words.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fuzzbow {

enum class Formula { kJaccard, kOtsuka, kDice, kCosine, kTversky, kOverlap };

// The elements: the words of both texts, or only those of the left one (the query).
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
  // Constructs by name. Throws std::invalid_argument for an unknown name or wrong parameters.
  SetSimilarity(const std::string& name, const std::vector<double>& parameters, const std::string& universe);

  const char* name() const;
  std::vector<double> parameters() const;
  const char* universe_name() const;
  std::string description() const;  // the Python expression

  // True if swapping the texts does not change the score, bit for bit.
  bool symmetric() const { return universe_ == Universe::kDynamic && alpha_ == beta_; }
  // True if sums are of products and squares instead of minima and values.
  bool squares() const { return formula_ == Formula::kCosine; }
  // True if words of the right text are elements too. Otherwise its self memberships are never read.
  bool counts_right_words() const { return universe_ == Universe::kDynamic; }

  // Adds up the score of two texts, in the order of their words. The only function that does: all scores agree bit for
  // bit.
  PairScore score_sides(const Side& left, const Side& right) const;
  // Score of two membership rows over a fixed universe. weights (width,) may be null.
  float score_rows(const float* left, const float* right, const float* weights, std::int64_t width) const;

  // Size of a text as the bounds use it: sum w self, or sqrt(sum w self^2) for squares.
  double text_size(const float* self, const float* weights, std::int64_t length) const;
  // Least N of a pair that scores at least the threshold. Concave in the right size.
  double needed_numerator(double threshold, double left_size, double right_size) const;
  // False if needed_numerator is always 0: bounds then exclude nothing, and only a full search makes sense.
  bool bounded() const;
  // Coverage that every pair at the threshold reaches from at least one side: sum w min(self, cross) over the words of
  // one text is at least this share of its sum w self. 0 if there is no such bound. Symmetric similarities only.
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
  double alpha_ = 1, beta_ = 1;  // parameters of the equivalent Tversky index, if there is one
};

}  // namespace fuzzbow
