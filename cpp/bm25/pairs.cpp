#include "bm25/pairs.hpp"

#include <algorithm>
#include <vector>

#include "bm25/similar_words.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kChunk = 64;  // pairs per task

// The distinct words of a text, and the index of each of its words among them.
struct DistinctWords {
  std::vector<std::uint32_t> ids, positions;

  void read(const std::uint32_t* words, std::int64_t length) {
    ids.assign(words, words + length);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    positions.resize(length);
    for (std::int64_t i = 0; i < length; ++i)
      positions[i] = static_cast<std::uint32_t>(std::lower_bound(ids.begin(), ids.end(), words[i]) - ids.begin());
  }
};

// Scores pairs; one per worker, as it holds scratch.
class Bm25PairScorer {
 public:
  Bm25PairScorer(const Table& table, const Bm25Options& options, Execution& execution, int worker)
      : table_(table), options_(options), execution_(execution), worker_(worker) {}

  void read_query(const std::uint32_t* words, std::int64_t length, const double* weights) {
    query_words_.read(words, length);
    query_.positions = query_words_.positions;
    query_.weights.clear();
    for (std::uint32_t id : query_words_.ids) query_.weights.push_back(weights[id]);
    query_.sum_weights();
  }

  float score(const std::uint32_t* words, std::int64_t length, double mean_length) {
    document_.read(words, length);
    often_.assign(query_words_.ids.size(), 0);
    for (std::size_t i = 0; length > 0 && i < query_words_.ids.size(); ++i) {
      if (i % 64 == 0 && execution_.stopped(worker_)) throw Interrupted();
      read_gains(query_words_.ids[i]);
      for (std::uint32_t position : document_.positions) often_[i] += gains_[position];
    }
    return query_.score(often_.data(), options_.norm(static_cast<double>(length), mean_length));
  }

 private:
  // Computes the gain of each distinct word of the document for a query word.
  void read_gains(std::uint32_t id) {
    const std::size_t count = document_.ids.size();
    gains_.resize(count);
    if (options_.equality()) {
      for (std::size_t j = 0; j < count; ++j) gains_[j] = document_.ids[j] == id ? 1 : 0;
      return;
    }
    const float* found =
        similarities_.read(table_, {id, id}, table_, document_.ids.data(), static_cast<std::int64_t>(count));
    for (std::size_t j = 0; j < count; ++j) gains_[j] = options_.gain(found[j]);
  }

  const Table& table_;
  const Bm25Options& options_;
  Execution& execution_;
  int worker_;
  DistinctWords query_words_, document_;
  Bm25Query query_;
  WordSimilarities similarities_;
  std::vector<double> gains_, often_;
};

}  // namespace

void bm25_pairs(const Table& table, const Ragged& texts, const Indices& left, const Indices& right,
                const double* weights, double mean_length, const Bm25Options& options, Execution& execution,
                float* out) {
  execution.for_chunks(left.size, kChunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    Bm25PairScorer scorer(table, options, execution, worker);
    for (std::int64_t pair = begin; pair < end; ++pair) {
      if (pair == begin || left[pair] != left[pair - 1])
        scorer.read_query(texts.ids + texts.start(left[pair]), texts.length(left[pair]), weights);
      out[pair] = scorer.score(texts.ids + texts.start(right[pair]), texts.length(right[pair]), mean_length);
    }
  });
}

}  // namespace fuzzbow
