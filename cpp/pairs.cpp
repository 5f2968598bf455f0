#include "pairs.hpp"

#include <vector>

#include "scoring.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 256;  // texts per piece of work
constexpr std::int64_t kAhead = 2;    // texts whose vectors are asked for early

void prefetch_text(const Table& table, const Ragged& texts, std::int64_t text, std::int64_t end) {
  // Long texts fill the cache by themselves.
  if (text < end && texts.length(text) <= 64) prefetch_rows(table, texts.ids + texts.start(text), texts.length(text));
}

// Self of one text: given, or computed into scratch.
const float* self_of(PairScorer& scorer, const TextWords& text, const float* given, std::vector<float>& scratch) {
  if (given) return given;
  scratch.resize(text.length);
  scorer.self(text, scratch.data());
  return scratch.data();
}

}  // namespace

void self_memberships(const Table& table, const Ragged& texts, Execution& execution, float* out) {
  execution.for_chunks(texts.size, kChunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    PairScorer scorer(execution, worker);
    Gathered gathered;
    for (std::int64_t text = begin; text < end; ++text) {
      prefetch_text(table, texts, text + kAhead, end);
      scorer.self(gathered.gather(table, texts, text, nullptr), out + texts.start(text));
    }
  });
}

void pairs(const Table& table, const Ragged& left, const Ragged& right, const float* left_self, const float* right_self,
           Measure measure, Execution& execution, float* out) {
  execution.for_chunks(left.size, kChunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    PairScorer scorer(execution, worker);
    Gathered left_words, right_words;
    std::vector<float> left_scratch, right_scratch;
    for (std::int64_t pair = begin; pair < end; ++pair) {
      scorer.forget_upcoming();
      if (pair + 1 < end) {
        scorer.expect(table, left.ids + left.start(pair + 1), left.length(pair + 1));
        scorer.expect(table, right.ids + right.start(pair + 1), right.length(pair + 1));
      }
      TextWords a = left_words.gather(table, left, pair, left_self);
      TextWords b = right_words.gather(table, right, pair, right_self);
      a.self = self_of(scorer, a, a.self, left_scratch);
      b.self = self_of(scorer, b, b.self, right_scratch);
      out[pair] = scorer.score(measure, a, b).score;
    }
  });
}

}  // namespace fuzzbow
