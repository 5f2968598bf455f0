// Similarity bounds from integer products of a panel, and the linear and row bounds from those. Included inside an
// anonymous namespace after `Lanes` and `Bytes`. Everything is rounded up.

// similarity <= product * scales + |w - w'||q| + |w'||q - q'|; the norms include the slack of float32 sums. Negative
// similarities count as 0.
FUZZBOW_INLINE void finish_similarities(const std::int32_t* products, int count, const WordPanel& panel,
                                        const QueryFactors& query, float* out) {
  for (int half = 0; half < kPanel; half += Lanes::kWidth) {
    const typename Lanes::Type scale = Lanes::load(panel.scales + half);
    const typename Lanes::Type error = Lanes::load(panel.errors + half);
    const typename Lanes::Type norm = Lanes::load(panel.norms + half);
    for (int i = 0; i < count; ++i) {
      const typename Lanes::Type product = Lanes::from_integers(products + i * kPanel + half);
      typename Lanes::Type bound = Lanes::multiply(product, Lanes::multiply(scale, Lanes::spread(query.scales[i])));
      bound = Lanes::multiply_add(error, Lanes::spread(query.norms[i]), bound);
      bound = Lanes::multiply_add(norm, Lanes::spread(query.errors[i]), bound);
      Lanes::store(out + i * kPanel + half, Lanes::max(bound, Lanes::zero()));
    }
  }
}

FUZZBOW_INLINE void transpose_bytes(const std::uint8_t* in, std::uint8_t* out, std::size_t stride) {
  Bytes::Type rows[16], mixed[16];
  FUZZBOW_UNROLL
  for (int i = 0; i < 16; ++i) rows[i] = Bytes::load(in + 16 * i);
  // Each round interleaves the halves; four of them exchange rows and columns.
  FUZZBOW_UNROLL
  for (int round = 0; round < 4; ++round) {
    FUZZBOW_UNROLL
    for (int i = 0; i < 8; ++i) {
      mixed[2 * i] = Bytes::interleave_low(rows[i], rows[i + 8]);
      mixed[2 * i + 1] = Bytes::interleave_high(rows[i], rows[i + 8]);
    }
    FUZZBOW_UNROLL
    for (int i = 0; i < 16; ++i) rows[i] = mixed[i];
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < 16; ++i) Bytes::store(out + i * stride, rows[i]);
}

// Computes words [half, half + width) of a panel. Returns their linear bounds as floats.
FUZZBOW_INLINE typename Lanes::Type half_bounds(const float* similarities, const BoundFactors& factors,
                                                const BoundOutput& out, std::int64_t word, std::uint8_t* columns) {
  typename Lanes::Type highest = Lanes::zero(), excess = Lanes::zero();
  for (int i = 0; i < factors.count; ++i) {
    const typename Lanes::Type similarity = Lanes::load(similarities + factors.columns[i] * kPanel);
    highest = Lanes::max(highest, similarity);
    const typename Lanes::Type cut = Lanes::min(similarity, Lanes::spread(factors.clips[i]));
    const typename Lanes::Type above = Lanes::max(Lanes::zero(), Lanes::subtract(cut, Lanes::spread(factors.betas[i])));
    excess = Lanes::multiply_add(above, Lanes::spread(factors.factors[i]), excess);
    if (out.rows)
      Lanes::store_ceilings(Lanes::multiply(cut, Lanes::spread(factors.row_units[i])), columns + i * kPanel);
  }
  highest = Lanes::min(highest, Lanes::spread(factors.ceiling));
  const typename Lanes::Type own =
      Lanes::multiply(Lanes::min(highest, Lanes::load(factors.limits + word)), Lanes::load(factors.multipliers + word));
  Lanes::store(out.document_side + word, own);
  const typename Lanes::Type units = Lanes::multiply(Lanes::add(own, excess), Lanes::spread(factors.unit));
  const typename Lanes::Type linear = Lanes::min(Lanes::add(units, Lanes::spread(1.0f)), Lanes::spread(65535.0f));
  Lanes::store_shorts(linear, out.linear + word);
  return linear;
}

std::uint32_t panel_bounds(const float* similarities, int stride, int panels, const BoundFactors& factors,
                           const BoundOutput& out) {
  alignas(64) std::uint8_t columns[kLongestRow * kPanel];
  for (std::size_t i = factors.count * kPanel; i < out.row_width * kPanel; ++i) columns[i] = 0;
  typename Lanes::Type peak = Lanes::zero();
  for (int panel = 0; panel < panels; ++panel, similarities += static_cast<std::size_t>(stride) * kPanel) {
    const std::int64_t word = panel * kPanel;
    for (int half = 0; half < kPanel; half += Lanes::kWidth)
      peak = Lanes::max(peak, half_bounds(similarities + half, factors, out, word + half, columns + half));
    for (std::size_t first = 0; out.rows && first < out.row_width; first += kPanel)
      transpose_bytes(columns + first * kPanel, out.rows + word * out.row_width + first, out.row_width);
  }
  return static_cast<std::uint32_t>(Lanes::highest(peak));
}

void linear_levels(const std::uint16_t* linear, std::int64_t count, float factor, std::uint8_t* levels) {
  for (std::int64_t i = 0; i < count; i += Lanes::kWidth)
    Lanes::store_ceilings(Lanes::multiply(Lanes::from_shorts(linear + i), Lanes::spread(factor)), levels + i);
}

void row_maxima(const std::uint8_t* rows, std::size_t width, const std::uint32_t* words, std::int64_t length,
                std::uint8_t* highest) {
  for (std::size_t first = 0; first < width; first += 16) {
    Bytes::Type best = Bytes::zero();
    for (std::int64_t j = 0; j < length; ++j) best = Bytes::max(best, Bytes::load(rows + words[j] * width + first));
    Bytes::store(highest + first, best);
  }
}
