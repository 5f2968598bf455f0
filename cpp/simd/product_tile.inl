// Products of four rows with a panel of eight columns. Included inside an anonymous namespace after `Doubles`.

void product_tile(const double* const rows[kProductRows], const double* panel, std::int64_t depth, double* out) {
  constexpr int kVectors = kProductColumns / Doubles::kWidth;
  Doubles::Type sums[kProductRows][kVectors];
  FUZZBOW_UNROLL
  for (int r = 0; r < kProductRows; ++r) {
    FUZZBOW_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Doubles::spread(0.0);
  }
  for (std::int64_t k = 0; k < depth; ++k, panel += kProductColumns) {
    FUZZBOW_UNROLL
    for (int r = 0; r < kProductRows; ++r) {
      const Doubles::Type value = Doubles::spread(rows[r][k]);
      FUZZBOW_UNROLL
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = Doubles::multiply_add(value, Doubles::load(panel + v * Doubles::kWidth), sums[r][v]);
    }
  }
  for (int r = 0; r < kProductRows; ++r)
    for (int v = 0; v < kVectors; ++v) Doubles::store(out + r * kProductColumns + v * Doubles::kWidth, sums[r][v]);
}
