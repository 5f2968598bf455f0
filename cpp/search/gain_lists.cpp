#include "search/gain_lists.hpp"

#include <algorithm>
#include <cstring>

namespace fuzzbow {

namespace {

constexpr std::size_t kAhead = 16;     // lists between the prefetch of a list and its use
constexpr std::int64_t kListCost = 8;  // cost of finding the list of a word in one part, in postings

}  // namespace

void GainWords::resize(const Corpus& corpus, const BoundTables& bounds) {
  terms_ = bounds.linear();
  least_sizes_ = corpus.least_sizes();
  units_ = bounds.units();
  found_.resize((corpus.words() + kTaskWords - 1) / kTaskWords);
}

void GainWords::find(const Corpus& corpus, std::int64_t begin, std::int64_t end) {
  Found& found = found_[begin / kTaskWords];
  found.words.clear();
  std::fill(std::begin(found.costs), std::end(found.costs), 0);
  const float lowest = kLowestShare * units_;
  const std::int64_t most = SegmentPostings::most_listed(corpus.size());
  const std::int64_t lists = kListCost * (1 + corpus.size() / (SegmentPostings::kMostBlocks * kBlock));
  // Most words gain nothing: skip eight at a time.
  alignas(64) std::uint8_t gains[kTaskWords + 8] = {};
  const std::uint16_t* terms = terms_ + begin;
  const float* sizes = least_sizes_ + begin;
  for (std::int64_t i = 0; i < end - begin; ++i) gains[i] = static_cast<float>(terms[i]) > lowest * sizes[i];
  for (std::int64_t word = begin; word < end; ++word) {
    std::uint64_t eight;
    std::memcpy(&eight, gains + (word - begin), sizeof eight);
    if (eight == 0) {
      word += 7;
      continue;
    }
    if (!gains[word - begin]) continue;
    const float size = least_sizes_[word] * units_;
    const int steps = size > 0 ? steps_of(terms_[word] / size) : kSteps - 1;
    found.words.push_back({static_cast<std::uint32_t>(word), steps});
    const std::int64_t occurrences = corpus.occurrences()[word];
    found.costs[steps] += lists + (occurrences <= most ? occurrences : 0);
  }
}

std::int64_t GainWords::cost(float share) const {
  std::int64_t sum = 0;
  for (const Found& found : found_)
    for (int steps = steps_of(share); steps < kSteps; ++steps) sum += found.costs[steps];
  return sum;
}

std::size_t GainWords::bytes() const {
  std::size_t total = 0;
  for (const Found& found : found_) total += sizeof(Found) + found.words.capacity() * sizeof(Word);
  return total;
}

void GainLists::choose(const GainWords& words, float share, float gain_share) {
  share_ = gain_share;
  lists_.clear();
  words.each(share, [&](std::uint32_t word) {
    if (const std::int32_t gain = words.gain(gain_share, word); gain > 0) lists_.push_back({word, gain});
  });
}

void GainLists::add_up(const SegmentPostings& postings, std::int64_t part, std::int32_t* sums) const {
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    if (i + 2 * kAhead < lists_.size()) postings.prefetch_offset(lists_[i + 2 * kAhead].word, part);
    if (i + kAhead < lists_.size()) postings.prefetch_list(lists_[i + kAhead].word, part);
    postings.add(lists_[i].word, part, lists_[i].gain, sums);
  }
}

std::int64_t GainLists::unlisted(const GainWords& words, const SegmentPostings& postings) const {
  std::int64_t sum = 0;
  for (const SegmentPostings::Unlisted& one : postings.unlisted())
    sum += static_cast<std::int64_t>(words.gain(share_, one.word)) * one.most;
  return sum;
}

}  // namespace fuzzbow
