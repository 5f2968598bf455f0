#include "search/segment.hpp"

#include <algorithm>
#include <utility>

#include "rules.hpp"
#include "simd/compiler.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 128;  // blocks
constexpr std::size_t kAhead = 8;     // documents

std::int64_t order_bytes(const Block& block) { return (block.frequent_count + block.rare_count + 7) / 8; }

// Documents lie in no order in memory: asks the cache for what the next ones need.
void expect(const DocumentBatch& batch, const std::vector<std::uint32_t>& order, std::size_t next) {
  if (next + 2 * kAhead >= order.size()) return;
  FUZZBOW_PREFETCH(batch.offsets.data() + order[next + 2 * kAhead]);
  const std::int64_t start = batch.offsets[order[next + kAhead]];
  FUZZBOW_PREFETCH(batch.words.data() + start);
  if (!batch.self.empty()) FUZZBOW_PREFETCH(batch.self.data() + start);
}

}  // namespace

struct Segment::Shape {
  std::int32_t rare = 0, frequent = 0;
  std::uint32_t rarest = 0;
  bool empty() const { return rare == 0 && frequent == 0; }
  // Empty documents, which need no scan, share no block with others.
  bool same_group(const Shape& other) const { return rare == other.rare && empty() == other.empty(); }
};

// By counts of words; neighbours then share their rarest words, whose table cells stay in the cache.
std::vector<std::uint32_t> Segment::sorted(const std::vector<Shape>& shapes, Execution& execution) {
  struct Key {
    std::uint64_t counts, rarest_and_place;
    bool operator<(const Key& other) const {
      return counts != other.counts ? counts < other.counts : rarest_and_place < other.rarest_and_place;
    }
  };
  std::vector<Key> keys(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    keys[i] = {static_cast<std::uint64_t>(shapes[i].rare) << 32 | static_cast<std::uint32_t>(shapes[i].frequent),
               static_cast<std::uint64_t>(shapes[i].rarest) << 32 | i};
  sort_in_parts(keys, execution);
  std::vector<std::uint32_t> order(shapes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(keys[i].rarest_and_place);
  return order;
}

Segment::Segment(const DocumentBatch& batch, Execution& execution)
    : size_(static_cast<std::int64_t>(batch.documents.size())) {
  std::vector<Shape> shapes(batch.documents.size());
  execution.for_chunks(size_, 1 << 14, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (std::int64_t j = batch.offsets[i]; j < batch.offsets[i + 1]; ++j) {
        ++(batch.words[j] < kFrequentWords ? shapes[i].frequent : shapes[i].rare);
        shapes[i].rarest = std::max(shapes[i].rarest, batch.words[j]);
      }
  });
  for (const Shape& shape : shapes) wide_ = wide_ || shape.rarest > 0xFFFF;
  const std::vector<std::uint32_t> order = sorted(shapes, execution);
  cut_blocks(batch, shapes, order);
  lay_out(batch, order, execution);
  cut_chunks();
}

void Segment::cut_blocks(const DocumentBatch& batch, const std::vector<Shape>& shapes,
                         const std::vector<std::uint32_t>& order) {
  std::int64_t frequent = 0, rare = 0, words = 0, bits = 0;
  for (std::size_t start = 0; start < order.size(); start += blocks_.back().documents) {
    std::size_t stop = start + 1;
    while (stop < order.size() && stop < start + kBlock && shapes[order[stop]].same_group(shapes[order[start]])) ++stop;
    Block block = {frequent, rare, words, bits, 0, 0, static_cast<std::int32_t>(stop - start), 3e38f, 0.0f};
    block.rare_count = shapes[order[start]].rare;
    block.frequent_count = shapes[order[stop - 1]].frequent;  // the most of them: they ascend
    for (std::size_t i = start; i < stop; ++i) {
      block.smallest_size = std::min(block.smallest_size, batch.sizes[order[i]]);
      block.largest_size = std::max(block.largest_size, batch.sizes[order[i]]);
    }
    blocks_.push_back(block);
    frequent += kBlock * block.frequent_count;
    rare += kBlock * block.rare_count;
    words += static_cast<std::int64_t>(block.documents) * (block.frequent_count + block.rare_count);
    bits += block.documents * order_bytes(block);
  }
  frequent_.resize(frequent);
  std::fill_n(frequent_.data(), frequent, static_cast<std::uint8_t>(kFrequentWords));
  wide_ ? wide_ids_.resize(rare) : short_ids_.resize(rare);
  order_.resize(bits);
  if (!batch.self.empty()) self_.resize(words);
  if (!batch.counts.empty()) counts_.resize(words);
  sizes_.resize(blocks_.size() * kBlock);
  documents_.assign(blocks_.size() * kBlock, kNobody);
}

void Segment::lay_out(const DocumentBatch& batch, const std::vector<std::uint32_t>& order, Execution& execution) {
  std::vector<std::size_t> first(blocks_.size(), 0);  // where each block begins in the order
  for (std::size_t b = 1; b < blocks_.size(); ++b) first[b] = first[b - 1] + blocks_[b - 1].documents;
  execution.for_chunks(static_cast<std::int64_t>(blocks_.size()), 256, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      for (int place = 0; place < blocks_[b].documents; ++place) {
        const std::size_t next = first[b] + place;
        expect(batch, order, next);
        lay_out(batch, order[next], b * kBlock + place);
      }
  });
}

void Segment::lay_out(const DocumentBatch& batch, std::uint32_t source, std::int64_t position) {
  const Block& block = blocks_[position / kBlock];
  const std::int64_t place = position % kBlock;
  documents_[position] = batch.documents[source];
  sizes_[position] = batch.sizes[source];
  std::uint8_t* frequent = frequent_.data() + block.frequent + place;
  std::int64_t rare = block.rare + place * block.rare_count;
  std::uint8_t* bits = order_.data() + block.order + place * order_bytes(block);
  const std::int64_t words = block.words + place * (block.frequent_count + block.rare_count);
  const std::int64_t start = batch.offsets[source], length = batch.offsets[source + 1] - start;
  for (std::int64_t j = 0; j < length; ++j) {
    const std::uint32_t word = batch.words[start + j];
    if (word < kFrequentWords) {
      *frequent = static_cast<std::uint8_t>(word);
      frequent += kBlock;
      bits[j / 8] |= static_cast<std::uint8_t>(1u << (j % 8));
    } else if (wide_) {
      wide_ids_[rare++] = word;
    } else {
      short_ids_[rare++] = static_cast<std::uint16_t>(word);
    }
    if (!batch.self.empty()) self_[words + j] = batch.self[start + j];
    if (!batch.counts.empty()) counts_[words + j] = batch.counts[start + j];
  }
}

void Segment::cut_chunks() {
  const auto group = [&](std::int64_t b) { return std::pair(blocks_[b].rare_count, blocks_[b].frequent_count == 0); };
  const std::int64_t count = static_cast<std::int64_t>(blocks_.size());
  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && end < begin + kChunk && group(end) == group(begin);) ++end;
    Chunk chunk = {begin, end, blocks_[end - 1].rare_count + blocks_[end - 1].frequent_count, 3e38f, 0.0f};
    for (std::int64_t b = begin; b < end; ++b) {
      chunk.smallest_size = std::min(chunk.smallest_size, blocks_[b].smallest_size);
      chunk.largest_size = std::max(chunk.largest_size, blocks_[b].largest_size);
    }
    chunks_.push_back(chunk);
  }
}

ScanDocuments Segment::scan_documents(const Chunk& chunk) const {
  const void* rare = wide_ ? static_cast<const void*>(wide_ids_.data()) : short_ids_.data();
  return {blocks_.data(), chunk.begin, chunk.end, frequent_.data(), rare, sizes_.data()};
}

Segment::Words Segment::words(std::int64_t position, std::vector<std::uint32_t>& scratch) const {
  const Block& block = blocks_[position / kBlock];
  const std::int64_t place = position % kBlock;
  const std::uint8_t* frequent = frequent_.data() + block.frequent + place;
  std::int64_t frequent_left = 0;
  while (frequent_left < block.frequent_count && frequent[frequent_left * kBlock] != kFrequentWords) ++frequent_left;
  std::int64_t rare = block.rare + place * block.rare_count;
  const std::uint8_t* bits = order_.data() + block.order + place * order_bytes(block);
  scratch.resize(frequent_left + block.rare_count);
  for (std::size_t j = 0; j < scratch.size(); ++j) {
    if (bits[j / 8] >> (j % 8) & 1) {
      scratch[j] = *frequent;
      frequent += kBlock;
    } else {
      scratch[j] = wide_ ? wide_ids_[rare] : short_ids_[rare];
      ++rare;
    }
  }
  const std::int64_t words = block.words + place * (block.frequent_count + block.rare_count);
  return {scratch.data(), static_cast<std::int64_t>(scratch.size()), self_.size() ? self_.data() + words : nullptr,
          counts_.size() ? counts_.data() + words : nullptr};
}

void Segment::unload(DocumentBatch& batch) const {
  std::vector<std::uint32_t> scratch;
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    for (std::int64_t position = b * kBlock; position < static_cast<std::int64_t>(b * kBlock) + blocks_[b].documents;
         ++position) {
      const Words found = words(position, scratch);
      batch.documents.push_back(documents_[position]);
      batch.sizes.push_back(sizes_[position]);
      batch.words.insert(batch.words.end(), found.local, found.local + found.length);
      if (found.self) batch.self.insert(batch.self.end(), found.self, found.self + found.length);
      if (found.counts) batch.counts.insert(batch.counts.end(), found.counts, found.counts + found.length);
      batch.offsets.push_back(static_cast<std::int64_t>(batch.words.size()));
    }
}

std::size_t Segment::bytes() const {
  return frequent_.bytes() + short_ids_.bytes() + wide_ids_.bytes() + order_.bytes() + self_.bytes() + counts_.bytes() +
         sizes_.bytes() + documents_.capacity() * 4 + blocks_.capacity() * sizeof(Block) +
         chunks_.capacity() * sizeof(Chunk);
}

}  // namespace fuzzbow
