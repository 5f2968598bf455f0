// Fuzzy BM25: what a similar word counts, what a word that occurs so often counts, and how a score is added up.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fuzzbow {

struct Bm25Options {
  double k1 = 1.5, b = 0.75, floor = 0.45, power = 1.5;

  // Only the word itself counts; another word of the same vector is another word.
  bool equality() const { return floor >= 1; }

  // What a word of this similarity counts; 1 for the word itself.
  double gain(float similarity) const {
    // A similarity that equals the floor does so in float32 as well.
    const double lowest = static_cast<float>(floor);
    if (similarity <= lowest) return 0;
    return similarity >= 1 ? 1 : std::pow((similarity - lowest) / (1 - lowest), power);
  }

  // How often a word must occur to count half. Where the mean is 0, every document has the mean length.
  double norm(double length, double mean_length) const {
    // No infinite ratio: times a k1 or b of 0 it would be no number.
    return k1 * (1 - b + b * (mean_length > 0 ? std::min(length / mean_length, 1e300) : 1));
  }
};

// A query's words in the order of the text, as places among its distinct words, and the weights of those.
struct Bm25Query {
  std::vector<std::uint32_t> places;
  std::vector<double> weights;
  double total = 0;  // of the weights, repeats counted

  void sum_weights() {
    total = 0;
    for (std::uint32_t place : places) total += weights[place];
  }

  // The score of a document in which the distinct words occur so often; every score is added up here.
  float score(const double* often, double norm) const {
    if (!(total > 0)) return 0.0f;
    double sum = 0;
    for (std::uint32_t place : places)
      if (often[place] > 0) sum += weights[place] * (often[place] / (often[place] + norm));
    return static_cast<float>(sum / total);
  }
};

}  // namespace fuzzbow
