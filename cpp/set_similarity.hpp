// The four set similarities over element-weighted memberships, and how large a numerator a score needs.
#pragma once
#include <cstdint>

namespace fuzzbow {

enum class Measure : int { kJaccard = 0, kOtsuka = 1, kDice = 2, kCosine = 3, kDot = 4 };

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

// The ONE place where a score is added up, in the order of the words. Symmetric, bit for bit.
PairScore score_sides(Measure measure, const Side& left, const Side& right);

// From whole sums; 0 / 0 is 0.
float jaccard_of(double minimum, double maximum);
float otsuka_of(double minimum, double left, double right);
float dice_of(double minimum, double left, double right);
float cosine_of(double product, double left_squares, double right_squares);

// What the bounds need to know of one text: sum w self, or for cosine sqrt(sum w self^2).
double text_size(Measure measure, const float* self, const float* weights, std::int64_t length);

// A score >= threshold needs a numerator of at least this (see bounds in docs of the function body).
double needed_numerator(Measure measure, double threshold, double left_size, double right_size);

}  // namespace fuzzbow
