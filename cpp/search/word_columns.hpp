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
      : highest(highest), typical(typical), levels(words), unit_(highest / 253.0f) {}

  // The words of one panel, from `first` on. A similarity above the highest cannot be: its bound is cut.
  void write(std::size_t first, const float* similarities) {
    constexpr float kUp = 0.99999994f;  // what is cut off then rounds up, and 0 stays 0
    const float inverse = unit_ > 1e-30f ? 1.0f / unit_ : 0.0f, least = inverse > 0.0f ? 0.0f : 253.0f;
    std::uint8_t* target = levels.data() + first;
    for (int lane = 0; lane < kPanel; ++lane) {
      const float level = std::min(253.0f, std::max(least, similarities[lane] * inverse));
      target[lane] = static_cast<std::uint8_t>(static_cast<int>(level + kUp));
    }
  }
  // As the column of a query's word at this place.
  KeptColumn at(int place) const { return {levels.data(), unit_ * 1.000001f, place}; }

  float highest, typical;  // as in QueryWords
  std::vector<std::uint8_t> levels;

 private:
  float unit_;
};

// Columns by a word's id in the table of the queries; threads may share them. Most words never come again: a word is
// worth a column when it comes for the second time. About 32 MiB at most, then they are forgotten. Those of another
// corpus, or of another state of it, are never found.
class WordColumns {
 public:
  using Column = std::shared_ptr<const WordColumn>;
  struct Found {
    Column column;        // or null
    bool worthy = false;  // of being kept, where it is null
  };

  std::vector<Found> find(std::uint64_t corpus, const std::vector<std::uint32_t>& ids);
  void keep(std::uint64_t corpus, std::uint32_t id, Column column);

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  void turn_to(std::uint64_t corpus);

  std::mutex mutex_;
  std::uint64_t corpus_ = 0;
  std::size_t bytes_ = 0;
  std::unordered_map<std::uint32_t, Column> columns_;
  std::unordered_set<std::uint32_t> seen_;
};

}  // namespace fuzzbow
