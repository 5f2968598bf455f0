// Sums of 64 documents' levels in 8 bits, cut at 255, of the first kind, then of the first two: where bytes cannot be
// permuted: documents one after another.
FUZZBOW_INLINE void coarse_sums(const LevelRows* rows, int kinds, std::uint8_t* sums) {
  for (int place = 0; place < kBlock; ++place) {
    int sum = 0;
    for (int kind = 0; kind < kinds; ++kind) {
      for (int j = 0; j < rows[kind].count; ++j) sum += rows[kind].levels[rows[kind].words[j * kBlock + place]];
      sums[kind * kBlock + place] = static_cast<std::uint8_t>(sum < 255 ? sum : 255);
    }
  }
}

// Which of them reach intercept + slope * size, or are cut.
FUZZBOW_INLINE std::uint64_t reaching(const std::uint8_t* sums, const float* sizes, float intercept, float slope) {
  std::uint64_t reached = 0;
  for (int place = 0; place < kBlock; ++place) {
    const bool reaches = sums[place] == 255 || static_cast<float>(sums[place]) >= intercept + slope * sizes[place];
    reached |= static_cast<std::uint64_t>(reaches) << place;
  }
  return reached;
}
