#include "search/segment.hpp"

#include <algorithm>
#include <tuple>

#include "simd/compiler.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 128;  // blocks
constexpr std::size_t kAhead = 8;     // documents between a prefetch and its use

constexpr std::int32_t kLong = 64;  // least words of a document with pages: others leave them almost empty
// Codes of the order of a text with pages: the page of a word + 1, or one of these.
constexpr unsigned kRareCode = 0, kEndCode = 15;
static_assert(kPages < kEndCode, "a code is half a byte");

std::int64_t order_bytes(const Block& block) {
  return block.pages >= 0 ? (block.longest + 1) / 2 : (block.longest + 7) / 8;
}

// Prefetches what the next documents need: they are in no order in memory.
void prefetch(const DocumentBatch& batch, const std::vector<std::uint32_t>& order, std::size_t next) {
  if (next + 2 * kAhead >= order.size()) return;
  FUZZBOW_PREFETCH(batch.offsets.data() + order[next + 2 * kAhead]);
  const std::int64_t start = batch.offsets[order[next + kAhead]];
  FUZZBOW_PREFETCH(batch.words.data() + start);
  if (!batch.self.empty()) FUZZBOW_PREFETCH(batch.self.data() + start);
}

}  // namespace

void DocumentBatch::add(const DocumentBatch& other) {
  const auto append = [](auto& all, const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
  const std::int64_t before = offsets.back();
  for (std::size_t i = 1; i < other.offsets.size(); ++i) offsets.push_back(before + other.offsets[i]);
  append(documents, other.documents);
  append(words, other.words);
  append(self, other.self);
  append(counts, other.counts);
  append(sizes, other.sizes);
}

struct Segment::Shape {
  std::int32_t rare = 0, frequent = 0, words = 0;
  std::uint32_t rarest = 0;
  bool paged = false;  // rare words are then those after all pages
  bool wide() const { return rarest > 0xFFFF; }
  bool empty() const { return words == 0; }
  // Empty documents need no scan, and have blocks of their own.
  bool same_group(const Shape& other) const {
    return rare == other.rare && empty() == other.empty() && paged == other.paged && wide() == other.wide();
  }
};

// Sorts by counts of words. Neighbours then share their rarest words, whose table cells stay in the cache.
std::vector<std::uint32_t> Segment::sorted(const std::vector<Shape>& shapes, Execution& execution) {
  struct Key {
    std::uint64_t counts, rarest_and_index;
    bool operator<(const Key& other) const {
      return counts != other.counts ? counts < other.counts : rarest_and_index < other.rarest_and_index;
    }
  };
  std::vector<Key> keys(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i)
    keys[i] = {static_cast<std::uint64_t>(shapes[i].paged) << 63 | static_cast<std::uint64_t>(shapes[i].wide()) << 62 |
                   static_cast<std::uint64_t>(shapes[i].rare) << 32 | static_cast<std::uint32_t>(shapes[i].frequent),
               static_cast<std::uint64_t>(shapes[i].rarest) << 32 | i};
  sort_in_parts(keys, execution);
  std::vector<std::uint32_t> order(shapes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(keys[i].rarest_and_index);
  return order;
}

Segment::Segment(const DocumentBatch& batch, std::int64_t words, Execution& execution)
    : size_(static_cast<std::int64_t>(batch.documents.size())) {
  const bool paged = kernels().pages;
  std::vector<Shape> shapes(batch.documents.size());
  execution.for_chunks(size_, 1 << 14, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      shapes[i].words = static_cast<std::int32_t>(batch.offsets[i + 1] - batch.offsets[i]);
      shapes[i].paged = paged && shapes[i].words >= kLong;
      const std::uint32_t first_rare = shapes[i].paged ? kPagedWords : kFrequentWords;
      for (std::int64_t j = batch.offsets[i]; j < batch.offsets[i + 1]; ++j) {
        shapes[i].frequent += batch.words[j] < kFrequentWords;
        shapes[i].rare += batch.words[j] >= first_rare;
        shapes[i].rarest = std::max(shapes[i].rarest, batch.words[j]);
      }
    }
  });
  const std::vector<std::uint32_t> order = sorted(shapes, execution);
  const std::vector<std::size_t> firsts = cut_blocks(batch, shapes, order);
  count_pages(batch, order, firsts, execution);
  assign_offsets(batch);
  lay_out(batch, order, firsts, execution);
  cut_chunks();
  if (words > 0) list_words(words, execution);
}

std::vector<std::size_t> Segment::cut_blocks(const DocumentBatch& batch, const std::vector<Shape>& shapes,
                                             const std::vector<std::uint32_t>& order) {
  std::vector<std::size_t> firsts;
  for (std::size_t start = 0; start < order.size(); start += blocks_.back().documents) {
    std::size_t stop = start + 1;
    while (stop < order.size() && stop < start + kBlock && shapes[order[stop]].same_group(shapes[order[start]])) ++stop;
    Block block = {0, 0, 0, 0, 0, 0, static_cast<std::int32_t>(stop - start), 0, 0, -1, false, 3e38f, 0.0f};
    block.rare_count = shapes[order[start]].rare;
    block.wide = shapes[order[start]].wide();
    block.frequent_count = shapes[order[stop - 1]].frequent;  // the largest, as they ascend
    if (shapes[order[start]].paged) {
      block.pages = static_cast<std::int32_t>(page_rows_.size());
      page_rows_.resize(page_rows_.size() + kPages - 1, 0);
    }
    for (std::size_t i = start; i < stop; ++i) {
      block.longest = std::max(block.longest, shapes[order[i]].words);
      block.smallest_size = std::min(block.smallest_size, batch.sizes[order[i]]);
      block.largest_size = std::max(block.largest_size, batch.sizes[order[i]]);
    }
    blocks_.push_back(block);
    firsts.push_back(start);
  }
  return firsts;
}

// A page of a block has as many rows as its document with the most words of that page needs.
void Segment::count_pages(const DocumentBatch& batch, const std::vector<std::uint32_t>& order,
                          const std::vector<std::size_t>& firsts, Execution& execution) {
  if (page_rows_.empty()) return;
  execution.for_chunks(static_cast<std::int64_t>(blocks_.size()), 256, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      if (blocks_[b].pages < 0) continue;
      std::int32_t* rows = page_rows_.data() + blocks_[b].pages;
      for (int slot = 0; slot < blocks_[b].documents; ++slot) {
        prefetch(batch, order, firsts[b] + slot);
        const std::uint32_t source = order[firsts[b] + slot];
        std::int32_t counts[kPages] = {};
        for (std::int64_t j = batch.offsets[source]; j < batch.offsets[source + 1]; ++j)
          if (batch.words[j] < kPagedWords) ++counts[batch.words[j] / kFrequentWords];
        for (int page = 1; page < kPages; ++page) rows[page - 1] = std::max(rows[page - 1], counts[page]);
      }
    }
  });
}

void Segment::assign_offsets(const DocumentBatch& batch) {
  std::int64_t frequent = 0, short_rare = 0, wide_rare = 0, words = 0, codes = 0;
  for (Block& block : blocks_) {
    std::int64_t& rare = block.wide ? wide_rare : short_rare;
    block.frequent = frequent, block.rare = rare, block.words = words, block.order = codes;
    block.rows = block.frequent_count;
    for (int page = 1; block.pages >= 0 && page < kPages; ++page) block.rows += page_rows_[block.pages + page - 1];
    frequent += static_cast<std::int64_t>(kBlock) * block.rows;
    rare += static_cast<std::int64_t>(kBlock) * block.rare_count;
    words += static_cast<std::int64_t>(block.documents) * block.longest;
    codes += block.documents * order_bytes(block);
  }
  frequent_.resize(frequent);
  std::fill_n(frequent_.data(), frequent, static_cast<std::uint8_t>(kFrequentWords));
  wide_ids_.resize(wide_rare);
  short_ids_.resize(short_rare);
  order_.resize(codes);
  if (!batch.self.empty()) self_.resize(words);
  if (!batch.counts.empty()) counts_.resize(words);
  sizes_.resize(blocks_.size() * kBlock);
  documents_.assign(blocks_.size() * kBlock, kNoDocument);
}

void Segment::lay_out(const DocumentBatch& batch, const std::vector<std::uint32_t>& order,
                      const std::vector<std::size_t>& firsts, Execution& execution) {
  execution.for_chunks(static_cast<std::int64_t>(blocks_.size()), 256, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      for (int slot = 0; slot < blocks_[b].documents; ++slot) {
        const std::size_t next = firsts[b] + slot;
        prefetch(batch, order, next);
        lay_out(batch, order[next], b * kBlock + slot);
      }
  });
}

void Segment::lay_out(const DocumentBatch& batch, std::uint32_t source, std::int64_t position) {
  const Block& block = blocks_[position / kBlock];
  const std::int64_t slot = position % kBlock;
  documents_[position] = batch.documents[source];
  sizes_[position] = batch.sizes[source];
  std::uint8_t* pages[kPages];
  start_pages(block, slot, frequent_.data(), pages);
  const std::uint32_t bytes = block.pages >= 0 ? kPagedWords : kFrequentWords;  // words that are stored as bytes
  std::int64_t rare = block.rare + slot * block.rare_count;
  std::uint8_t* codes = order_.data() + block.order + slot * order_bytes(block);
  const std::int64_t words = block.words + slot * block.longest;
  const std::int64_t start = batch.offsets[source], length = batch.offsets[source + 1] - start;
  for (std::int64_t j = 0; j < length; ++j) {
    const std::uint32_t word = batch.words[start + j];
    if (word < bytes) {
      const std::uint32_t page = word / kFrequentWords;
      *pages[page] = static_cast<std::uint8_t>(word % kFrequentWords);
      pages[page] += kBlock;
      if (block.pages >= 0)
        codes[j / 2] |= static_cast<std::uint8_t>((page + 1) << (j % 2 * 4));
      else
        codes[j / 8] |= static_cast<std::uint8_t>(1u << (j % 8));
    } else if (block.wide) {
      wide_ids_[rare++] = word;
    } else {
      short_ids_[rare++] = static_cast<std::uint16_t>(word);
    }
    if (!batch.self.empty()) self_[words + j] = batch.self[start + j];
    if (!batch.counts.empty()) counts_[words + j] = batch.counts[start + j];
  }
  if (block.pages < 0) return;
  for (std::int64_t j = length; j < 2 * order_bytes(block); ++j)
    codes[j / 2] |= static_cast<std::uint8_t>(kEndCode << (j % 2 * 4));
}

// Consecutive chunks form one part while they fit.
void Segment::list_words(std::int64_t words, Execution& execution) {
  std::int64_t documents = 0, occurrences = 0;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const Chunk& chunk = chunks_[i];
    if (chunk.length == 0 || blocks_[chunk.begin].pages >= 0) continue;
    const bool follows = !parts_.empty() && parts_.back().end == i &&
                         chunk.end - chunks_[parts_.back().begin].begin <= SegmentPostings::kMostBlocks;
    if (!follows) parts_.push_back({i, i});
    parts_.back().end = i + 1;
    documents += (chunk.end - chunk.begin) * kBlock;
    occurrences += (chunk.end - chunk.begin) * kBlock * chunk.length;
  }
  const std::int64_t parts = static_cast<std::int64_t>(parts_.size());
  if (!SegmentPostings::worth(words, parts, occurrences)) return parts_.clear();
  const auto words_of = [this](std::int64_t part, const auto& visit) { each_word(parts_[part], visit); };
  postings_ = SegmentPostings(parts, documents, words, words_of, execution);
}

template <class Visit>
void Segment::each_word(const Part& part, const Visit& visit) const {
  const std::int64_t first = chunks_[part.begin].begin;
  for (std::int64_t b = first; b < chunks_[part.end - 1].end; ++b) {
    const Block& block = blocks_[b];
    for (int slot = 0; slot < block.documents; ++slot) {
      const std::int64_t position = (b - first) * kBlock + slot;
      for (int j = 0; j < block.frequent_count; ++j) {
        const std::uint8_t word = frequent_[block.frequent + j * kBlock + slot];
        if (word != kFrequentWords) visit(word, position);
      }
      const std::int64_t rare = block.rare + static_cast<std::int64_t>(slot) * block.rare_count;
      for (int j = 0; j < block.rare_count; ++j) visit(rare_word(block, rare + j), position);
    }
  }
}

template <class Byte>
void Segment::start_pages(const Block& block, std::int64_t slot, Byte* bytes, Byte** pages) const {
  pages[0] = bytes + block.frequent + slot;
  if (block.pages < 0) return;
  const std::int32_t* rows = page_rows_.data() + block.pages;
  std::int64_t before = block.frequent_count;
  for (int page = 1; page < kPages; before += rows[page - 1], ++page) pages[page] = pages[0] + before * kBlock;
}

void Segment::cut_chunks() {
  const auto group = [&](std::int64_t b) {
    return std::tuple(blocks_[b].rare_count, blocks_[b].longest == 0, blocks_[b].pages < 0, blocks_[b].wide);
  };
  const std::int64_t count = static_cast<std::int64_t>(blocks_.size());
  for (std::int64_t begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count && end < begin + kChunk && group(end) == group(begin);) ++end;
    Chunk chunk = {begin, end, 0, blocks_[begin].wide, 3e38f, 0.0f};
    for (std::int64_t b = begin; b < end; ++b) {
      chunk.length = std::max<std::int64_t>(chunk.length, blocks_[b].longest);
      chunk.smallest_size = std::min(chunk.smallest_size, blocks_[b].smallest_size);
      chunk.largest_size = std::max(chunk.largest_size, blocks_[b].largest_size);
    }
    chunks_.push_back(chunk);
  }
}

ScanDocuments Segment::scan_documents(const Chunk& chunk) const {
  const void* rare = chunk.wide ? static_cast<const void*>(wide_ids_.data()) : short_ids_.data();
  return {blocks_.data(), chunk.begin, chunk.end, frequent_.data(), rare, sizes_.data(), page_rows_.data()};
}

void Segment::read_bits(const Block& block, std::int64_t slot, std::vector<std::uint32_t>& words) const {
  const std::uint8_t* frequent = frequent_.data() + block.frequent + slot;
  std::int64_t frequent_left = 0;
  while (frequent_left < block.frequent_count && frequent[frequent_left * kBlock] != kFrequentWords) ++frequent_left;
  std::int64_t rare = block.rare + slot * block.rare_count;
  const std::uint8_t* bits = order_.data() + block.order + slot * order_bytes(block);
  words.resize(frequent_left + block.rare_count);
  if (frequent_left == 0 || block.rare_count == 0) {
    for (std::size_t j = 0; j < words.size(); ++j)
      words[j] = frequent_left > 0 ? frequent[j * kBlock] : rare_word(block, rare + j);
    return;
  }
  // Both kinds are read, also after the last one, where buffers have room: which comes next is unpredictable.
  const auto read = [&](const auto* rares) {
    for (std::size_t j = 0; j < words.size(); ++j) {
      const std::uint32_t is_frequent = bits[j / 8] >> (j % 8) & 1, mask = 0 - is_frequent;
      words[j] = (*frequent & mask) | (*rares & ~mask);
      frequent += is_frequent * kBlock;
      rares += 1 - is_frequent;
    }
  };
  if (block.wide)
    read(wide_ids_.data() + rare);
  else
    read(short_ids_.data() + rare);
}

void Segment::read_pages(const Block& block, std::int64_t slot, std::vector<std::uint32_t>& words) const {
  const std::uint8_t* pages[kPages];
  start_pages(block, slot, frequent_.data(), pages);
  std::int64_t rare = block.rare + slot * block.rare_count;
  const std::uint8_t* codes = order_.data() + block.order + slot * order_bytes(block);
  words.resize(block.longest);
  std::int64_t j = 0;
  for (; j < block.longest; ++j) {
    const unsigned code = codes[j / 2] >> (j % 2 * 4) & 15;
    if (code == kEndCode) break;
    if (code == kRareCode) {
      words[j] = rare_word(block, rare++);
    } else {
      words[j] = (code - 1) * kFrequentWords + *pages[code - 1];
      pages[code - 1] += kBlock;
    }
  }
  words.resize(j);
}

Segment::Words Segment::words(std::int64_t position, std::vector<std::uint32_t>& scratch) const {
  const Block& block = blocks_[position / kBlock];
  const std::int64_t slot = position % kBlock;
  if (block.pages >= 0)
    read_pages(block, slot, scratch);
  else
    read_bits(block, slot, scratch);
  const std::int64_t words = block.words + slot * block.longest;
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
  return postings_.bytes() + frequent_.bytes() + short_ids_.bytes() + wide_ids_.bytes() + order_.bytes() +
         self_.bytes() + counts_.bytes() + sizes_.bytes() + documents_.capacity() * 4 + page_rows_.capacity() * 4 +
         blocks_.capacity() * sizeof(Block) + chunks_.capacity() * sizeof(Chunk);
}

}  // namespace fuzzbow
