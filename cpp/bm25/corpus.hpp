// Documents and their statistics for search by fuzzy BM25: postings, words of each document, and similar words.
#pragma once
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "bm25/options.hpp"
#include "bm25/postings.hpp"
#include "bm25/similar_words.hpp"
#include "search/corpus_words.hpp"
#include "support/parallel.hpp"
#include "support/ragged.hpp"

namespace fuzzbow {

class Bm25Corpus {
 public:
  static constexpr std::uint16_t kLongest = 0xFFFF;

  // The table must consist of unit vectors and outlive the corpus.
  Bm25Corpus(const Table& table, const Bm25Options& options);

  // Appends documents under the next numbers. Words appended to the table since may be used.
  void append(const Ragged& documents, Execution& execution);
  void remove(const std::int64_t* documents, std::int64_t count);
  // Weights words by the statistics of a collection that contains these documents, until the next call: words[i] of the
  // table is in holders[i] of its documents. It may have words that these documents lack.
  void set_collection(const Ragged& words, const std::int64_t* holders, std::int64_t documents,
                      std::int64_t total_words);

  const Table& table() const { return words_.table(); }
  const Bm25Options& options() const { return options_; }
  std::int64_t size() const { return forward_.size(); }
  std::int64_t words() const { return words_.size(); }
  bool removed(std::uint32_t document) const { return removed_[document]; }
  const ForwardIndex& forward() const { return forward_; }
  const std::vector<std::unique_ptr<Postings>>& segments() const { return segments_; }
  const SimilarWords& similar() const { return similar_; }
  // Number of words of each document, at most kLongest.
  const std::uint16_t* lengths() const { return lengths_.data(); }
  std::int64_t longest() const { return longest_; }                                // largest of lengths()
  std::uint32_t holders(std::uint32_t word) const { return holders_[word]; }       // live documents with the word
  std::uint8_t most_often(std::uint32_t word) const { return most_often_[word]; }  // in one document, at most 255
  std::int64_t live() const { return live_; }                                      // documents that were not removed
  std::int64_t live_words() const { return live_words_; }                          // their words, with repeats
  std::uint32_t table_holders(std::uint32_t table_id) const {
    const std::uint32_t local = words_.local(table_id);
    return local == kNoWord ? 0 : holders_[local];
  }
  double mean_length() const {  // of the collection, if there is one
    const std::int64_t documents = in_collection_ ? collection_.documents : live_;
    const std::int64_t words = in_collection_ ? collection_.words : live_words_;
    return documents ? static_cast<double>(words) / static_cast<double>(documents) : 0;
  }
  // Weight of a query word times its inverse document frequency.
  double word_weight(const SimilarList& similar, float weight) const;
  std::size_t bytes() const;
  std::shared_mutex& mutex() const { return mutex_; }

 private:
  struct Collection {
    std::int64_t documents = 0, words = 0;
    std::vector<std::int64_t> holders;  // by local id
  };

  void resize_words();
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
  std::vector<std::uint32_t> often_;  // by word; all zero between documents
  std::int64_t live_ = 0, live_words_ = 0, longest_ = 0;
  bool in_collection_ = false;
  Collection collection_;
  mutable std::shared_mutex mutex_;
};

}  // namespace fuzzbow
