// The sums of what texts gain from the postings of an anchor, as integers that are rounded up.
#pragma once
#include <cstdint>
#include <vector>

namespace fuzzbow {

class Gains {
 public:
  explicit Gains(std::int64_t texts) : sums_(texts, 0) {}

  // Prepares for an anchor that reads at most `lists` lists with gains up to `largest`. Texts whose sum reaches
  // `needed` become its partners.
  void start(std::int64_t lists, double largest, double needed);
  static bool can_serve(std::int64_t lists) { return lists < kMostLists; }
  // Adds a gain to every text of a list.
  void add(const std::uint32_t* begin, const std::uint32_t* end, float gain);

  const std::vector<std::uint32_t>& partners() const { return partners_; }
  // Upper bound of what a partner gained.
  double sum(std::uint32_t partner) const { return (sums_[partner] - base_) * unit_; }

 private:
  static constexpr std::uint32_t kLargest = 1 << 14;  // largest gain in units
  static constexpr std::int64_t kMostLists = 1 << 16;

  // Sums start at a base above all sums of earlier anchors, so nothing has to be reset between anchors.
  std::vector<std::uint32_t> sums_;
  std::uint32_t base_ = 0, top_ = 0, enough_ = 0;
  double unit_ = 1, units_ = 1;
  std::vector<std::uint32_t> partners_;
};

}  // namespace fuzzbow
