#include "scores/pairs.hpp"

#include <memory>
#include <vector>

#include "scores/pair_scorer.hpp"
#include "scores/self_memberships.hpp"
#include "simd/compiler.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 256;  // pairs per task
constexpr std::int64_t kSoon = 2;     // pairs between the prefetch of vectors and their use
constexpr std::int64_t kAhead = 5;    // pairs between the prefetch of ids and their use

// Words of one text with self memberships, which are looked up if known and computed otherwise.
class OwnWords {
 public:
  OwnWords(const Table& table, const Ragged& texts, const SelfMemberships* known)
      : table_(table), texts_(texts), known_(known) {}

  // Prefetches a text: texts come in any order, which the hardware cannot predict.
  void prefetch(std::int64_t text) const {
    FUZZBOW_PREFETCH(texts_.ids + texts_.start(text));
    if (known_) FUZZBOW_PREFETCH(known_->of(text));
  }

  TextWords read(std::int64_t text, bool with_self, PairScorer& scorer) {
    TextWords words = gathered_.gather(table_, texts_, text, nullptr);
    if (!with_self) return words;
    if (known_) {
      words.self = known_->of(text);
      return words;
    }
    computed_.resize(words.length);
    scorer.self(words, computed_.data());
    words.self = computed_.data();
    return words;
  }

 private:
  const Table& table_;
  const Ragged& texts_;
  const SelfMemberships* known_;
  Gathered gathered_;
  std::vector<float> computed_;
};

}  // namespace

void pairs(const Table& table, const Ragged& texts, const Indices& left, const Indices& right,
           const SetSimilarity& similarity, Execution& execution, float* out) {
  // Self memberships are computed once per text if texts occur in many pairs. If they occur in one or two, they are
  // computed with the pair, while its vectors are in the cache.
  std::unique_ptr<SelfMemberships> known;
  if (left.size > texts.size)
    known = std::make_unique<SelfMemberships>(table, texts, std::initializer_list<Indices>{left, right}, execution);
  execution.for_chunks(left.size, kChunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    PairScorer scorer(execution, worker);
    // If self memberships cost nothing, are known, or are not needed for the right text, comparing only words of one
    // text with those of the other is less work.
    const bool unites = !known && !texts.counts && !table.unit() && similarity.counts_right_words();
    OwnWords left_words(table, texts, known.get()), right_words(table, texts, known.get());
    for (std::int64_t pair = begin; pair < end; ++pair) {
      if (pair + kAhead < end) {
        left_words.prefetch(left[pair + kAhead]);
        right_words.prefetch(right[pair + kAhead]);
      }
      scorer.forget_upcoming();
      if (pair + kSoon < end)
        for (std::int64_t next : {left[pair + kSoon], right[pair + kSoon]})
          scorer.prefetch(table, texts.ids + texts.start(next), texts.length(next));
      const std::int64_t left_length = texts.length(left[pair]), right_length = texts.length(right[pair]);
      if (unites && UnitedWords::fits(left_length, right_length)) {
        out[pair] = scorer
                        .score_united(similarity, table, texts.ids + texts.start(left[pair]), left_length,
                                      texts.ids + texts.start(right[pair]), right_length)
                        .score;
        continue;
      }
      const TextWords a = left_words.read(left[pair], true, scorer);
      const TextWords b = right_words.read(right[pair], similarity.counts_right_words(), scorer);
      out[pair] = scorer.score(similarity, a, b).score;
    }
  });
}

}  // namespace fuzzbow
