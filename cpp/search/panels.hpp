// Word vectors in 8 bits, 16 words interleaved, with bounds of the rounding error.
#pragma once
#include <cstdint>
#include <vector>

#include "simd/kernels.hpp"
#include "support/aligned.hpp"

namespace fuzzbow {

// The 8-bit image of one vector: value ~ scale * integer.
struct QuantisedVector {
  std::vector<std::int8_t> values;
  float scale = 0;
  float error = 0;  // upper bound of |vector - image|, plus what float32 products with it may be off by
  float norm = 0;   // upper bound of |vector| and of |image|
  void assign(const float* vector, std::int64_t dimension);
};

class QuantisedPanels {
 public:
  explicit QuantisedPanels(std::int64_t dimension)
      : dimension_(dimension), quads_(static_cast<int>((dimension + 3) / 4)) {}

  void add(const float* vector);
  void clear();
  std::int64_t size() const { return size_; }
  std::int64_t panels() const { return (size_ + kPanel - 1) / kPanel; }
  WordPanel panel(std::int64_t number) const;
  float largest_norm() const { return largest_norm_; }
  float norm(std::int64_t word) const { return norms_[word]; }
  std::size_t bytes() const;
  int quads() const { return quads_; }
  std::int64_t dimension() const { return dimension_; }
  // Writes the integers of a word.
  void integers(std::int64_t word, std::int8_t* out) const;
  float scale(std::int64_t word) const { return scales_[word]; }
  float error(std::int64_t word) const { return errors_[word]; }

 private:
  std::int64_t dimension_;
  int quads_;
  std::int64_t size_ = 0;
  float largest_norm_ = 0;
  QuantisedVector scratch_;
  AlignedBuffer<std::int8_t> values_;
  AlignedBuffer<std::int32_t> sums_;
  AlignedBuffer<float> scales_, errors_, norms_;
};

// Words in the two layouts that panel_similarities multiplies by.
class QuantisedBlock {
 public:
  void resize(int count, int quads);
  void set(int column, const std::int8_t* values, float scale, float error, float norm);
  // Columns [begin, end).
  QuantisedWords words(int begin, int end) const {
    return {bytes_.data() + begin, shorts_.data() + 4 * begin, end - begin, count_, quads_};
  }
  QueryFactors factors(int begin) const {
    return {scales_.data() + begin, errors_.data() + begin, norms_.data() + begin};
  }
  int count() const { return count_; }

 private:
  int count_ = 0, quads_ = 0;
  std::vector<std::uint32_t> bytes_;
  std::vector<std::int16_t> shorts_;
  std::vector<float> scales_, errors_, norms_;
};

}  // namespace fuzzbow
