// Fuzzy BM25: the gain of a similar word, the saturation of repeats, and the sum of a score.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fuzzbow {

struct Bm25Options {
  double k1 = 1.5, b = 0.75, floor = 0.45, power = 1.5;

  // True if only equal words count; other words with the same vector do not.
  bool equality() const { return floor >= 1; }

  // Gain of a word of this similarity; 1 for the word itself.
  double gain(float similarity) const {
    // Compare in float32: a similarity equal to the floor is so in float32.
    const double lowest = static_cast<float>(floor);
    if (similarity <= lowest) return 0;
    return similarity >= 1 ? 1 : std::pow((similarity - lowest) / (1 - lowest), power);
  }

  // Occurrences for which a word counts half, K of BM25. If the mean is 0, every document has the mean length.
  double norm(double length, double mean_length) const {
    // No infinite ratio: times a k1 or b of 0 it would be NaN.
    return k1 * (1 - b + b * (mean_length > 0 ? std::min(length / mean_length, 1e300) : 1));
  }
};

// A query's words in the order of the text, as indices of its distinct words, and the weights of these.
struct Bm25Query {
  std::vector<std::uint32_t> positions;
  std::vector<double> weights;
  double total = 0;  // sum of the weights, with repeats

  void sum_weights() {
    total = 0;
    for (std::uint32_t position : positions) total += weights[position];
  }

  // Score of a document with these occurrences of the distinct words. The only function that adds up scores.
  float score(const double* often, double norm) const {
    if (!(total > 0)) return 0.0f;
    double sum = 0;
    for (std::uint32_t position : positions)
      if (often[position] > 0) sum += weights[position] * (often[position] / (often[position] + norm));
    return static_cast<float>(sum / total);
  }
};

}  // namespace fuzzbow
