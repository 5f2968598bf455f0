// The scan: one look-up and one addition per word.
// Included inside an anonymous namespace after `Lanes`, `Shorts` and `frequent_sums`.

// Four words at a time: the look-ups, and not the ids, should keep the load ports busy.
template <class Id, int kCount>
FUZZBOW_INLINE void rare_sums_of(const Id* ids, int count, const std::uint8_t* levels, std::int32_t* sums) {
  const int length = kCount >= 0 ? kCount : count;
  for (int place = 0; place < kBlock; ++place, ids += length) {
    std::int32_t sum = 0;
    int j = 0;
    if (sizeof(Id) == 2) {
      FUZZBOW_UNROLL
      for (; j + 4 <= length; j += 4) {
        std::uint64_t four;
        std::memcpy(&four, ids + j, sizeof four);
        sum += levels[four & 0xFFFF] + levels[four >> 16 & 0xFFFF] + levels[four >> 32 & 0xFFFF] + levels[four >> 48];
      }
    }
    FUZZBOW_UNROLL
    for (; j < length; ++j) sum += levels[ids[j]];
    sums[place] = sum;
  }
}

template <class Id>
FUZZBOW_INLINE void rare_sums(const Id* ids, int count, const std::uint8_t* levels, std::int32_t* sums) {
  switch (count) {
#define FUZZBOW_CASE(n)                            \
  case n:                                          \
    rare_sums_of<Id, n>(ids, count, levels, sums); \
    break;
    // clang-format off
    FUZZBOW_CASE(0) FUZZBOW_CASE(1) FUZZBOW_CASE(2) FUZZBOW_CASE(3) FUZZBOW_CASE(4) FUZZBOW_CASE(5)
    FUZZBOW_CASE(6) FUZZBOW_CASE(7) FUZZBOW_CASE(8) FUZZBOW_CASE(9) FUZZBOW_CASE(10) FUZZBOW_CASE(11)
    FUZZBOW_CASE(12) FUZZBOW_CASE(13) FUZZBOW_CASE(14) FUZZBOW_CASE(15) FUZZBOW_CASE(16) FUZZBOW_CASE(17)
    FUZZBOW_CASE(18) FUZZBOW_CASE(19) FUZZBOW_CASE(20)
    // clang-format on
#undef FUZZBOW_CASE
                default : rare_sums_of<Id, -1>(ids, count, levels, sums);
    break;
  }
}

// Positions of one block whose numerator reaches the line. Sizes are read only where the lowest point of the line over
// the block is reached: the scan lives on how little it reads.
FUZZBOW_INLINE std::int64_t keep_survivors(const ScanJob& job, std::int64_t number, const std::int32_t* rare,
                                           const std::int32_t* frequent, std::int64_t found) {
  const Block& block = job.documents.blocks[number];
  const int documents = block.documents;
  const float* sizes = job.documents.sizes + number * kBlock;
  const float extreme = job.slope >= 0 ? block.smallest_size : block.largest_size;
  const typename Lanes::Type lowest =
      Lanes::multiply_add(Lanes::spread(extreme), Lanes::spread(job.slope), Lanes::spread(job.intercept));
  for (int first = 0; first < documents; first += Lanes::kWidth) {
    const typename Lanes::Type part = Lanes::multiply_add(Lanes::from_integers(frequent + first),
                                                          Lanes::spread(job.frequent_unit), Lanes::spread(job.base));
    const typename Lanes::Type numerator =
        Lanes::multiply_add(Lanes::from_integers(rare + first), Lanes::spread(job.unit), part);
    if (!Lanes::reaches(numerator, lowest)) continue;
    const typename Lanes::Type line =
        Lanes::multiply_add(Lanes::load(sizes + first), Lanes::spread(job.slope), Lanes::spread(job.intercept));
    unsigned kept = Lanes::reaches(numerator, line);
    if (documents - first < Lanes::kWidth) kept &= (1u << (documents - first)) - 1;
    if (!kept) continue;
    alignas(64) float numerators[Lanes::kWidth];
    Lanes::store(numerators, numerator);
    for (int lane = 0; kept; ++lane, kept >>= 1) {
      if (!(kept & 1)) continue;
      job.survivors[found] = static_cast<std::uint32_t>(number * kBlock + first + lane);
      job.numerators[found++] = numerators[lane];
    }
  }
  return found;
}

template <class Id>
std::int64_t scan(const ScanJob& job) {
  const ScanDocuments& documents = job.documents;
  alignas(64) std::int32_t rare[kBlock], frequent[kBlock];
  std::int64_t found = 0;
  for (std::int64_t number = documents.begin; number < documents.end; ++number) {
    const Block& block = documents.blocks[number];
    rare_sums(static_cast<const Id*>(documents.rare) + block.rare, block.rare_count, job.levels, rare);
    frequent_sums(documents.frequent + block.frequent, block.frequent_count, job.frequent_levels, frequent);
    found = keep_survivors(job, number, rare, frequent, found);
  }
  return found;
}

// Sums of one document for 16 queries.
template <class Id>
FUZZBOW_INLINE void batch_sums(const BatchScanJob& job, const Block& block, int place, std::int32_t* sums) {
  const std::uint8_t* frequent = job.documents.frequent + block.frequent + place;
  const Id* rare = static_cast<const Id*>(job.documents.rare) + block.rare + place * block.rare_count;
  if (block.frequent_count + block.rare_count <= 256) {  // 16 bits hold so many levels
    Shorts short_sums;
    for (int j = 0; j < block.frequent_count; ++j) short_sums.add(job.frequent_levels + kBatch * frequent[j * kBlock]);
    for (int j = 0; j < block.rare_count; ++j) short_sums.add(job.levels + kBatch * static_cast<std::size_t>(rare[j]));
    short_sums.store(sums);
    return;
  }
  for (int query = 0; query < kBatch; ++query) {
    sums[query] = 0;
    for (int j = 0; j < block.frequent_count; ++j)
      sums[query] += job.frequent_levels[kBatch * frequent[j * kBlock] + query];
    for (int j = 0; j < block.rare_count; ++j)
      sums[query] += job.levels[kBatch * static_cast<std::size_t>(rare[j]) + query];
  }
}

template <class Id>
void scan_batch(const BatchScanJob& job) {
  const ScanDocuments& documents = job.documents;
  alignas(64) std::int32_t sums[kBatch];
  alignas(64) float numerators[kBatch];
  for (std::int64_t number = documents.begin; number < documents.end; ++number)
    for (int place = 0; place < documents.blocks[number].documents; ++place) {
      batch_sums<Id>(job, documents.blocks[number], place, sums);
      const std::int64_t position = number * kBlock + place;
      const typename Lanes::Type size = Lanes::spread(documents.sizes[position]);
      unsigned kept = 0;
      FUZZBOW_UNROLL
      for (int first = 0; first < kBatch; first += Lanes::kWidth) {
        const typename Lanes::Type numerator = Lanes::multiply_add(
            Lanes::from_integers(sums + first), Lanes::load(job.units + first), Lanes::load(job.bases + first));
        const typename Lanes::Type line =
            Lanes::multiply_add(size, Lanes::load(job.slopes + first), Lanes::load(job.intercepts + first));
        Lanes::store(numerators + first, numerator);
        kept |= Lanes::reaches(numerator, line) << first;
      }
      for (int query = 0; kept; ++query, kept >>= 1) {
        if (!(kept & 1)) continue;
        const std::int64_t next = query * job.room + job.found[query]++;
        job.survivors[next] = static_cast<std::uint32_t>(position);
        job.numerators[next] = numerators[query];
      }
    }
}
