#include "search/gains.hpp"

#include <algorithm>
#include <limits>

namespace fuzzbow {

void Gains::start(std::int64_t lists, double largest, double needed) {
  const std::uint32_t width = static_cast<std::uint32_t>(lists + 1) * (kLargest + 1);  // no sum is above
  if (top_ > std::numeric_limits<std::uint32_t>::max() - width) {
    std::fill(sums_.begin(), sums_.end(), 0);
    top_ = 0;
  }
  base_ = top_;
  top_ = base_ + width;
  unit_ = largest / kLargest;
  units_ = kLargest / largest;
  // one unit less, as the quotient is rounded
  enough_ = base_ + std::max<std::uint32_t>(1, static_cast<std::uint32_t>(needed * units_ * (1.0 - 1e-9)));
  partners_.clear();
}

void Gains::add(const std::uint32_t* begin, const std::uint32_t* end, float gain) {
  const std::uint32_t units = std::min(kLargest, static_cast<std::uint32_t>(gain * units_) + 1);
  const std::uint32_t base = base_, enough = enough_;
  std::uint32_t* sums = sums_.data();
  for (const std::uint32_t* text = begin; text != end; ++text) {
    const std::uint32_t before = std::max(sums[*text], base), after = before + units;
    sums[*text] = after;
    if (before < enough && after >= enough) partners_.push_back(*text);
  }
}

}  // namespace fuzzbow
