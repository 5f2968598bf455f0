// Exact scores of long documents for one query. They share most of their words, so each word is compared with the query
// once.
#pragma once
#include <cstdint>
#include <vector>

#include "scores/similarity_table.hpp"
#include "search/corpus.hpp"

namespace fuzzbow {

class SeenWords {
 public:
  static constexpr std::int64_t kLong = 32;          // least words of a chunk's longest document
  static constexpr std::int64_t kLongestQuery = 64;  // words; longer queries have fewer documents to score

  static bool can_serve(const Corpus& corpus, const TextWords& query) {
    return !corpus.counted() && !query.counts && query.length <= kLongestQuery &&
           SimilarityTable::fits(corpus.words(), query.length);
  }

  // Clears the words of another query or corpus.
  void start(const Corpus& corpus, const TextWords& query) {
    for (std::uint32_t word : seen_) indices_[word] = kNoWord;
    seen_.clear();
    table_ids_.clear();
    if (static_cast<std::int64_t>(indices_.size()) < corpus.words()) indices_.resize(corpus.words(), kNoWord);
    similarities_.resize(0, query);
  }

  float score(const Corpus& corpus, const TextWords& query, const Segment::Words& words) {
    const std::size_t known = seen_.size();
    document_.resize(words.length);
    for (std::int64_t j = 0; j < words.length; ++j) {
      std::uint32_t& index = indices_[words.local[j]];
      if (index == kNoWord) {
        seen_.push_back(words.local[j]);
        table_ids_.push_back(corpus.table_ids()[words.local[j]]);
        index = static_cast<std::uint32_t>(seen_.size() - 1);
      }
      document_[j] = index;
    }
    similarities_.resize(static_cast<std::int64_t>(seen_.size()), query);
    similarities_.fill(corpus.table(), table_ids_.data(), static_cast<std::int64_t>(known),
                       static_cast<std::int64_t>(seen_.size()), query);
    const float* self = words.self ? words.self : corpus.ones();
    return similarities_
        .score(corpus.similarity(), query, corpus.table(), table_ids_.data(), document_.data(), words.length, self,
               scratch_)
        .score;
  }

 private:
  std::vector<std::uint32_t> indices_;           // by corpus word: its index in seen_, or kNoWord
  std::vector<std::uint32_t> seen_, table_ids_;  // local ids, and ids of the table
  std::vector<std::uint32_t> document_;
  SimilarityTable similarities_;
  SimilarityTable::Scratch scratch_;
};

}  // namespace fuzzbow
