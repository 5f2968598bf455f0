#include "search/segment.hpp"

#include <algorithm>
#include <numeric>

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 8192;  // documents scanned between two looks at the threshold

}  // namespace

Segment::Segment(const DocumentBatch& batch) {
  const std::size_t count = batch.documents.size();
  std::vector<std::uint32_t> rarest(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::int64_t j = batch.offsets[i]; j < batch.offsets[i + 1]; ++j)
      rarest[i] = std::max(rarest[i], batch.words[j]);
  for (std::uint32_t word : rarest) wide_ = wide_ || word > 0xFFFF;
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  // Neighbours then share their rare words, whose table cells stay in the cache.
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::int64_t left = batch.offsets[a + 1] - batch.offsets[a], right = batch.offsets[b + 1] - batch.offsets[b];
    return left != right ? left < right : rarest[a] < rarest[b];
  });
  lay_out(batch, order);
  cut_chunks();
}

void Segment::lay_out(const DocumentBatch& batch, const std::vector<std::uint32_t>& order) {
  const std::size_t total = batch.words.size();
  if (wide_)
    wide_ids_.resize(total);
  else
    short_ids_.resize(total);
  self_.resize(batch.self.size());
  counts_.resize(batch.counts.size());
  sizes_.resize(order.size());
  documents_.resize(order.size());
  std::int64_t word = 0;
  for (std::size_t position = 0; position < order.size(); ++position) {
    const std::uint32_t source = order[position];
    const std::int64_t start = batch.offsets[source], length = batch.offsets[source + 1] - start;
    if (groups_.empty() || groups_.back().length != length)
      groups_.push_back({length, static_cast<std::int64_t>(position), 0, word});
    ++groups_.back().count;
    documents_[position] = batch.documents[source];
    sizes_[position] = batch.sizes[source];
    for (std::int64_t j = 0; j < length; ++j, ++word) {
      if (wide_)
        wide_ids_[word] = batch.words[start + j];
      else
        short_ids_[word] = static_cast<std::uint16_t>(batch.words[start + j]);
      if (!batch.self.empty()) self_[word] = batch.self[start + j];
      if (!batch.counts.empty()) counts_[word] = batch.counts[start + j];
    }
  }
}

void Segment::cut_chunks() {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::int64_t begin = 0; begin < groups_[g].count; begin += kChunk) {
      const std::int64_t end = std::min(groups_[g].count, begin + kChunk);
      const float* sizes = sizes_.data() + groups_[g].first;
      const auto range = std::minmax_element(sizes + begin, sizes + end);
      chunks_.push_back({static_cast<int>(g), begin, end, *range.first, *range.second});
    }
}

const void* Segment::ids(const Group& group) const {
  if (wide_) return wide_ids_.data() + group.first_word;
  return short_ids_.data() + group.first_word;
}

Segment::Words Segment::words(const Group& group, std::int64_t number, std::vector<std::uint32_t>& scratch) const {
  const std::int64_t start = group.first_word + number * group.length;
  const float* self = self_.size() ? self_.data() + start : nullptr;
  const float* counts = counts_.size() ? counts_.data() + start : nullptr;
  if (wide_) return {wide_ids_.data() + start, group.length, self, counts};
  scratch.assign(short_ids_.data() + start, short_ids_.data() + start + group.length);
  return {scratch.data(), group.length, self, counts};
}

void Segment::unload(DocumentBatch& batch) const {
  std::vector<std::uint32_t> scratch;
  for (const Group& group : groups_)
    for (std::int64_t number = 0; number < group.count; ++number) {
      const Words found = words(group, number, scratch);
      batch.documents.push_back(documents_[group.first + number]);
      batch.sizes.push_back(sizes_[group.first + number]);
      batch.words.insert(batch.words.end(), found.local, found.local + found.length);
      if (found.self) batch.self.insert(batch.self.end(), found.self, found.self + found.length);
      if (found.counts) batch.counts.insert(batch.counts.end(), found.counts, found.counts + found.length);
      batch.offsets.push_back(static_cast<std::int64_t>(batch.words.size()));
    }
}

std::size_t Segment::bytes() const {
  return short_ids_.bytes() + wide_ids_.bytes() + self_.bytes() + counts_.bytes() + sizes_.bytes() +
         documents_.capacity() * 4 + groups_.capacity() * sizeof(Group) + chunks_.capacity() * sizeof(Chunk);
}

}  // namespace fuzzbow
