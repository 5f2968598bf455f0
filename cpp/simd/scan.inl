// The scan: one lookup and one addition per word. Included inside an anonymous namespace after `Lanes`, `Shorts` and
// `frequent_sums`, which sets or adds to sums.

// Four words at a time: the load ports should be busy with lookups, not with ids.
template <class Id>
FUZZBOW_INLINE std::int32_t rare_sum(const Id* ids, int length, const std::uint8_t* levels) {
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
  return sum;
}

template <class Id, int kCount>
FUZZBOW_INLINE void rare_sums_of(const Id* ids, int count, const std::uint8_t* levels, std::int32_t* sums) {
  const int length = kCount >= 0 ? kCount : count;
  for (int slot = 0; slot < kBlock; ++slot, ids += length) sums[slot] = rare_sum(ids, length, levels);
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

// Appends the positions of one block whose numerator reaches the line. Sizes are read only if the lowest point of the
// line over the block is reached: the scan is fast because it reads little.
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
    for (; kept; kept &= kept - 1) {
      const int lane = FUZZBOW_LOWEST_BIT(kept);
      job.survivors[found] = static_cast<std::uint32_t>(number * kBlock + first + lane);
      job.numerators[found++] = numerators[lane];
    }
  }
  return found;
}

// Long documents come from memory, not from the cache: while rare words are looked up, the bytes of the same block and
// the rare words of the next are prefetched.
template <class Id>
FUZZBOW_INLINE void rare_sums_ahead(const Id* ids, int count, const std::uint8_t* levels, const std::uint8_t* bytes,
                                    std::int64_t rows, std::int32_t* sums) {
  const std::uint8_t* const end = bytes + rows * kBlock;
  const std::int64_t share = (rows + kBlock - 1) / kBlock;
  const std::int64_t ahead = static_cast<std::int64_t>(kBlock) * count;
  for (int slot = 0; slot < kBlock; ++slot, ids += count) {
    for (std::int64_t i = 0; i < share && bytes < end; ++i, bytes += kBlock) FUZZBOW_PREFETCH(bytes);
    FUZZBOW_PREFETCH(ids + ahead);
    std::int32_t sum = 0, other = 0;
    int j = 0;
    for (; j + 2 <= count; j += 2) {
      sum += levels[ids[j]];
      other += levels[ids[j + 1]];
    }
    if (j < count) sum += levels[ids[j]];
    sums[slot] = sum + other;
  }
}

FUZZBOW_INLINE void add_pages(const std::uint8_t* words, const std::int32_t* rows, const std::uint8_t* levels,
                              std::int32_t* sums) {
  for (int page = 1; page < kPages; ++page, ++rows) {
    if (*rows > 0) frequent_sums<true>(words, *rows, levels + page * (kFrequentWords + 1), sums);
    words += static_cast<std::int64_t>(*rows) * kBlock;
  }
}

// Keeps survivors by the words of each document.
template <class Id>
std::int64_t keep_by_words(const ScanJob& job, std::int64_t count) {
  const ScanDocuments& documents = job.documents;
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t position = job.survivors[i], slot = position % kBlock;
    const Block& block = documents.blocks[position / kBlock];
    const Id* ids =
        static_cast<const Id*>(documents.rare) + block.rare + static_cast<std::int64_t>(slot) * block.rare_count;
    const std::uint8_t* words = documents.frequent + block.frequent + slot;
    std::int32_t frequent = 0;
    for (int j = 0; j < block.frequent_count; ++j) frequent += job.frequent_levels[words[j * kBlock]];
    const float numerator = job.base + static_cast<float>(frequent) * job.frequent_unit +
                            static_cast<float>(rare_sum(ids, block.rare_count, job.levels)) * job.unit;
    if (!(numerator >= job.intercept + job.slope * documents.sizes[position])) continue;
    job.survivors[found] = position;
    job.numerators[found++] = numerator;
  }
  return found;
}

std::int64_t scan_sums(const ScanJob& job, const DocumentSums& sums) {
  alignas(64) static const std::int32_t nothing[kBlock] = {};
  ScanJob line = job;
  line.base = sums.base;
  line.unit = sums.unit;
  line.slope -= sums.share;
  std::int64_t found = 0;
  for (std::int64_t number = job.documents.begin; number < job.documents.end; ++number)
    found = keep_survivors(line, number, sums.sums + (number - sums.first) * kBlock, nothing, found);
  return found;
}

template <class Id>
std::int64_t scan(const ScanJob& job) {
  const ScanDocuments& documents = job.documents;
  alignas(64) std::int32_t rare[kBlock], frequent[kBlock];
  std::int64_t found = 0;
  for (std::int64_t number = documents.begin; number < documents.end; ++number) {
    const Block& block = documents.blocks[number];
    const Id* ids = static_cast<const Id*>(documents.rare) + block.rare;
    const std::uint8_t* words = documents.frequent + block.frequent;
    if (block.pages < 0) {
      for (int row = 0; row < block.frequent_count; ++row) FUZZBOW_PREFETCH(words + row * kBlock);
      rare_sums(ids, block.rare_count, job.levels, rare);
    } else {
      rare_sums_ahead(ids, block.rare_count, job.levels, words, block.rows, rare);
    }
    frequent_sums<false>(words, block.frequent_count, job.frequent_levels, frequent);
    if (block.pages >= 0)
      add_pages(words + static_cast<std::int64_t>(block.frequent_count) * kBlock, documents.page_rows + block.pages,
                job.frequent_levels, rare);
    found = keep_survivors(job, number, rare, frequent, found);
  }
  return found;
}

// Words of one document, for all queries of a batch.
template <class Id>
struct BatchWords {
  const std::uint8_t* frequent;  // one block width apart
  const Id* rare;
  int frequent_count, rare_count;
};

template <class Id>
FUZZBOW_INLINE Shorts batch_sums(const BatchWords<Id>& words, const std::uint8_t* frequent_levels,
                                 const std::uint8_t* levels) {
  Shorts sums;
  for (int j = 0; j < words.frequent_count; ++j) sums.add(frequent_levels + kBatch * words.frequent[j * kBlock]);
  for (int j = 0; j < words.rare_count; ++j) sums.add(levels + kBatch * static_cast<std::size_t>(words.rare[j]));
  return sums;
}

constexpr int kBatchPage = (static_cast<int>(kFrequentWords) + 1) * kBatch;

// Adds the further pages of one document.
FUZZBOW_INLINE void add_pages(const std::uint8_t* words, const std::int32_t* rows, const std::uint8_t* levels,
                              Shorts& sums) {
  for (int page = 1; page < kPages; ++page, ++rows)
    for (int j = 0; j < *rows; ++j, words += kBlock) sums.add(levels + page * kBatchPage + kBatch * *words);
}

constexpr int kBatchParts = kBatch / Lanes::kWidth;

// numerators += sums * units
FUZZBOW_INLINE void add_sums(const Shorts& sums, const typename Lanes::Type* units, typename Lanes::Type* numerators) {
  FUZZBOW_UNROLL
  for (int part = 0; part < kBatchParts; ++part)
    numerators[part] = Lanes::multiply_add(sums.part(part), units[part], numerators[part]);
}

constexpr int kShortSum = 256;  // number of levels whose sum fits 16 bits

// As batch_sums and add_sums, for a document of any length.
template <class Id>
void add_long_sums(BatchWords<Id> words, const std::uint8_t* frequent_levels, const std::uint8_t* levels,
                   const typename Lanes::Type* units, typename Lanes::Type* numerators) {
  while (words.frequent_count + words.rare_count > 0) {
    BatchWords<Id> piece = words;
    piece.frequent_count = words.frequent_count < kShortSum ? words.frequent_count : kShortSum;
    const int room = kShortSum - piece.frequent_count;
    piece.rare_count = words.rare_count < room ? words.rare_count : room;
    add_sums(batch_sums(piece, frequent_levels, levels), units, numerators);
    words = {words.frequent + piece.frequent_count * kBlock, words.rare + piece.rare_count,
             words.frequent_count - piece.frequent_count, words.rare_count - piece.rare_count};
  }
}

template <class Id>
void add_long_pages(const std::uint8_t* words, const std::int32_t* rows, const std::uint8_t* levels,
                    const typename Lanes::Type* units, typename Lanes::Type* numerators) {
  for (int page = 1; page < kPages; ++page, ++rows) {
    add_long_sums<Id>({words, nullptr, *rows, 0}, levels + page * kBatchPage, nullptr, units, numerators);
    words += static_cast<std::int64_t>(*rows) * kBlock;
  }
}

template <class Id>
void scan_batch(const BatchScanJob& job) {
  const ScanDocuments documents = job.documents;
  const std::uint8_t* const levels = job.levels;
  const std::uint8_t* const frequent_levels = job.frequent_levels;
  typename Lanes::Type units[kBatchParts], bases[kBatchParts], slopes[kBatchParts], intercepts[kBatchParts];
  for (int part = 0; part < kBatchParts; ++part) {
    units[part] = Lanes::load(job.units + part * Lanes::kWidth);
    bases[part] = Lanes::load(job.bases + part * Lanes::kWidth);
    slopes[part] = Lanes::load(job.slopes + part * Lanes::kWidth);
    intercepts[part] = Lanes::load(job.intercepts + part * Lanes::kWidth);
  }
  for (std::int64_t number = documents.begin; number < documents.end; ++number) {
    const Block block = documents.blocks[number];
    const bool fits = block.longest <= kShortSum;
    const std::int32_t* rows = block.pages >= 0 ? documents.page_rows + block.pages : nullptr;
    const std::int64_t further = static_cast<std::int64_t>(block.frequent_count) * kBlock;
    BatchWords<Id> words = {documents.frequent + block.frequent, static_cast<const Id*>(documents.rare) + block.rare,
                            block.frequent_count, block.rare_count};
    const float* sizes = documents.sizes + number * kBlock;
    for (int slot = 0; slot < block.documents; ++slot, ++words.frequent, words.rare += block.rare_count) {
      typename Lanes::Type numerators[kBatchParts];
      FUZZBOW_UNROLL
      for (int part = 0; part < kBatchParts; ++part) numerators[part] = bases[part];
      if (fits) {
        Shorts sums = batch_sums(words, frequent_levels, levels);
        if (rows) add_pages(words.frequent + further, rows, frequent_levels, sums);
        add_sums(sums, units, numerators);
      } else {
        add_long_sums(words, frequent_levels, levels, units, numerators);
        if (rows) add_long_pages<Id>(words.frequent + further, rows, frequent_levels, units, numerators);
      }
      const typename Lanes::Type size = Lanes::spread(sizes[slot]);
      std::uint32_t kept = 0;
      FUZZBOW_UNROLL
      for (int part = 0; part < kBatchParts; ++part)
        kept |= static_cast<std::uint32_t>(
                    Lanes::reaches(numerators[part], Lanes::multiply_add(size, slopes[part], intercepts[part])))
                << (part * Lanes::kWidth);
      if (!kept) continue;
      alignas(64) float values[kBatch];
      FUZZBOW_UNROLL
      for (int part = 0; part < kBatchParts; ++part) Lanes::store(values + part * Lanes::kWidth, numerators[part]);
      for (int query = 0; kept; ++query, kept >>= 1) {
        if (!(kept & 1)) continue;
        const std::int64_t next = query * job.room + job.found[query]++;
        job.survivors[next] = static_cast<std::uint32_t>(number * kBlock + slot);
        job.numerators[next] = values[query];
      }
    }
  }
}
