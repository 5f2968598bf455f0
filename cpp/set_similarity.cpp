#include "set_similarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuzzbow {

namespace {

float clamped(double score) { return static_cast<float>(std::min(1.0, std::max(0.0, score))); }

struct Sums {
  double minimum = 0, maximum = 0, own = 0, other = 0;
};

Sums min_max_sums(const Side& side) {
  Sums sums;
  for (std::int64_t i = 0; i < side.length; ++i) {
    const double weight = side.weights[i], self = side.self[i], cross = side.cross[i];
    sums.minimum += weight * (self < cross ? self : cross);
    sums.maximum += weight * (self < cross ? cross : self);
    sums.own += weight * self;
    sums.other += weight * cross;
  }
  return sums;
}

Sums square_sums(const Side& side) {
  Sums sums;
  for (std::int64_t i = 0; i < side.length; ++i) {
    const double weight = side.weights[i], self = side.self[i], cross = side.cross[i];
    sums.minimum += weight * self * cross;
    sums.own += weight * self * self;
    sums.other += weight * cross * cross;
  }
  return sums;
}

double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

}  // namespace

float jaccard_of(double minimum, double maximum) { return maximum > 0 ? clamped(minimum / maximum) : 0.0f; }

float otsuka_of(double minimum, double left, double right) {
  // Equal sums first: the square root of a rounded square may miss by one place, and a text is 1 with itself.
  if (left == right) return left > 0 ? clamped(minimum / left) : 0.0f;
  const double product = std::sqrt(left) * std::sqrt(right);
  return product > 0 ? clamped(minimum / product) : 0.0f;
}

float dice_of(double minimum, double left, double right) {
  return left + right > 0 ? clamped(2.0 * minimum / (left + right)) : 0.0f;
}

float cosine_of(double product, double left_squares, double right_squares) {
  return otsuka_of(product, left_squares, right_squares);
}

PairScore score_sides(Measure measure, const Side& left, const Side& right) {
  if (left.length == 0 || right.length == 0) return {0.0f, 0.0, 0.0};
  const bool squares = measure == Measure::kCosine;
  const Sums a = squares ? square_sums(left) : min_max_sums(left);
  const Sums b = squares ? square_sums(right) : min_max_sums(right);
  const double minimum = a.minimum + b.minimum;
  PairScore result{0.0f, share(a.minimum, a.own), share(b.minimum, b.own)};
  switch (measure) {
    case Measure::kJaccard:
      result.score = jaccard_of(minimum, a.maximum + b.maximum);
      break;
    case Measure::kOtsuka:
      result.score = otsuka_of(minimum, a.own + b.other, a.other + b.own);
      break;
    case Measure::kDice:
      result.score = dice_of(minimum, a.own + b.other, a.other + b.own);
      break;
    default:
      result.score = cosine_of(minimum, a.own + b.other, a.other + b.own);
      break;
  }
  return result;
}

double text_size(Measure measure, const float* self, const float* weights, std::int64_t length) {
  double sum = 0;
  const bool squares = measure == Measure::kCosine;
  for (std::int64_t i = 0; i < length; ++i) {
    const double value = self[i];
    sum += weights[i] * (squares ? value * value : value);
  }
  return squares ? std::sqrt(sum) : sum;
}

// Let A and B be the left and right sizes, N the numerator, E and C the memberships of each text's words in the other.
//   Jaccard: the denominator is at least A + B.
//   Dice: D = 2J / (1 + J) because min + max = a + b, so a Dice of t is a Jaccard of t / (2 - t).
//   Otsuka: |a||b| = (A + E)(B + C) with E + C >= N; a concave function of E on that line, least at an end:
//     |a||b| >= AB + N min(A, B), so N^2 >= t^2 (AB + N m), a quadratic in N.
//   Cosine: by Cauchy-Schwarz N <= A sqrt(C2) + B sqrt(E2). With s = N / (AB), x = sqrt(C2) / B, y = sqrt(E2) / A:
//     x + y >= s and score = s / sqrt((1 + x^2)(1 + y^2)) <= s / (1 + s^2 / 4) while s <= 2. Solved for s.
// Each is concave in the right size, which the scan relies on (a chord lies below).
double needed_numerator(Measure measure, double threshold, double left_size, double right_size) {
  if (threshold <= 0) return -std::numeric_limits<double>::infinity();
  const double t = std::min(1.0, threshold) * (1.0 - 1e-5);  // rounding of scores and of sums, many times over
  switch (measure) {
    case Measure::kJaccard:
      return t * (left_size + right_size);
    case Measure::kDice:
      return t / (2.0 - t) * (left_size + right_size);
    case Measure::kOtsuka: {
      const double half = 0.5 * t * t * std::min(left_size, right_size);
      return (half + std::sqrt(half * half + t * t * left_size * right_size)) * (1.0 - 1e-9);
    }
    default:
      return 2.0 * t / (1.0 + std::sqrt(1.0 - t * t)) * left_size * right_size;
  }
}

}  // namespace fuzzbow
