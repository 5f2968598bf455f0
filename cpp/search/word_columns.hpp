// A cache of similarity bounds between query words and a corpus, for later queries with the same words.
//
// Idea: comparing a word with the whole vocabulary is the expensive part of a short query, and queries share words. A
// column of 8-bit levels per word replaces the products. Most words never come again, so a word gets a column when it
// comes for the second time. The cache takes at most about 64 MiB; when it is full, a word that came more than twice as
// often as the rarest cached one replaces it. Counts are halved from time to time, so that old uses count less.
// Invariant: levels are rounded up, so cached bounds are upper bounds like fresh ones. All columns belong to one state
// of one corpus (Corpus::stamp); another stamp clears the cache.
// Complexity: a lookup is one hash lookup per word. The rarest column is searched in linear time, but only when a
// word's count exceeds twice the last known minimum.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simd/kernels.hpp"

namespace fuzzbow {

// Upper bounds of a word's similarity with every word of a corpus, as levels of a unit; negative similarities are 0.
struct WordColumn {
  WordColumn(std::size_t words, float highest, float typical)
      : highest(highest), typical(typical), levels(words), unit_(highest / kMostLevel) {}

  // Writes the levels of one panel, from word `first` on. Bounds above the highest possible similarity are cut.
  void write(std::size_t first, const float* similarities) {
    const float units = unit_ > 1e-30f ? 1.0f / unit_ : 0.0f, least = units > 0.0f ? 0.0f : kMostLevel;
    kernels().column_levels(similarities, units, least, levels.data() + first);
  }
  // View as the column of the query word with this index.
  KeptColumn at(int position) const { return {levels.data(), unit_ * 1.000001f, position}; }

  float highest, typical;  // as in QueryWords
  std::vector<std::uint8_t> levels;

 private:
  float unit_;
};

// Columns by word id in the query table. Safe to share between threads.
class WordColumns {
 public:
  using Column = std::shared_ptr<const WordColumn>;
  struct Found {
    Column column;        // null: not cached
    bool worthy = false;  // to be cached, if it is not
  };

  explicit WordColumns(std::size_t most_bytes = std::size_t{64} << 20) : most_bytes_(most_bytes) {}

  // Looks up distinct words of a query, for a corpus of `words` words.
  std::vector<Found> find(std::uint64_t corpus, std::size_t words, const std::vector<std::uint32_t>& ids);
  void keep(std::uint64_t corpus, std::uint32_t id, Column column);

 private:
  struct Kept {
    Column column;
    std::uint32_t times;
  };
  using Columns = std::unordered_map<std::uint32_t, Kept>;

  void reset_for(std::uint64_t corpus);
  void halve_times();
  Columns::iterator rarest();
  // True if a word with this count may replace the rarest. The factor of two keeps words of equal frequency from
  // evicting each other in turn.
  bool may_replace(std::uint32_t times);
  static std::size_t bytes_of(std::size_t words) { return words + sizeof(WordColumn); }

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::uint64_t corpus_ = 0;
  std::size_t bytes_ = 0;
  Columns columns_;
  std::unordered_map<std::uint32_t, std::uint32_t> times_;  // uses of words without a column
  std::size_t least_ = 0;                                   // lower bound of the uses of words with a column
  std::size_t counted_ = 0;                                 // words looked up since counts were halved
};

}  // namespace fuzzbow
