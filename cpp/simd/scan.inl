// The scan: one look-up and one addition per word, documents of equal length after each other.
// Included inside an anonymous namespace.

template <class Id, int kLength>
FUZZBOW_INLINE std::int64_t scan_documents(const ScanJob& job) {
  const int length = kLength > 0 ? kLength : job.length;
  const Id* ids = static_cast<const Id*>(job.ids) + job.begin * length;
  const std::uint16_t* linear = job.linear;
  std::int64_t found = 0;
  for (std::int64_t start = job.begin; start < job.end; start += 16) {
    const int block = job.end - start < 16 ? static_cast<int>(job.end - start) : 16;
    alignas(64) std::uint32_t sums[16];
    for (int u = 0; u < block; ++u, ids += length) {
      std::uint32_t sum = 0;
      FUZZBOW_UNROLL
      for (int j = 0; j < length; ++j) sum += linear[ids[j]];
      sums[u] = sum;
    }
    found = keep_survivors(job, start, block, sums, found);
  }
  return found;
}

template <class Id>
std::int64_t scan(const ScanJob& job) {
  switch (job.length) {
#define FUZZBOW_CASE(n) \
  case n:               \
    return scan_documents<Id, n>(job);
    // clang-format off
    FUZZBOW_CASE(1) FUZZBOW_CASE(2) FUZZBOW_CASE(3) FUZZBOW_CASE(4) FUZZBOW_CASE(5) FUZZBOW_CASE(6)
    FUZZBOW_CASE(7) FUZZBOW_CASE(8) FUZZBOW_CASE(9) FUZZBOW_CASE(10) FUZZBOW_CASE(11) FUZZBOW_CASE(12)
    FUZZBOW_CASE(13) FUZZBOW_CASE(14) FUZZBOW_CASE(15) FUZZBOW_CASE(16) FUZZBOW_CASE(17) FUZZBOW_CASE(18)
    FUZZBOW_CASE(19) FUZZBOW_CASE(20)
    // clang-format on
#undef FUZZBOW_CASE
                default : return scan_documents<Id, -1>(job);
  }
}
