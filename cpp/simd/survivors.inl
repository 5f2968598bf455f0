// The plain end of a scan block, for instruction sets without masked stores.
FUZZBOW_INLINE std::int64_t keep_survivors(const ScanJob& job, std::int64_t start, int block, const std::uint32_t* sums,
                                           std::int64_t found) {
  for (int u = 0; u < block; ++u) {
    const float numerator = job.base + static_cast<float>(sums[u]) * job.inverse_unit;
    job.survivors[found] = static_cast<std::uint32_t>(start + u);
    job.numerators[found] = numerator;
    found += numerator >= job.intercept + job.slope * job.sizes[start + u];
  }
  return found;
}
