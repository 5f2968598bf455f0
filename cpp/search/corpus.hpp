// Documents and their vocabulary, laid out for search and join.
#pragma once
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "scores/set_similarity.hpp"
#include "search/corpus_words.hpp"
#include "search/segment.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// Least number of documents of a segment that has postings: fewer are scanned as fast.
constexpr std::int64_t kWorthPostings = 1 << 17;

class Corpus {
 public:
  // The table must outlive the corpus. Words get local ids in order of falling frequency.
  // counted: every document has bag counts.
  Corpus(const Table& table, const SetSimilarity& similarity, bool counted = false,
         std::int64_t postings_from = kWorthPostings);

  // Appends documents under the next numbers. Words appended to the table since may be used.
  void append(const Ragged& documents, Execution& execution);
  void remove(const std::int64_t* documents, std::int64_t count);

  // Unique number of this state of the words: no other corpus has it, and every append changes it.
  std::uint64_t stamp() const { return stamp_; }
  const Table& table() const { return words_.table(); }
  const SetSimilarity& similarity() const { return similarity_; }
  std::int64_t size() const { return static_cast<std::int64_t>(removed_.size()); }
  bool removed(std::uint32_t document) const { return removed_[document]; }
  bool counted() const { return counted_; }
  std::int64_t words() const { return words_.size(); }
  const std::uint32_t* table_ids() const { return words_.table_ids(); }
  std::uint32_t local(std::uint32_t table_id) const { return words_.local(table_id); }
  const QuantisedPanels& panels() const { return words_.panels(); }
  bool has_vectors(std::int64_t panel) const { return words_.has_vectors(panel); }
  const QuantisedPanels& sample() const { return sample_; }
  const float* limits() const { return limits_.data(); }
  const float* multipliers() const { return multipliers_.data(); }
  float largest_own() const { return largest_own_; }  // largest limit * multiplier, or largest multiplier for cosine
  // Per word: least contribution to the size of a document that contains it, and number of occurrences.
  const float* least_sizes() const { return least_sizes_.data(); }
  const std::uint32_t* occurrences() const { return occurrences_.data(); }
  bool listed() const { return listed_; }  // some segment has postings
  std::uint16_t numbers(std::int64_t panel) const { return words_.numbers(panel); }
  const TrigramIndex& trigrams() const { return words_.trigrams(); }
  const std::vector<std::unique_ptr<Segment>>& segments() const { return segments_; }
  double mean_length() const { return size() ? static_cast<double>(total_words_) / static_cast<double>(size()) : 0; }
  std::int64_t longest() const { return longest_; }
  std::size_t bytes() const;
  std::shared_mutex& mutex() const { return mutex_; }
  // Self memberships of 1, as many as the longest document has words.
  const float* ones() const { return ones_.data(); }

 private:
  void add_words(const Ragged& documents);
  void add_sizes(const Ragged& documents, DocumentBatch& batch, Execution& execution);
  void raise_limits(const DocumentBatch& batch, Execution& execution);
  void draw_sample(const DocumentBatch& batch);
  void lay_out(DocumentBatch& batch, Execution& execution);
  std::size_t join_segments(DocumentBatch& batch) const;
  bool can_list() const;
  float least_size(std::uint32_t table_id) const;

  CorpusWords words_;
  SetSimilarity similarity_;
  bool counted_;
  std::int64_t postings_from_;
  bool listed_ = false;
  std::uint64_t stamp_ = 0;
  bool plain_self_;  // self memberships are not stored: all are 1, or they are never read
  QuantisedPanels sample_;
  AlignedBuffer<float> limits_, multipliers_, least_sizes_, ones_;
  std::vector<std::uint32_t> occurrences_;
  float largest_own_ = 0;
  std::vector<float> largest_self_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<std::uint8_t> removed_;
  std::int64_t total_words_ = 0, longest_ = 0, sampled_at_ = 0;
  mutable std::shared_mutex mutex_;
};

}  // namespace fuzzbow
