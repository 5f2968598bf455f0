#include "bm25/block_scan.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "simd/compiler.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kDocuments = 1 << 14;                   // documents of a block
constexpr std::int64_t kGroup = 16;                            // sums compared together
constexpr double kPosting = 1.5, kScore = 60, kScoreWord = 4;  // approximate nanoseconds

}  // namespace

void SharedThreshold::raise(float value) {
  float old = get();
  while (old < value && !value_.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
  }
}

std::vector<float> norms_by_length(const Bm25Corpus& corpus) {
  std::vector<float> norms(corpus.longest() + 1);
  const double mean = corpus.mean_length();
  for (std::size_t length = 0; length < norms.size(); ++length)
    norms[length] = static_cast<float>(std::min(1e37, corpus.options().norm(static_cast<double>(length), mean)));
  return norms;
}

BlockScan::BlockScan(const Bm25Corpus& corpus, const SearchOptions& options, const std::vector<float>& norms,
                     const PreparedBm25Query& query, SharedThreshold& threshold, Scratch& scratch)
    : corpus_(corpus),
      options_(options),
      norms_(norms),
      query_(query),
      threshold_(threshold),
      scratch_(scratch),
      best_(options.wanted) {
  scratch.often.at_least(kDocuments);
  scratch.scores.at_least(kDocuments);
  scratch.touched.resize(kDocuments + 1);
}

void BlockScan::scan(std::int64_t begin, std::int64_t end, Execution& execution, int worker) {
  for (const auto& segment : corpus_.segments()) {
    const std::int64_t from = std::max(begin, segment->first()), to = std::min(end, segment->last());
    if (from >= to) continue;
    open(*segment, from, to);
    for (std::int64_t block = from; block < to; block += kDocuments) {
      if (execution.stopped(worker)) throw Interrupted();
      scan_block(segment->first(), block, std::min(to, block + kDocuments));
    }
  }
}

// Positions a cursor in every list that has documents of this part.
void BlockScan::open(const Postings& segment, std::int64_t begin, std::int64_t end) {
  cursors_.clear();
  firsts_.assign(1, 0);
  const std::uint32_t lowest = static_cast<std::uint32_t>(begin - segment.first()) << 8;
  const std::uint64_t limit = static_cast<std::uint64_t>(end - segment.first()) << 8;
  for (const WalkedWord& word : query_.walked()) {
    for (const Similar& similar : *word.similar) {
      Postings::List list = segment.of(similar.local);
      if (lowest) list.begin = std::lower_bound(list.begin, list.end, lowest);
      if (list.begin == list.end || *list.begin >= limit) continue;
      cursors_.push_back({list.begin, list.end, std::max(static_cast<float>(similar.gain), 1e-36f)});
    }
    firsts_.push_back(cursors_.size());
  }
}

// Least sum of a document that may still be among the best after this many words.
float BlockScan::needed(std::size_t walked) const {
  const double least = threshold_.get() / (1 + 2 * query_.rounding()) - query_.tail(walked) * (1 + 1e-6);
  return std::max(static_cast<float>(least) * (1 - 1e-6f), std::numeric_limits<float>::denorm_min());
}

// Walks words in order of share. Words that cannot lift an untouched document over the threshold are walked only if
// that takes less time than scoring.
void BlockScan::scan_block(std::int64_t first, std::int64_t begin, std::int64_t end) {
  const std::size_t count = query_.walked().size();
  const float threshold = threshold_.get();
  bool touched = false;
  std::size_t word = 0;
  for (; word < count; ++word) {
    const bool optional = query_.tail(word) * (1 + 1e-6) * (1 + 2 * query_.rounding()) < threshold;
    if (optional && (!touched || !worth_walking(word, end - begin))) break;
    touched |= walk(word, first, begin, end);
  }
  if (!touched) return;
  collect(begin, end - begin, word);
  std::memset(scratch_.scores.data(), 0, sizeof(float) * (end - begin));
  score_candidates(word);
}

bool BlockScan::worth_walking(std::size_t word, std::int64_t count) const {
  const double share = static_cast<double>(count) / static_cast<double>(corpus_.size());
  const double walk = static_cast<double>(query_.walked()[word].volume) * share * kPosting;
  if (walk < static_cast<double>(count) / 4) return true;  // cheaper than counting the survivors
  const double one = kScore + kScoreWord * corpus_.mean_length();
  return static_cast<double>(survivors(count, needed(word))) * one > walk;
}

std::int64_t BlockScan::survivors(std::int64_t count, float needed) const {
  const float* scores = scratch_.scores.data();
  int found = 0;
  for (std::int64_t i = 0; i < count; ++i) found += scores[i] >= needed;
  return found;
}

// Adds a query word to the sums. Returns true if the word, or one similar to it, is in any of these documents.
bool BlockScan::walk(std::size_t word, std::int64_t first, std::int64_t begin, std::int64_t end) {
  Cursor *cursor = cursors_.data() + firsts_[word], *last = cursors_.data() + firsts_[word + 1];
  const std::uint32_t lowest = static_cast<std::uint32_t>(begin - first) << 8;
  // A segment has at most 2^24 documents, so the limit of the last block may be 2^32.
  const std::uint32_t limit = (static_cast<std::uint32_t>(end - first - 1) << 8) | 0xFF;
  Cursor* open = last;
  int found = 0;
  for (Cursor* one = cursor; one != last; ++one) {
    if (one->next != one->end && *one->next < lowest) one->next = std::lower_bound(one->next, one->end, lowest);
    if (one->next == one->end || *one->next > limit) continue;
    if (found++ == 0) open = one;
  }
  const float share = query_.walked()[word].share;
  if (found == 1) add_one(*open, share, first, begin, limit);
  if (found > 1) add_many(open, last, share, first, begin, limit);
  return found > 0;
}

void BlockScan::add_one(Cursor& cursor, float share, std::int64_t first, std::int64_t begin, std::uint32_t limit) {
  const std::uint16_t* lengths = corpus_.lengths() + begin;
  const std::uint32_t base = static_cast<std::uint32_t>(begin - first);
  float* scores = scratch_.scores.data();
  const std::uint32_t* next = cursor.next;
  for (; next != cursor.end && *next <= limit; ++next) {
    const std::uint32_t position = (*next >> 8) - base;
    const float often = cursor.gain * static_cast<float>(*next & 0xFF);
    scores[position] += share * often / (often + norms_[lengths[position]]);
  }
  cursor.next = next;
}

void BlockScan::add_many(Cursor* cursor, Cursor* last, float share, std::int64_t first, std::int64_t begin,
                         std::uint32_t limit) {
  const std::uint32_t base = static_cast<std::uint32_t>(begin - first);
  float *often = scratch_.often.data(), *scores = scratch_.scores.data();
  const std::uint16_t* lengths = corpus_.lengths() + begin;
  std::uint32_t* touched = scratch_.touched.data();
  std::size_t count = 0;
  for (; cursor != last; ++cursor) {
    const std::uint32_t* next = cursor->next;
    for (; next != cursor->end && *next <= limit; ++next) {
      const std::uint32_t position = (*next >> 8) - base;
      FUZZBOW_PREFETCH(lengths + position);  // for the loop below
      touched[count] = position;
      count += often[position] == 0.0f;
      often[position] += cursor->gain * static_cast<float>(*next & 0xFF);
    }
    cursor->next = next;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t position = touched[i];
    scores[position] += share * often[position] / (often[position] + norms_[lengths[position]]);
    often[position] = 0.0f;
  }
}

void BlockScan::collect(std::int64_t begin, std::int64_t count, std::size_t walked) {
  const float least = needed(walked);
  const float* scores = scratch_.scores.data();
  candidates_.clear();
  for (std::int64_t start = 0; start < count; start += kGroup) {
    int any = 0;
    for (std::int64_t i = 0; i < kGroup; ++i) any |= scores[start + i] >= least;
    for (std::int64_t i = start; any && i < std::min(count, start + kGroup); ++i)
      if (scores[i] >= least && !skips(begin + i))
        candidates_.push_back({scores[i], static_cast<std::uint32_t>(begin + i)});
  }
}

// The most promising documents first: they raise the threshold, and most others need no exact score.
void BlockScan::score_candidates(std::size_t walked) {
  std::make_heap(candidates_.begin(), candidates_.end());
  while (!candidates_.empty() && candidates_.front().sum >= needed(walked)) {
    const std::uint32_t document = candidates_.front().document;
    std::pop_heap(candidates_.begin(), candidates_.end());
    candidates_.pop_back();
    const float score = query_.score(corpus_, document, scratch_.exact);
    if (score < options_.min_score) continue;
    best_.add({score, document});
    if (best_.full()) threshold_.raise(best_.worst());
  }
}

}  // namespace fuzzbow
