// Scans of documents in blocks: short and long ones, with and without pages, for one query and for many.
#include <algorithm>
#include <utility>

#include "checks.hpp"

namespace fuzzbow {

namespace {

constexpr int kWords = 5000;

struct BlockShape {
  int documents, frequent, rare;
  int page_rows;  // of every second page; -1: no pages
};

// Among them empty ones, more words than a switch has cases, and more than 16 bits can add up.
constexpr BlockShape kShapes[] = {{64, 0, 0, -1},  {1, 0, 1, -1},    {64, 3, 0, -1},   {63, 7, 4, -1},
                                  {64, 2, 20, -1}, {64, 5, 21, -1},  {17, 300, 2, -1}, {64, 1, 300, -1},
                                  {64, 40, 25, 3}, {33, 260, 7, 270}};

struct Documents {
  std::vector<Block> blocks;
  std::vector<std::uint8_t> frequent;
  std::vector<std::uint16_t> rare_short;
  std::vector<std::uint32_t> rare_wide;
  std::vector<float> sizes;
  std::vector<std::int32_t> page_rows;

  explicit Documents(Source& source) {
    for (const BlockShape& shape : kShapes) add(source, shape);
  }
  ScanDocuments view(bool wide) const {
    const void* rare = wide ? static_cast<const void*>(rare_wide.data()) : rare_short.data();
    return {blocks.data(), 0, count(), frequent.data(), rare, sizes.data(), page_rows.data()};
  }
  // The blocks without pages.
  ScanDocuments unpaged(bool wide) const {
    ScanDocuments some = view(wide);
    while (blocks[some.end - 1].pages >= 0) --some.end;
    return some;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(blocks.size()); }
  std::int64_t room() const { return count() * kBlock; }

 private:
  void add(Source& source, const BlockShape& shape) {
    Block block = {};
    block.frequent = static_cast<std::int64_t>(frequent.size());
    block.rare = static_cast<std::int64_t>(rare_wide.size());
    block.frequent_count = block.rows = shape.frequent;
    block.rare_count = shape.rare;
    block.documents = shape.documents;
    block.pages = shape.page_rows < 0 ? -1 : static_cast<std::int32_t>(page_rows.size());
    for (int page = 1; shape.page_rows >= 0 && page < kPages; ++page) {
      page_rows.push_back(page % 2 ? shape.page_rows : 0);
      block.rows += page_rows.back();
    }
    block.longest = block.rows + shape.rare;
    const auto bytes = source.integers<std::uint8_t>(static_cast<std::size_t>(block.rows) * kBlock, 0, 255);
    frequent.insert(frequent.end(), bytes.begin(), bytes.end());
    for (const auto id : source.integers<std::uint16_t>(static_cast<std::size_t>(shape.rare) * kBlock, 0, kWords - 1)) {
      rare_short.push_back(id);
      rare_wide.push_back(id);
    }
    const std::vector<float> some = source.numbers(kBlock, 0, 4);
    sizes.insert(sizes.end(), some.begin(), some.end());
    block.smallest_size = block.largest_size = some[0];
    for (int i = 0; i < shape.documents; ++i) {
      block.smallest_size = std::fmin(block.smallest_size, some[i]);
      block.largest_size = std::fmax(block.largest_size, some[i]);
    }
    blocks.push_back(block);
  }
};

// Levels of paged words; byte 255 fills gaps and counts for nothing.
std::vector<std::uint8_t> paged_levels(Source& source, int queries, int lowest) {
  auto levels = source.integers<std::uint8_t>(static_cast<std::size_t>(kPages) * 256 * queries, lowest, 255);
  for (int page = 0; page < kPages; ++page)
    std::memset(levels.data() + (static_cast<std::size_t>(page) * 256 + 255) * queries, 0, queries);
  return levels;
}

struct Found {
  std::vector<std::uint32_t> survivors;
  std::vector<float> numerators;
};

// Levels from 0 on, and the highest only: sums of 16 bits must not overflow.
constexpr int kLowestLevels[] = {0, 255};

constexpr float kBase = 0.5f;
// Everybody passes, empty documents because they are on the line; some do, on a rising and on a falling line; few do;
// nobody does.
constexpr std::pair<float, float> kLines[] = {
    {kBase, 0.0f}, {100.0f, 32.0f}, {400.0f, -64.0f}, {900.0f, 0.0f}, {3e38f, 0.0f}};

// Runs one kernel of a job: how many survive is what it returns.
template <class Run>
Found survivors(const ScanDocuments& documents, const std::uint8_t* levels, const std::uint8_t* frequent_levels,
                std::pair<float, float> line, const Run& run) {
  Found found = {std::vector<std::uint32_t>(documents.end * kBlock), std::vector<float>(documents.end * kBlock)};
  const ScanJob job = {documents,
                       levels,
                       frequent_levels,
                       kBase,
                       0.25f,
                       0.125f,
                       line.first,
                       line.second,
                       found.survivors.data(),
                       found.numerators.data()};
  const std::int64_t count = run(job);
  found.survivors.resize(count);
  found.numerators.resize(count);
  return found;
}

void scan_levels(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks, int lowest) {
  const Documents documents(source);
  const auto levels = source.integers<std::uint8_t>(kWords, lowest, 255);
  const auto frequent_levels = paged_levels(source, 1, lowest);
  const auto sums = source.integers<std::int32_t>(documents.room(), 0, 9000);
  const auto compare = [&](const Found& expected, const Found& got) {
    checks.equal(expected.survivors, got.survivors);
    checks.equal(expected.numerators, got.numerators);
  };
  for (bool wide : {false, true})
    for (const auto& line : kLines) {
      // Units are powers of two, so only the line may be rounded: with even sizes it is not.
      if (source.kind() == Numbers::kRough && line.second != 0.0f) continue;
      const auto run = [&](const ScanDocuments& some, const auto& kernel) {
        return survivors(some, levels.data(), frequent_levels.data(), line, kernel);
      };
      const auto scan = [&](const Kernels& set) {
        return [&set, wide](const ScanJob& job) { return (wide ? set.scan_wide : set.scan_short)(job); };
      };
      const ScanDocuments all = documents.view(wide), unpaged = documents.unpaged(wide);
      compare(run(all, scan(portable)), run(all, scan(kernels)));
      // One document after another comes to the same.
      compare(run(unpaged, scan(portable)), run(unpaged, [&](const ScanJob& job) {
                std::int64_t count = 0;
                for (std::int64_t i = 0; i < unpaged.end * kBlock; ++i)
                  if (i % kBlock < unpaged.blocks[i / kBlock].documents)
                    job.survivors[count++] = static_cast<std::uint32_t>(i);
                return (wide ? kernels.keep_wide : kernels.keep_short)(job, count);
              }));
      const auto sum = [&](const Kernels& set) {
        return [&](const ScanJob& job) { return set.scan_sums(job, {sums.data(), 0, 1.0f, 0.125f, 0.5f}); };
      };
      compare(run(unpaged, sum(portable)), run(unpaged, sum(kernels)));
    }
}

void scan_batch_levels(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks, int lowest) {
  const Documents documents(source);
  const auto levels = source.integers<std::uint8_t>(static_cast<std::size_t>(kWords) * kBatch, lowest, 255);
  const auto frequent_levels = paged_levels(source, kBatch, lowest);
  const std::vector<float> bases = source.numbers(kBatch, 0, 1), units = source.numbers(kBatch, 0, 1);
  for (bool wide : {false, true})
    for (bool all : {true, false}) {  // everybody passes, empty documents because they are on the line; some do
      if (source.kind() == Numbers::kRough && !all) continue;  // near the line instruction sets may differ
      std::vector<float> intercepts(bases), slopes(kBatch);
      if (!all) {
        intercepts.assign(kBatch, 200.0f);
        slopes = source.numbers(kBatch, -8, 8);
      }
      intercepts[kBatch - 1] = 3e38f;  // no query
      const auto scan = [&](const Kernels& set) {
        std::vector<std::uint32_t> survivors(documents.room() * kBatch);
        std::vector<float> numerators(documents.room() * kBatch);
        std::int64_t found[kBatch] = {};
        const BatchScanJob job = {documents.view(wide),
                                  levels.data(),
                                  frequent_levels.data(),
                                  bases.data(),
                                  units.data(),
                                  intercepts.data(),
                                  slopes.data(),
                                  survivors.data(),
                                  numerators.data(),
                                  documents.room(),
                                  found};
        (wide ? set.scan_batch_wide : set.scan_batch_short)(job);
        Found together;
        for (int i = 0; i < kBatch; ++i) {
          const std::int64_t first = i * documents.room(), last = first + found[i];
          together.survivors.insert(together.survivors.end(), survivors.begin() + first, survivors.begin() + last);
          together.numerators.insert(together.numerators.end(), numerators.begin() + first, numerators.begin() + last);
        }
        return together;
      };
      const Found expected = scan(portable), got = scan(kernels);
      checks.equal(expected.survivors, got.survivors);
      checks.agree(source.kind(), expected.numerators, got.numerators, 0.5);  // of up to 550,000
    }
}

}  // namespace

void test_scan(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int lowest : kLowestLevels) scan_levels(portable, kernels, source, checks, lowest);
}

void test_scan_batch(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int lowest : kLowestLevels) scan_batch_levels(portable, kernels, source, checks, lowest);
}

}  // namespace fuzzbow
