// What every text gains from the postings that an anchor reads, in integers that are rounded up.
#pragma once
#include <cstdint>
#include <vector>

namespace fuzzbow {

class Gains {
 public:
  explicit Gains(std::int64_t texts) : sums_(texts, 0) {}

  // So many lists at most are read for the next anchor. No gain is above `largest`; texts with a sum of `needed` or
  // more are its partners.
  void start(std::int64_t lists, double largest, double needed);
  static bool can_serve(std::int64_t lists) { return lists < kMostLists; }
  // Every text of the list gains so much.
  void add(const std::uint32_t* begin, const std::uint32_t* end, float gain);

  const std::vector<std::uint32_t>& partners() const { return partners_; }
  // At least the sum of what a partner gained.
  double sum(std::uint32_t partner) const { return (sums_[partner] - base_) * unit_; }

 private:
  static constexpr std::uint32_t kLargest = 1 << 14;  // the largest gain in units
  static constexpr std::int64_t kMostLists = 1 << 16;

  // Sums start from a base that is above all sums of the anchors before: nothing has to be set back to 0 between two.
  std::vector<std::uint32_t> sums_;
  std::uint32_t base_ = 0, top_ = 0, enough_ = 0;
  double unit_ = 1, units_ = 1;
  std::vector<std::uint32_t> partners_;
};

}  // namespace fuzzbow
