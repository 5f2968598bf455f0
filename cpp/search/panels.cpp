#include "search/panels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace fuzzbow {

void QuantisedVector::assign(const float* vector, std::int64_t dimension) {
  values.assign((dimension + 3) / 4 * 4, 0);
  float largest = 0;
  double squares = 0;
  for (std::int64_t t = 0; t < dimension; ++t) {
    largest = std::max(largest, std::fabs(vector[t]));
    squares += static_cast<double>(vector[t]) * vector[t];
  }
  scale = largest / 127.0f;
  double lost = 0;
  if (scale < 1e-30f) {  // too small to divide by: the image is zero, and all of it is lost
    scale = 0;
    lost = squares;
  } else {
    constexpr float kWhole = 12582912.0f;  // 1.5 * 2^23: adding it rounds to the nearest integer
    for (std::int64_t t = 0; t < dimension; ++t) {
      const float rounded = (vector[t] / scale + kWhole) - kWhole;
      values[t] = static_cast<std::int8_t>(std::min(127.0f, std::max(-127.0f, rounded)));
      const double difference = vector[t] - static_cast<double>(values[t]) * scale;
      lost += difference * difference;
    }
  }
  const double length = std::sqrt(squares), missing = std::sqrt(lost);
  // Rounding of the exact kernel's float32 sums (2^-24 per step) and of the bound's own few operations.
  const double slack = length * (static_cast<double>(dimension) + 64.0) * 1.2e-7;
  error = static_cast<float>((missing + slack) * 1.00001);
  norm = static_cast<float>((length + missing) * 1.00001);
}

void QuantisedPanels::add(const float* vector) {
  scratch_.assign(vector, dimension_);
  const std::int64_t panel = size_ / kPanel, lane = size_ % kPanel;
  if (lane == 0) {
    values_.resize(static_cast<std::size_t>(panel + 1) * quads_ * 64);
    for (auto* buffer : {&scales_, &errors_, &norms_}) buffer->resize((panel + 1) * kPanel);
    sums_.resize((panel + 1) * kPanel);
  }
  std::int8_t* target = values_.data() + panel * quads_ * 64 + lane * 4;
  std::int32_t sum = 0;
  for (int q = 0; q < quads_; ++q) {
    std::memcpy(target + q * 64, scratch_.values.data() + 4 * q, 4);
    for (int t = 0; t < 4; ++t) sum += scratch_.values[4 * q + t];
  }
  sums_[size_] = sum;
  scales_[size_] = scratch_.scale;
  errors_[size_] = scratch_.error;
  norms_[size_] = scratch_.norm;
  largest_norm_ = std::max(largest_norm_, scratch_.norm);
  ++size_;
}

void QuantisedPanels::clear() {
  size_ = 0;
  largest_norm_ = 0;
  values_.resize(0);
  sums_.resize(0);
  for (auto* buffer : {&scales_, &errors_, &norms_}) buffer->resize(0);
}

WordPanel QuantisedPanels::panel(std::int64_t number) const {
  const std::int64_t word = number * kPanel;
  return {values_.data() + number * quads_ * 64, sums_.data() + word, scales_.data() + word, errors_.data() + word,
          norms_.data() + word};
}

void QuantisedPanels::integers(std::int64_t word, std::int8_t* out) const {
  const std::int8_t* source = values_.data() + word / kPanel * quads_ * 64 + word % kPanel * 4;
  for (int q = 0; q < quads_; ++q) std::memcpy(out + 4 * q, source + q * 64, 4);
}

std::size_t QuantisedPanels::bytes() const {
  return values_.bytes() + sums_.bytes() + scales_.bytes() + errors_.bytes() + norms_.bytes();
}

void QuantisedBlock::resize(int count, int quads) {
  count_ = count;
  quads_ = quads;
  bytes_.assign(static_cast<std::size_t>(count) * quads, 0x80808080u);
  shorts_.assign(static_cast<std::size_t>(count) * quads * 4, 0);
  for (auto* buffer : {&scales_, &errors_, &norms_}) buffer->assign(count, 0.0f);
}

void QuantisedBlock::set(int column, const std::int8_t* values, float scale, float error, float norm) {
  for (int q = 0; q < quads_; ++q) {
    std::uint32_t packed = 0;
    for (int t = 0; t < 4; ++t) {
      const int value = values[4 * q + t];
      packed |= static_cast<std::uint32_t>(value + 128) << (8 * t);
      shorts_[(static_cast<std::size_t>(q) * count_ + column) * 4 + t] = static_cast<std::int16_t>(value);
    }
    bytes_[static_cast<std::size_t>(q) * count_ + column] = packed;
  }
  scales_[column] = scale;
  errors_[column] = error;
  norms_[column] = norm;
}

}  // namespace fuzzbow
