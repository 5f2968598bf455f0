// What words of queries are to a corpus, kept for the next queries that hold them: queries share their words.
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

// Bounds of a word's similarity with every word of a corpus, rounded up to levels of a unit; below 0 is 0.
struct WordColumn {
  WordColumn(std::size_t words, float highest, float typical)
      : highest(highest), typical(typical), levels(words), unit_(highest / kMostLevel) {}

  // The words of one panel, from `first` on. A similarity above the highest cannot be: its bound is cut.
  void write(std::size_t first, const float* similarities) {
    const float units = unit_ > 1e-30f ? 1.0f / unit_ : 0.0f, least = units > 0.0f ? 0.0f : kMostLevel;
    kernels().column_levels(similarities, units, least, levels.data() + first);
  }
  // As the column of a query's word at this place.
  KeptColumn at(int place) const { return {levels.data(), unit_ * 1.000001f, place}; }

  float highest, typical;  // as in QueryWords
  std::vector<std::uint8_t> levels;

 private:
  float unit_;
};

// Columns by a word's id in the table of the queries; threads may share them. Most words never come again: a word is
// worth a column when it comes for the second time. They take about 64 MiB at most; where there is no more room, a word
// that comes more than twice as often as the rarest of those kept takes its place. What came long ago counts for less.
// Those of another corpus, or of another state of it, are never found.
class WordColumns {
 public:
  using Column = std::shared_ptr<const WordColumn>;
  struct Found {
    Column column;        // or null
    bool worthy = false;  // of being kept, where it is null
  };

  explicit WordColumns(std::size_t most_bytes = std::size_t{64} << 20) : most_bytes_(most_bytes) {}

  // Of a corpus of so many words, by ids of distinct words of a query.
  std::vector<Found> find(std::uint64_t corpus, std::size_t words, const std::vector<std::uint32_t>& ids);
  void keep(std::uint64_t corpus, std::uint32_t id, Column column);

 private:
  struct Kept {
    Column column;
    std::uint32_t times;
  };
  using Columns = std::unordered_map<std::uint32_t, Kept>;

  void turn_to(std::uint64_t corpus);
  void halve_times();
  Columns::iterator rarest();
  // Words that come equally often, in turn, would else push each other out.
  bool may_replace(std::uint32_t times);
  static std::size_t bytes_of(std::size_t words) { return words + sizeof(WordColumn); }

  std::size_t most_bytes_;
  std::mutex mutex_;
  std::uint64_t corpus_ = 0;
  std::size_t bytes_ = 0;
  Columns columns_;
  std::unordered_map<std::uint32_t, std::uint32_t> times_;  // that words without a column came
  std::size_t least_ = 0;                                   // no word with a column came less often
  std::size_t counted_ = 0;                                 // words that came since their times were halved
};

}  // namespace fuzzbow
