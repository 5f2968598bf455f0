// Documents ready for fuzzy BM25: both indexes, the statistics of the live documents, and similar words.
#pragma once
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "bm25/options.hpp"
#include "bm25/postings.hpp"
#include "bm25/similar_words.hpp"
#include "parallel.hpp"
#include "ragged.hpp"
#include "search/corpus_words.hpp"

namespace fuzzbow {

class Bm25Corpus {
 public:
  static constexpr std::uint16_t kLongest = 0xFFFF;

  // The table must be of unit vectors and outlive the corpus.
  Bm25Corpus(const Table& table, const Bm25Options& options);

  // Documents get the next numbers. New words of the table may be used after Table::append.
  void append(const Ragged& documents, Execution& execution);
  void remove(const std::int64_t* documents, std::int64_t count);

  const Table& table() const { return words_.table(); }
  const Bm25Options& options() const { return options_; }
  std::int64_t size() const { return forward_.size(); }
  std::int64_t words() const { return words_.size(); }
  bool removed(std::uint32_t document) const { return removed_[document]; }
  const ForwardIndex& forward() const { return forward_; }
  const std::vector<std::unique_ptr<Postings>>& segments() const { return segments_; }
  const SimilarWords& similar() const { return similar_; }
  // Words of a document, or kLongest where there are more.
  const std::uint16_t* lengths() const { return lengths_.data(); }
  std::int64_t longest() const { return longest_; }                                // of lengths()
  std::uint32_t holders(std::uint32_t word) const { return holders_[word]; }       // live documents
  std::uint8_t most_often(std::uint32_t word) const { return most_often_[word]; }  // in one document; 255: or more
  double mean_length() const { return live_ ? static_cast<double>(live_words_) / static_cast<double>(live_) : 0; }
  // A query word's weight times its inverse document frequency.
  double word_weight(const SimilarList& similar, float weight) const;
  std::size_t bytes() const;
  std::shared_mutex& mutex() const { return mutex_; }

 private:
  void count(std::int64_t document, int change);
  void merge_segments();

  Bm25Options options_;
  CorpusWords words_;
  SimilarWords similar_;
  ForwardIndex forward_;
  std::vector<std::unique_ptr<Postings>> segments_;
  std::vector<std::uint16_t> lengths_;
  std::vector<std::uint8_t> removed_, most_often_;
  std::vector<std::uint32_t> holders_;
  std::vector<std::uint32_t> often_;  // by word, all zero between documents
  std::int64_t live_ = 0, live_words_ = 0, longest_ = 0;
  mutable std::shared_mutex mutex_;
};

}  // namespace fuzzbow
