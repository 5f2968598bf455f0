// The linear bound and the row bound of one query over the whole vocabulary.
//
// For query words i (self a_i, weight w_i), any beta_i >= 0, and a document of words j (self b_j, weight w_j):
//   sum_i w_i min(a_i, c_i) <= sum_i w_i (beta_i + sum_j (min(a_i, S_ji) - beta_i)+)      linear, one term per word j
//                           <= sum_i w_i max_j min(a_i, S_ji+)                            rows, tighter
//   sum_j w_j min(b_j, e_j) <= sum_j w_j min(max_i S_ji+, B_j), B_j the largest self of word j in the corpus
// For cosine: a_i c_i in place of min(a_i, c_i), so w_i a_i is the factor; B_j e_j in place of min(b_j, e_j).
// Compared with needed_numerator (measure.hpp). Everything is rounded up.
#pragma once
#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "search/corpus.hpp"
#include "search/query.hpp"

namespace fuzzbow {

class BoundTables {
 public:
  void resize(const Corpus& corpus, const PreparedQuery& query);
  // Fills panels [begin, end); workers share the range.
  void fill(const Corpus& corpus, const PreparedQuery& query, std::int64_t begin, std::int64_t end);

  const std::uint16_t* linear() const { return linear_.data(); }
  float base() const { return base_; }
  float inverse_unit() const { return inverse_unit_; }
  // The tighter numerator, or `linear` where the query is too long for a row table.
  float row_numerator(const std::uint32_t* local, std::int64_t length, float linear) const;

 private:
  int count_ = 0;
  bool rows_kept_ = false;
  float unit_ = 1, inverse_unit_ = 1, base_ = 0, row_base_ = 0;
  std::size_t row_stride_ = 0;
  AlignedBuffer<std::uint16_t> linear_;
  AlignedBuffer<float> document_side_;
  AlignedBuffer<std::uint8_t> rows_;
  std::vector<float> row_units_, row_values_;
};

}  // namespace fuzzbow
