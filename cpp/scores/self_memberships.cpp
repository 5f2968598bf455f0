#include "scores/self_memberships.hpp"

#include "scores/pair_scorer.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 256;       // texts per task
constexpr std::int64_t kAhead = 2;         // texts between the prefetch of vectors and their use
constexpr std::int64_t kLongestHint = 64;  // words; the hardware prefetches longer texts well enough

// Computes self memberships of texts which(i), i in [0, count), into target(text).
template <class Which, class Target>
void compute(const Table& table, const Ragged& texts, std::int64_t count, Execution& execution, Which which,
             Target target) {
  execution.for_chunks(count, kChunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    PairScorer scorer(execution, worker);
    Gathered gathered;
    for (std::int64_t i = begin; i < end; ++i) {
      if (i + kAhead < end) {
        const std::int64_t next = which(i + kAhead);
        if (texts.length(next) <= kLongestHint) prefetch_rows(table, texts.ids + texts.start(next), texts.length(next));
      }
      const std::int64_t text = which(i);
      scorer.self(gathered.gather(table, texts, text, nullptr), target(text));
    }
  });
}

}  // namespace

void self_memberships(const Table& table, const Ragged& texts, Execution& execution, float* out) {
  compute(
      table, texts, texts.size, execution, [](std::int64_t i) { return i; },
      [&](std::int64_t text) { return out + texts.start(text); });
}

SelfMemberships::SelfMemberships(const Table& table, const Ragged& texts, std::initializer_list<Indices> used,
                                 Execution& execution)
    : starts_(texts.size, -1) {
  std::vector<std::int64_t> distinct;
  std::int64_t total = 0;
  for (const Indices& indices : used)
    for (std::int64_t i = 0; i < indices.size; ++i) {
      std::int64_t& start = starts_[indices[i]];
      if (start >= 0) continue;
      start = total;
      total += texts.length(indices[i]);
      distinct.push_back(indices[i]);
    }
  values_.resize(total);
  compute(
      table, texts, static_cast<std::int64_t>(distinct.size()), execution, [&](std::int64_t i) { return distinct[i]; },
      [&](std::int64_t text) { return values_.data() + starts_[text]; });
}

}  // namespace fuzzbow
