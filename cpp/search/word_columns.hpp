// What words of queries are to a corpus, kept for the next queries that hold them: queries share their words.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "simd/kernels.hpp"

namespace fuzzbow {

// Bounds of a word's similarity with every word of a corpus, rounded up to levels of a unit; below 0 is 0.
struct WordColumn {
  WordColumn(std::size_t words, float highest, float typical)
      : highest(highest), typical(typical), levels(words), unit_(highest / 254.0f) {}

  // The words of one panel, `first` on. A similarity above the highest cannot be: its bound is cut.
  void write(std::size_t first, const float* similarities) {
    const float inverse = unit_ > 1e-30f ? 1.0f / unit_ : 0.0f;
    for (int lane = 0; lane < kPanel; ++lane) {
      const float level = similarities[lane] * inverse;
      const int whole = level > 0.0f ? static_cast<int>(level < 253.5f ? level : 253.5f) + 1 : 0;
      levels[first + lane] = static_cast<std::uint8_t>(inverse > 0.0f ? whole : 254);
    }
  }
  // As the column of a query's word at this place.
  KeptColumn at(int place) const { return {levels.data(), unit_ * 1.000001f, place}; }

  float highest, typical;  // as in QueryWords
  std::vector<std::uint8_t> levels;

 private:
  float unit_;
};

// Columns by a word's id in the table of the queries; threads may share them. About 32 MiB at most, then they are
// forgotten. Those of another corpus, or of another state of it, are never found.
class WordColumns {
 public:
  using Column = std::shared_ptr<const WordColumn>;

  // For each id its column, or null.
  std::vector<Column> find(std::uint64_t corpus, const std::vector<std::uint32_t>& ids);
  void keep(std::uint64_t corpus, std::uint32_t id, Column column);
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  void turn_to(std::uint64_t corpus);

  mutable std::mutex mutex_;
  std::uint64_t corpus_ = 0;
  std::size_t bytes_ = 0;
  std::unordered_map<std::uint32_t, Column> columns_;
};

}  // namespace fuzzbow
