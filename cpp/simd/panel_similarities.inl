// All query words with one panel, in even blocks of at most kQueryBlock. Included inside an anonymous namespace after
// panel_block, kQueryBlock and bounds.inl.

// out (count, 16) = integer products of query words [first, first + count) with the words of the panel.
template <int kWords = kQueryBlock>
void panel_products(const WordPanel& panel, const QuantisedWords& query, int first, int count, std::int32_t* out) {
  if (count == kWords)
    panel_block<kWords>(panel, query, first, out);
  else if constexpr (kWords > 1)
    panel_products<kWords - 1>(panel, query, first, count, out);
}

void panel_similarities(const WordPanel& panel, const QuantisedWords& query, const QueryFactors& factors, float* out) {
  alignas(64) std::int32_t products[kQueryBlock * kPanel];
  int blocks = (query.count + kQueryBlock - 1) / kQueryBlock;
  for (int first = 0; first < query.count; --blocks) {
    const int count = even_share(query.count - first, blocks);
    panel_products(panel, query, first, count, products);
    const QueryFactors part = {factors.scales + first, factors.errors + first, factors.norms + first};
    finish_similarities(products, count, panel, part, out + static_cast<std::size_t>(first) * kPanel);
    first += count;
  }
}

void column_similarities(const KeptColumn* columns, int count, std::int64_t first, int panels, int stride, float* out) {
  for (int i = 0; i < count; ++i) {
    const std::uint8_t* levels = columns[i].levels + first;
    const float unit = columns[i].unit;
    float* target = out + static_cast<std::size_t>(columns[i].position) * kPanel;
    for (int panel = 0; panel < panels; ++panel, levels += kPanel, target += static_cast<std::size_t>(stride) * kPanel)
      for (int v = 0; v < kPanel; ++v) target[v] = static_cast<float>(levels[v]) * unit;
  }
}

void column_levels(const float* similarities, float units, float least, std::uint8_t* levels) {
  for (int first = 0; first < kPanel; first += Lanes::kWidth) {
    const typename Lanes::Type level = Lanes::multiply(Lanes::load(similarities + first), Lanes::spread(units));
    const typename Lanes::Type raised = Lanes::max(level, Lanes::spread(least));
    Lanes::store_ceilings(Lanes::min(raised, Lanes::spread(kMostLevel)), levels + first);
  }
}
