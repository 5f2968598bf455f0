#include "bm25/corpus.hpp"

#include <algorithm>
#include <cmath>

namespace fuzzbow {

namespace {

// Gains are added as integers, so that a weight does not depend on the order of words.
constexpr double kGainUnits = 1 << 28;

}  // namespace

Bm25Corpus::Bm25Corpus(const Table& table, const Bm25Options& options)
    : options_(options), words_(table), similar_(words_, options) {}

void Bm25Corpus::append(const Ragged& documents, Execution& execution) {
  if (documents.size == 0) return;
  const std::int64_t known = words_.size(), first = size(), start = forward_.offsets.back();
  words_.add(documents);
  if (words_.size() > known) resize_words();
  forward_.words.resize(start + documents.total());
  execution.for_chunks(documents.total(), 1 << 18, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) forward_.words[start + i] = words_.local(documents.ids[i]);
  });
  removed_.resize(first + documents.size, 0);
  for (std::int64_t text = 0; text < documents.size; ++text) {
    forward_.offsets.push_back(start + documents.offsets[text + 1]);
    lengths_.push_back(static_cast<std::uint16_t>(std::min<std::int64_t>(kLongest, documents.length(text))));
    longest_ = std::max<std::int64_t>(longest_, lengths_.back());
    count(first + text, 1);
  }
  for (std::int64_t begin = first, end; begin < size(); begin = end) {
    for (end = size(); end > begin + 1 && !Postings::fits(forward_, begin, end);) end = begin + (end - begin) / 2;
    segments_.push_back(std::make_unique<Postings>(forward_, begin, end, removed_.data(), words_.size()));
  }
  merge_segments();
}

void Bm25Corpus::resize_words() {
  similar_.clear_cache();
  for (auto* counts : {&holders_, &often_}) counts->resize(words_.size(), 0);
  most_often_.resize(words_.size(), 0);
  collection_.holders.resize(words_.size(), 0);
}

void Bm25Corpus::set_collection(const Ragged& words, const std::int64_t* holders, std::int64_t documents,
                                std::int64_t total_words) {
  const std::int64_t known = words_.size();
  words_.add(words);
  if (words_.size() > known) resize_words();
  in_collection_ = true;
  collection_.documents = documents;
  collection_.words = total_words;
  std::fill(collection_.holders.begin(), collection_.holders.end(), 0);
  for (std::int64_t i = 0; i < words.total(); ++i) collection_.holders[words_.local(words.ids[i])] = holders[i];
}

// Adds a document to the statistics (change 1) or removes it (-1).
void Bm25Corpus::count(std::int64_t document, int change) {
  live_ += change;
  live_words_ += change * forward_.length(document);
  for (const std::uint32_t* word = forward_.begin(document); word != forward_.end(document); ++word)
    if (often_[*word]++ == 0) holders_[*word] += change;
  for (const std::uint32_t* word = forward_.begin(document); word != forward_.end(document); ++word) {
    const std::uint32_t often = std::min<std::uint32_t>(often_[*word], 255);
    most_often_[*word] = std::max(most_often_[*word], static_cast<std::uint8_t>(often));
    often_[*word] = 0;
  }
}

void Bm25Corpus::remove(const std::int64_t* documents, std::int64_t number) {
  for (std::int64_t i = 0; i < number; ++i) {
    if (removed_[documents[i]]) continue;
    removed_[documents[i]] = 1;
    count(documents[i], -1);
  }
}

// Merges the new segment into older ones of at most twice its size: few segments, little copying.
void Bm25Corpus::merge_segments() {
  while (segments_.size() > 1) {
    const Postings &older = *segments_[segments_.size() - 2], &newer = *segments_.back();
    if (older.size() > 2 * newer.size() || !Postings::fits(forward_, older.first(), newer.last())) return;
    auto both = std::make_unique<Postings>(forward_, older.first(), newer.last(), removed_.data(), words_.size());
    segments_.pop_back();
    segments_.back() = std::move(both);
  }
}

double Bm25Corpus::word_weight(const SimilarList& similar, float weight) const {
  const std::int64_t documents = in_collection_ ? collection_.documents : live_;
  const double count = static_cast<double>(documents);
  std::int64_t sum = 0;
  for (const Similar& word : similar) {
    const std::int64_t holders = in_collection_ ? collection_.holders[word.local] : holders_[word.local];
    sum += std::llround(word.gain * kGainUnits) * holders;
    if (static_cast<double>(sum) >= count * kGainUnits) break;  // the cap; a larger sum might overflow
  }
  const double frequency = std::min(count, static_cast<double>(sum) / kGainUnits);
  return static_cast<double>(weight) * std::log1p((count - frequency + 0.5) / (frequency + 0.5));
}

std::size_t Bm25Corpus::bytes() const {
  std::size_t total = words_.bytes() + similar_.bytes() + forward_.bytes() + lengths_.capacity() * 2;
  total += removed_.capacity() + most_often_.capacity() + (holders_.capacity() + often_.capacity()) * 4;
  total += collection_.holders.capacity() * 8;
  for (const auto& segment : segments_) total += segment->bytes();
  return total;
}

}  // namespace fuzzbow
