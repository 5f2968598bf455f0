#include "scores/set_similarity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "simd/kernels.hpp"

namespace fuzzbow {

namespace {

// The one list of formulas. Jaccard and Dice are Tversky indices too, and share their bounds.
struct Entry {
  const char* name;
  Formula formula;
  double alpha, beta;
  std::size_t parameters;
};
constexpr Entry kFormulas[] = {
    {"jaccard", Formula::kJaccard, 1.0, 1.0, 0}, {"otsuka", Formula::kOtsuka, 0.0, 0.0, 0},
    {"dice", Formula::kDice, 0.5, 0.5, 0},       {"cosine", Formula::kCosine, 0.0, 0.0, 0},
    {"tversky", Formula::kTversky, 0.0, 0.0, 2}, {"overlap", Formula::kOverlap, 0.0, 0.0, 0},
};
struct UniverseName {
  const char* name;
  Universe universe;
};
constexpr UniverseName kUniverses[] = {{"dynamic", Universe::kDynamic}, {"query", Universe::kQuery}};

[[noreturn]] void must(const std::string& what, const std::string& needed, const std::string& got) {
  throw std::invalid_argument(what + " must be " + needed + "; got " + got);
}

template <class List>
const auto& entry_of(const List& list, const std::string& name, const char* what) {
  std::string names;
  for (const auto& entry : list) {
    if (name == entry.name) return entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  must(what, "one of " + names, "'" + name + "'");
}

// Shortest decimal that reads back as the same number.
std::string written(double number) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number) break;
  }
  return text;
}

float clamped(double score) { return static_cast<float>(std::min(1.0, std::max(0.0, score))); }

double share(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

float geometric(double overlap, double left, double right) {
  // Equal sums first: the square root of a rounded square may be off in the last digit, and a text must score 1 with
  // itself.
  if (left == right) return left > 0 ? clamped(overlap / left) : 0.0f;
  const double product = std::sqrt(left) * std::sqrt(right);
  return product > 0 ? clamped(overlap / product) : 0.0f;
}

struct Sums {  // sums over the words of one text
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

}  // namespace

SetSimilarity::SetSimilarity(const std::string& name, const std::vector<double>& parameters,
                             const std::string& universe) {
  const Entry& entry = entry_of(kFormulas, name, "similarity");
  formula_ = entry.formula;
  universe_ = entry_of(kUniverses, universe, "universe").universe;
  if (parameters.size() != entry.parameters)
    must("the number of parameters of " + name, std::to_string(entry.parameters), std::to_string(parameters.size()));
  alpha_ = entry.parameters ? parameters[0] : entry.alpha;
  beta_ = entry.parameters ? parameters[1] : entry.beta;
  for (double parameter : parameters)
    if (!std::isfinite(parameter) || parameter < 0)
      must("parameters of " + name, "finite and 0 or more", written(parameter));
  if (entry.parameters && alpha_ == 0 && beta_ == 0) must("one parameter of " + name, "above 0", "0 and 0");
}

const char* SetSimilarity::name() const {
  for (const Entry& entry : kFormulas)
    if (entry.formula == formula_) return entry.name;
  return "";  // not reached: every formula is in the list
}

std::vector<double> SetSimilarity::parameters() const {
  return formula_ == Formula::kTversky ? std::vector<double>{alpha_, beta_} : std::vector<double>{};
}

const char* SetSimilarity::universe_name() const {
  for (const UniverseName& entry : kUniverses)
    if (entry.universe == universe_) return entry.name;
  return "";  // not reached: every universe is in the list
}

std::string SetSimilarity::description() const {
  std::string text = "SetSimilarity('" + std::string(name()) + "'";
  if (formula_ == Formula::kTversky) text += ", (" + written(alpha_) + ", " + written(beta_) + ")";
  return text + ", universe='" + universe_name() + "')";
}

float SetSimilarity::ratio(const Totals& totals) const {
  switch (formula_) {
    case Formula::kJaccard:
      return totals.united > 0 ? clamped(totals.overlap / totals.united) : 0.0f;
    case Formula::kDice:
      return totals.left + totals.right > 0 ? clamped(2.0 * totals.overlap / (totals.left + totals.right)) : 0.0f;
    case Formula::kOtsuka:
    case Formula::kCosine:
      return geometric(totals.overlap, totals.left, totals.right);
    case Formula::kTversky: {
      const double left_only = totals.left - totals.overlap, right_only = totals.right - totals.overlap;
      // With equal parameters, multiply the sum once: swapping the texts then gives the same bits.
      const double rest = alpha_ == beta_ ? alpha_ * (left_only + right_only) : alpha_ * left_only + beta_ * right_only;
      return clamped(share(totals.overlap, totals.overlap + rest));
    }
    case Formula::kOverlap:
      return clamped(share(totals.overlap, std::min(totals.left, totals.right)));
  }
  return 0.0f;  // not reached: every formula has its case
}

PairScore SetSimilarity::score_sides(const Side& left, const Side& right) const {
  if (left.length == 0 || right.length == 0) return {0.0f, 0.0, 0.0};
  const auto sums_of = [this](const Side& side) { return squares() ? square_sums(side) : min_max_sums(side); };
  const Sums a = sums_of(left), b = counts_right_words() ? sums_of(right) : Sums();
  const Totals totals = {a.minimum + b.minimum, a.maximum + b.maximum, a.own + b.other, a.other + b.own};
  return {ratio(totals), share(a.minimum, a.own), share(b.minimum, b.own)};
}

float SetSimilarity::score_rows(const float* left, const float* right, const float* weights, std::int64_t width) const {
  double sums[3], left_sums[2], right_sums[2];
  if (squares()) {
    kernels().product_sums(left, right, weights, width, sums);
    return ratio({sums[0], 0.0, sums[1], sums[2]});
  }
  kernels().min_max_sums(left, right, weights, width, sums);
  // Jaccard and Dice need no more: the sizes sum to minima plus maxima.
  if (formula_ == Formula::kJaccard || formula_ == Formula::kDice) return ratio({sums[0], sums[1], sums[0], sums[1]});
  kernels().min_max_sums(left, left, weights, width, left_sums);
  kernels().min_max_sums(right, right, weights, width, right_sums);
  return ratio({sums[0], sums[1], left_sums[0], right_sums[0]});
}

double SetSimilarity::text_size(const float* self, const float* weights, std::int64_t length) const {
  double sum = 0;
  const bool squared = squares();
  for (std::int64_t i = 0; i < length; ++i) {
    const double value = self[i];
    sum += weights[i] * (squared ? value * value : value);
  }
  return squared ? std::sqrt(sum) : sum;
}

double SetSimilarity::needed_numerator(double threshold, double left_size, double right_size) const {
  if (threshold <= 0) return -std::numeric_limits<double>::infinity();
  const double t = std::min(1.0, threshold) * (1.0 - 1e-5);  // far more than scores and sums lose by rounding
  return counts_right_words() ? needed_of_both(t, left_size, right_size) : needed_of_left(t, left_size);
}

// Both texts' words are elements. Let SA and SB be the sizes of text_size, NA and NB the contributions of each text's
// words to the numerator N = NA + NB, CA and CB the sums of w cross over each text's words. Then |A| = SA + CB and |B|
// = SB + CA, and CA >= NA, CB >= NB.
//   Tversky: |A| >= SA + NB and |B| >= SB + NA, so α|A| + β|B| >= α SA + β SB + min(α, β) N. With that, a score
//     N / ((1 - α - β) N + α|A| + β|B|) of t needs N (1 - t (1 - max(α, β))) >= t (α SA + β SB). Jaccard is (1, 1),
//     Dice (1/2, 1/2). Everything is divided by max(α, β), which keeps it finite.
//   Otsuka: |A||B| = (SA + CB)(SB + CA) with CA + CB >= N; a concave function of CB on that line, least at an end:
//     |A||B| >= SA SB + N min(SA, SB), so N^2 >= t^2 (SA SB + N min(SA, SB)), a quadratic in N.
//   Cosine: with squares, N <= SA sqrt(CA) + SB sqrt(CB) by Cauchy-Schwarz. With s = N / (SA SB), x = sqrt(CA) / SB,
//     y = sqrt(CB) / SA: x + y >= s and score = s / sqrt((1 + x^2)(1 + y^2)) <= s / (1 + s^2 / 4) while s <= 2.
//     Solved for s.
//   Overlap: min(|A|, |B|) >= min(SA, SB).
// Each is concave in SB, which the scan relies on: a chord is a lower bound.
double SetSimilarity::needed_of_both(double t, double left_size, double right_size) const {
  switch (formula_) {
    case Formula::kJaccard:  // the Tversky case without its divisions: computed for every survivor of a scan
      return t * (left_size + right_size);
    case Formula::kDice:
      return t / (2.0 - t) * (left_size + right_size);
    case Formula::kTversky: {
      const double larger = std::max(alpha_, beta_);
      const double sizes = alpha_ / larger * left_size + beta_ / larger * right_size;
      return t * sizes / ((1.0 - t) / larger + t) * (1.0 - 1e-6);  // a large α leaves little of t's own margin
    }
    case Formula::kOtsuka: {
      const double half = 0.5 * t * t * std::min(left_size, right_size);
      return (half + std::sqrt(half * half + t * t * left_size * right_size)) * (1.0 - 1e-9);
    }
    case Formula::kCosine:
      return 2.0 * t / (1.0 + std::sqrt(1.0 - t * t)) * left_size * right_size;
    case Formula::kOverlap:
      return t * std::min(left_size, right_size);
  }
  return 0.0;  // not reached: every formula has its case
}

// Only the left text's words are elements: N = NA, |A| = SA, |B| = CA >= N.
//   Tversky: β|B| >= β N, so N (1 - t (1 - α)) >= t α SA; nothing where α is 0.
//   Otsuka: N >= t sqrt(SA CA) >= t sqrt(SA N), so N >= t^2 SA.
//   Cosine and overlap: B may be almost empty and still score 1.
double SetSimilarity::needed_of_left(double t, double left_size) const {
  switch (formula_) {
    case Formula::kJaccard:
    case Formula::kDice:
    case Formula::kTversky:
      return alpha_ > 0 ? t * left_size / ((1.0 - t) / alpha_ + t) * (1.0 - 1e-6) : 0.0;
    case Formula::kOtsuka:
      return t * t * left_size;
    case Formula::kCosine:
    case Formula::kOverlap:
      return 0.0;
  }
  return 0.0;  // not reached: every formula has its case
}

bool SetSimilarity::bounded() const { return counts_right_words() || needed_of_left(0.5, 1.0) > 0; }

// With the names of needed_of_both:
//   Tversky with β = α: as there, N >= τ (SA + SB) with τ = t α / (1 - t (1 - α)). If both NA < τ SA and NB < τ SB
//     then their sum falls short.
//   Otsuka: the larger text is covered to 2 t^2 - 1. Let B be the larger. The score is at most the geometric mean of
//     (NA + NB) / (SA + NB) and (NA + NB) / (SB + NA), each at most 1, so the second is at least t^2, whence
//     NB / SB >= t^2 - (1 - t^2) NA / SB, and NA <= SA <= SB.
double SetSimilarity::needed_coverage(double threshold) const {
  const double t = std::min(1.0, threshold) * (1.0 - 2e-6);
  switch (formula_) {
    case Formula::kJaccard:
    case Formula::kDice:
    case Formula::kTversky:
      return t / ((1.0 - t) / alpha_ + t) * (1.0 - 1e-6);
    case Formula::kOtsuka:
      return 2.0 * t * t - 1.0;
    case Formula::kCosine:
    case Formula::kOverlap:
      return 0.0;
  }
  return 0.0;  // not reached: every formula has its case
}

}  // namespace fuzzbow
