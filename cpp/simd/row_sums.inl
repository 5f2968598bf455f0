// Sums over two membership rows of a fixed universe. Included inside an anonymous namespace after `Lanes`. Float lanes
// are added to a double every 256 steps, so that long rows keep their precision.

constexpr std::int64_t kSumBlock = 256 * Lanes::kWidth;

inline float weight_at(const float* weights, std::int64_t k) { return weights ? weights[k] : 1.0f; }

inline typename Lanes::Type weight_lanes(const float* weights, std::int64_t k) {
  return weights ? Lanes::load(weights + k) : Lanes::spread(1.0f);
}

void min_max_sums(const float* left, const float* right, const float* weights, std::int64_t count, double* sums) {
  double minimum = 0, maximum = 0;
  const std::int64_t whole = count / Lanes::kWidth * Lanes::kWidth;
  for (std::int64_t start = 0; start < whole; start += kSumBlock) {
    const std::int64_t stop = start + kSumBlock < whole ? start + kSumBlock : whole;
    typename Lanes::Type low = Lanes::zero(), high = Lanes::zero();
    for (std::int64_t k = start; k < stop; k += Lanes::kWidth) {
      const typename Lanes::Type a = Lanes::load(left + k), b = Lanes::load(right + k), w = weight_lanes(weights, k);
      low = Lanes::multiply_add(w, Lanes::min(a, b), low);
      high = Lanes::multiply_add(w, Lanes::max(a, b), high);
    }
    minimum += Lanes::total(low);
    maximum += Lanes::total(high);
  }
  for (std::int64_t k = whole; k < count; ++k) {
    const double w = weight_at(weights, k), a = left[k], b = right[k];
    minimum += w * (a < b ? a : b);
    maximum += w * (a < b ? b : a);
  }
  sums[0] = minimum;
  sums[1] = maximum;
}

void product_sums(const float* left, const float* right, const float* weights, std::int64_t count, double* sums) {
  double products = 0, left_squares = 0, right_squares = 0;
  const std::int64_t whole = count / Lanes::kWidth * Lanes::kWidth;
  for (std::int64_t start = 0; start < whole; start += kSumBlock) {
    const std::int64_t stop = start + kSumBlock < whole ? start + kSumBlock : whole;
    typename Lanes::Type ab = Lanes::zero(), aa = Lanes::zero(), bb = Lanes::zero();
    for (std::int64_t k = start; k < stop; k += Lanes::kWidth) {
      const typename Lanes::Type a = Lanes::load(left + k), b = Lanes::load(right + k), w = weight_lanes(weights, k);
      // (w a) b and not w (a b): with a == b all three sums then agree bit for bit.
      const typename Lanes::Type wa = Lanes::multiply(w, a), wb = Lanes::multiply(w, b);
      ab = Lanes::multiply_add(wa, b, ab);
      aa = Lanes::multiply_add(wa, a, aa);
      bb = Lanes::multiply_add(wb, b, bb);
    }
    products += Lanes::total(ab);
    left_squares += Lanes::total(aa);
    right_squares += Lanes::total(bb);
  }
  for (std::int64_t k = whole; k < count; ++k) {
    const double w = weight_at(weights, k), a = left[k], b = right[k];
    products += w * a * b;
    left_squares += w * a * a;
    right_squares += w * b * b;
  }
  sums[0] = products;
  sums[1] = left_squares;
  sums[2] = right_squares;
}
