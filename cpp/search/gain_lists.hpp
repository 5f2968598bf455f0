// Which postings a query reads, and what the documents in them gain.
//
// With L_j the linear term of word j (see bounds.hpp), m_j the least that j adds to a document's size SB, and any s:
//   sum_j L_j <= sum_j (L_j - s m_j)+ + s SB
// Words with L_j <= s m_j gain nothing, and most do not: of the others the postings are read. A document that is in
// none of them passes where s SB alone is enough, so s stays below the threshold; the lower it is, the more words
// there are, and the tighter the bound.
#pragma once
#include <cstdint>
#include <vector>

#include "search/bounds.hpp"
#include "search/postings.hpp"

namespace fuzzbow {

// The words of a corpus that may gain something, for one query.
class GainWords {
 public:
  // Workers share the words in chunks of so many.
  static constexpr std::int64_t kWordsAtOnce = 8192;
  static constexpr float kLowestShare = 0.4f;  // of s

  void resize(const Corpus& corpus, const BoundTables& bounds);
  void find(const Corpus& corpus, std::int64_t begin, std::int64_t end);

  // Once all words were looked at. What it costs to read the postings that a share of s asks for, in postings.
  std::int64_t cost(float share) const;
  // The words of these postings, in their order, and perhaps some more.
  template <class Visit>
  void each(float share, const Visit& visit) const {
    const int steps = steps_of(share);
    for (const Found& found : found_)
      for (const Word& word : found.words)
        if (word.steps >= steps) visit(word.word);
  }
  // Down, so that words are seldom chosen anew.
  static float rounded(float share) { return kLowestShare + static_cast<float>(steps_of(share)) / kStepsPerShare; }
  // In units of linear terms, rounded up.
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
    int steps;  // of its own share, L_j / m_j
  };
  struct Found {  // in one chunk of words
    std::vector<Word> words;
    std::int64_t costs[kSteps];  // by steps
  };
  // Rounded down.
  static int steps_of(float share) {
    const float steps = (share - kLowestShare) * kStepsPerShare;
    return static_cast<int>(std::min(std::max(steps, 0.0f), kSteps - 1.0f));
  }

  const std::uint16_t* terms_ = nullptr;
  const float* least_sizes_ = nullptr;
  float units_ = 0;
  std::vector<Found> found_;
};

// Those that are read for one share.
class GainLists {
 public:
  // Words of at least a share; what they gain is counted from another.
  void choose(const GainWords& words, float share, float gain_share);
  // Adds to sums[place] of the documents of a part.
  void add_up(const SegmentPostings& postings, std::int64_t part, std::int32_t* sums) const;
  // What words at most add that are in no list.
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
