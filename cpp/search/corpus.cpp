#include "search/corpus.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

#include "scores/self_memberships.hpp"

namespace fuzzbow {

namespace {

// Number of words drawn to choose the beta of query words: an eighth of all, within these limits.
constexpr std::int64_t kSmallestSample = 128, kLargestSample = 512;

}  // namespace

Corpus::Corpus(const Table& table, const SetSimilarity& similarity, bool counted, std::int64_t postings_from)
    : words_(table),
      similarity_(similarity),
      counted_(counted),
      postings_from_(postings_from),
      plain_self_((table.unit() && !counted) || !similarity.counts_right_words()),
      sample_(table.dimension()) {}

void Corpus::add_words(const Ragged& documents) {
  words_.add(documents);
  largest_self_.resize(words(), 0.0f);
  limits_.resize(panels().panels() * kPanel);
  multipliers_.resize(panels().panels() * kPanel);
  const std::int64_t before = static_cast<std::int64_t>(occurrences_.size());
  least_sizes_.resize(words());
  occurrences_.resize(words(), 0);
  for (std::int64_t word = before; word < words(); ++word) least_sizes_[word] = least_size(table_ids()[word]);
}

void Corpus::append(const Ragged& documents, Execution& execution) {
  static std::atomic<std::uint64_t> stamps{0};
  stamp_ = ++stamps;
  if (documents.size == 0) return;
  DocumentBatch batch;
  if (!plain_self_) {
    batch.self.resize(documents.total());
    self_memberships(table(), documents, execution, batch.self.data());
  }
  add_words(documents);
  batch.offsets.assign(documents.offsets, documents.offsets + documents.size + 1);
  if (counted_) batch.counts.assign(documents.counts, documents.counts + documents.total());
  batch.words.resize(documents.total());
  execution.for_chunks(documents.total(), 1 << 18, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) batch.words[i] = local(documents.ids[i]);
  });
  add_sizes(documents, batch, execution);
  total_words_ += documents.total();
  for (std::uint32_t word : batch.words) ++occurrences_[word];
  raise_limits(batch, execution);
  draw_sample(batch);
  lay_out(batch, execution);
}

// An interrupt leaves the segments unchanged.
void Corpus::lay_out(DocumentBatch& batch, Execution& execution) {
  const std::size_t kept = join_segments(batch);
  const bool listed = can_list() && static_cast<std::int64_t>(batch.documents.size()) >= postings_from_;
  auto segment = std::make_unique<Segment>(batch, listed ? words() : 0, execution);
  segments_.resize(kept);
  segments_.push_back(std::move(segment));
  listed_ = std::any_of(segments_.begin(), segments_.end(), [](const auto& one) { return !one->parts().empty(); });
}

void Corpus::add_sizes(const Ragged& documents, DocumentBatch& batch, Execution& execution) {
  for (std::int64_t text = 0; text < documents.size; ++text) longest_ = std::max(longest_, documents.length(text));
  while (static_cast<std::int64_t>(ones_.size()) < longest_) ones_.push(1.0f);
  batch.sizes.resize(documents.size);
  execution.for_chunks(documents.size, 1 << 14, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<float> weights;
    for (std::int64_t text = begin; text < end; ++text) {
      const std::int64_t start = documents.start(text), length = documents.length(text);
      weights.resize(length);
      for (std::int64_t j = 0; j < length; ++j) weights[j] = table().weight(documents.ids[start + j]);
      const float* self = plain_self_ ? ones_.data() : batch.self.data() + start;
      batch.sizes[text] = static_cast<float>(similarity_.text_size(self, weights.data(), length));
    }
  });
  batch.documents.resize(documents.size);
  std::iota(batch.documents.begin(), batch.documents.end(), static_cast<std::uint32_t>(size()));
  removed_.resize(removed_.size() + documents.size, 0);
}

// Raises the largest self of every word, and the bounds that depend on it. They never fall.
void Corpus::raise_limits(const DocumentBatch& batch, Execution& execution) {
  // Do not test for an empty batch.self: a batch without words has none either.
  if (plain_self_) std::fill(largest_self_.begin(), largest_self_.end(), 1.0f);
  std::mutex mutex;
  const std::int64_t count = static_cast<std::int64_t>(batch.self.size());
  const std::int64_t share = std::max<std::int64_t>(1 << 18, (count + execution.threads() - 1) / execution.threads());
  execution.for_chunks(count, share, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<float> largest(largest_self_.size(), 0.0f);
    for (std::int64_t i = begin; i < end; ++i)
      largest[batch.words[i]] = std::max(largest[batch.words[i]], batch.self[i]);
    std::lock_guard<std::mutex> lock(mutex);
    for (std::size_t word = 0; word < largest.size(); ++word)
      largest_self_[word] = std::max(largest_self_[word], largest[word]);
  });
  const bool squares = similarity_.squares();
  for (std::int64_t word = 0; word < words(); ++word) {
    const float weight = table().weight(table_ids()[word]) * 1.000001f;
    limits_[word] = squares ? 3e38f : largest_self_[word];
    multipliers_[word] = squares ? weight * largest_self_[word] : weight;
    if (!similarity_.counts_right_words()) multipliers_[word] = 0.0f;  // a document's words are no elements
    largest_own_ = std::max(largest_own_, squares ? multipliers_[word] : multipliers_[word] * limits_[word]);
  }
}

// Draws occurrences of words, so frequent words are drawn often. Draws again whenever the corpus has doubled.
void Corpus::draw_sample(const DocumentBatch& batch) {
  if (batch.words.empty() || (sample_.size() > 0 && size() < 2 * sampled_at_)) return;
  sampled_at_ = size();
  sample_.clear();
  const std::int64_t wanted = std::min(kLargestSample, std::max(kSmallestSample, words() / 8));
  std::uint64_t state = 88172645463325252ull;
  for (std::int64_t i = 0; i < wanted; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    sample_.add(table().row(table_ids()[batch.words[(state >> 20) % batch.words.size()]]));
  }
}

void Corpus::remove(const std::int64_t* documents, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) removed_[documents[i]] = 1;
}

// Merges older segments of at most twice the size into the new one: few segments, little copying. Returns the number of
// segments that are kept.
std::size_t Corpus::join_segments(DocumentBatch& batch) const {
  std::int64_t total = static_cast<std::int64_t>(batch.documents.size());
  std::size_t first = segments_.size();
  for (; first > 0 && segments_[first - 1]->size() <= 2 * total; --first) total += segments_[first - 1]->size();
  if (first == segments_.size()) return first;
  DocumentBatch all;
  for (std::size_t i = first; i < segments_.size(); ++i) segments_[i]->unload(all);
  all.add(batch);
  batch = std::move(all);
  return first;
}

// Postings need the contribution of a word to a size from the word alone.
bool Corpus::can_list() const { return similarity_.counts_right_words() && !similarity_.squares() && !counted_; }

// A word's membership in its own text is at least its similarity with itself.
float Corpus::least_size(std::uint32_t table_id) const {
  double self = 1.0;
  if (!table().equal_is_one()) {
    const float* row = table().row(table_id);
    self = std::inner_product(row, row + table().dimension(), row, 0.0);
  }
  return static_cast<float>(table().weight(table_id) * self * (1.0 - 1e-4));
}

std::size_t Corpus::bytes() const {
  std::size_t total =
      words_.bytes() + sample_.bytes() + limits_.bytes() + multipliers_.bytes() + least_sizes_.bytes() + ones_.bytes();
  total += (largest_self_.capacity() + occurrences_.capacity()) * 4 + removed_.capacity();
  for (const auto& segment : segments_) total += segment->bytes();
  return total;
}

}  // namespace fuzzbow
