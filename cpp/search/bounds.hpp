// The linear bound and the row bound of one query over the whole vocabulary.
//
// Idea: for query words i (self a_i, weight w_i), any beta_i >= 0, and a document of words j (self b_j, weight w_j):
//   sum_i w_i min(a_i, c_i) <= sum_i w_i (beta_i + sum_j (min(a_i, S_ji) - beta_i)+)      linear, one term per word j
//                           <= sum_i w_i max_j min(a_i, S_ji+)                            rows, tighter
//   sum_j w_j min(b_j, e_j) <= sum_j w_j min(max_i S_ji+, B_j), B_j the largest self of word j in the corpus
// For cosine: a_i c_i in place of min(a_i, c_i), so w_i a_i is the factor; B_j e_j in place of min(b_j, e_j). In the
// query universe a document's words are no elements, and the last sum is 0. The bounds are compared with
// SetSimilarity::needed_numerator. The scan adds up 8-bit levels of the linear terms; frequent words, a few of which
// are in every text, have a finer scale of their own.
// Invariant: every rounding is upwards, so a bound is never below the numerator that the exact kernel computes, and the
// row bound is used only where it is below the linear one.
// Complexity: O(V q) for V words of the corpus and q distinct query words, given their similarities; 7 bytes of memory
// per word, and q more for rows. The linear bound of a document takes one lookup per word, its row bound q bytes per
// word.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "search/corpus.hpp"
#include "search/query.hpp"
#include "support/aligned.hpp"

namespace fuzzbow {

class BoundTables {
 public:
  void resize(const Corpus& corpus, const PreparedQuery& query);
  // Fills panels [begin, end) from similarities (panels, stride, 16). Workers share the panels.
  void fill(const Corpus& corpus, const PreparedQuery& query, std::int64_t begin, std::int64_t end,
            const float* similarities, int stride);
  // Sets the levels of words [begin, end), once all panels are filled. The call that includes word 0 also sets those of
  // frequent words.
  void set_levels(std::int64_t begin, std::int64_t end);

  float base() const { return base_; }
  const std::uint8_t* levels() const { return levels_.data(); }
  const std::uint8_t* frequent_levels() const { return frequent_levels_; }
  // Linear terms in integer units, rounded up: units() of them make 1, and each is at most linear_unit().
  const std::uint16_t* linear() const { return linear_.data(); }
  float units() const { return unit_; }
  float linear_unit() const { return inverse_unit_; }
  float unit() const { return unit_of(peak_); }
  float frequent_unit() const { return unit_of(frequent_peak_); }
  std::size_t bytes() const { return linear_.bytes() + levels_.bytes() + document_side_.bytes() + rows_.bytes(); }
  // Prefetches the rows of these words.
  void prefetch_rows(const std::vector<std::uint32_t>& local) const;
  // Row bound of the numerator, or `linear` if the query is too long for a row table.
  float row_numerator(const std::vector<std::uint32_t>& local, float linear) const;

 private:
  friend class BatchLevels;
  using Peak = std::atomic<std::uint32_t>;
  static constexpr float kLevels = 254.9f;
  // Next level above, at most 255.
  static std::uint8_t level(std::uint16_t linear, float factor) {
    return static_cast<std::uint8_t>(static_cast<int>(linear * factor) + 1);
  }
  float unit_of(std::uint32_t peak) const { return static_cast<float>(peak) / kLevels * inverse_unit_ * 1.00001f; }

  int count_ = 0;
  bool rows_kept_ = false;
  float unit_ = 1, inverse_unit_ = 1, base_ = 0, row_base_ = 0;
  std::size_t row_width_ = 0;
  AlignedBuffer<std::uint16_t> linear_;
  AlignedBuffer<std::uint8_t> levels_;
  std::uint8_t frequent_levels_[kPages * (kFrequentWords + 1)] = {};  // by page
  Peak peak_{1}, frequent_peak_{1};  // largest linear term of rare and of frequent words
  AlignedBuffer<float> document_side_;
  AlignedBuffer<std::uint8_t> rows_;
  std::vector<float> row_units_, row_values_;
};

// The levels of up to 32 queries side by side, with one scale for all words of a query.
class BatchLevels {
 public:
  void resize(std::int64_t words, std::vector<const BoundTables*> queries);
  void set_levels(std::int64_t begin, std::int64_t end);

  const std::uint8_t* levels() const { return levels_.data(); }
  const std::uint8_t* frequent_levels() const { return frequent_levels_.data(); }
  std::size_t bytes() const { return levels_.bytes() + frequent_levels_.bytes(); }
  // Value of one level. Complete before levels are set.
  float unit(std::size_t query) const { return queries_[query]->unit_of(peak(query)); }

 private:
  std::uint32_t peak(std::size_t query) const {
    return std::max<std::uint32_t>(queries_[query]->peak_, queries_[query]->frequent_peak_);
  }
  std::vector<const BoundTables*> queries_;
  AlignedBuffer<std::uint8_t> levels_, frequent_levels_;
};

}  // namespace fuzzbow
