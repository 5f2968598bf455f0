// Sums of frequent words of a block without a permutation of bytes: one document after another.
template <bool kAdd>
FUZZBOW_INLINE void frequent_sums(const std::uint8_t* words, int count, const std::uint8_t* levels,
                                  std::int32_t* sums) {
  for (int slot = 0; slot < kBlock; ++slot) {
    std::int32_t sum = kAdd ? sums[slot] : 0;
    for (int j = 0; j < count; ++j) sum += levels[words[j * kBlock + slot]];
    sums[slot] = sum;
  }
}
