// The postings that a query reads, and the gains of the documents in them.
//
// Idea: with L_j the linear term of word j (bounds.hpp), m_j its least contribution to a document's size SB, and any s:
//   sum_j L_j <= sum_j (L_j - s m_j)+ + s SB
// Words with L_j <= s m_j gain nothing, and most words are such: only the postings of the others are read. A document
// in none of these lists passes if s SB alone is enough, so s must be below the threshold. A lower s reads more words
// and gives a tighter bound.
// Invariant: the sum of gains of a document plus s SB is at least its sum of linear terms. Gains are integers, rounded
// up; words that are not listed (SegmentPostings::unlisted) are counted as if every document had them.
// Complexity: O(V) for V words per query, eight words at a time where none gains anything; then the lengths of the
// lists that are read.
#pragma once
#include <cstdint>
#include <vector>

#include "search/bounds.hpp"
#include "search/postings.hpp"

namespace fuzzbow {

// The words of a corpus that may gain something for one query.
class GainWords {
 public:
  // Workers share the words in blocks of this size.
  static constexpr std::int64_t kTaskWords = 8192;
  static constexpr float kLowestShare = 0.4f;  // lowest s

  void resize(const Corpus& corpus, const BoundTables& bounds);
  void find(const Corpus& corpus, std::int64_t begin, std::int64_t end);

  // Cost of reading the postings for a given s, in postings. Call it after `find` on all words.
  std::int64_t cost(float share) const;
  // Visits the words with these postings, in order, and possibly some more.
  template <class Visit>
  void each(float share, const Visit& visit) const {
    const int steps = steps_of(share);
    for (const Found& found : found_)
      for (const Word& word : found.words)
        if (word.steps >= steps) visit(word.word);
  }
  // Rounds s down to a step, so that lists are seldom chosen again.
  static float rounded(float share) { return kLowestShare + static_cast<float>(steps_of(share)) / kStepsPerShare; }
  // Gain of a word in units of linear terms, rounded up.
  std::int32_t gain(float share, std::uint32_t word) const {
    const float least = share * units_ * least_sizes_[word] * 0.99999f;
    return std::max(0, static_cast<std::int32_t>(terms_[word]) - static_cast<std::int32_t>(least));
  }
  std::size_t bytes() const;

 private:
  static constexpr int kSteps = 64;
  static constexpr float kStepsPerShare = 40.0f;
  struct Word {
    std::uint32_t word;
    int steps;  // L_j / m_j in steps
  };
  struct Found {  // in one block of words
    std::vector<Word> words;
    std::int64_t costs[kSteps];  // by step
  };
  // Step of an s, rounded down.
  static int steps_of(float share) {
    const float steps = (share - kLowestShare) * kStepsPerShare;
    return static_cast<int>(std::min(std::max(steps, 0.0f), kSteps - 1.0f));
  }

  const std::uint16_t* terms_ = nullptr;
  const float* least_sizes_ = nullptr;
  float units_ = 0;
  std::vector<Found> found_;
};

// The lists that are read for one s.
class GainLists {
 public:
  // Chooses the words that gain at `share`; their gains are computed for `gain_share`.
  void choose(const GainWords& words, float share, float gain_share);
  // Adds gains to sums[position] of the documents of a part.
  void add_up(const SegmentPostings& postings, std::int64_t part, std::int32_t* sums) const;
  // Upper bound of the gains of words that are in no list.
  std::int64_t unlisted(const GainWords& words, const SegmentPostings& postings) const;
  float share() const { return share_; }

 private:
  struct List {
    std::uint32_t word;
    std::int32_t gain;
  };
  float share_ = 0;
  std::vector<List> lists_;
};

}  // namespace fuzzbow
