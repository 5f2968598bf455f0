// The best k hits: higher scores first, then smaller document numbers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace fuzzbow {

struct Hit {
  float score;
  std::uint32_t document;
};

inline bool better(const Hit& a, const Hit& b) {
  return a.score != b.score ? a.score > b.score : a.document < b.document;
}

class TopList {
 public:
  explicit TopList(std::int64_t wanted = 0) : wanted_(static_cast<std::size_t>(wanted)) {}

  void add(Hit hit) {
    if (hits_.size() < wanted_) {
      hits_.push_back(hit);
      std::push_heap(hits_.begin(), hits_.end(), better);
    } else if (better(hit, hits_.front())) {
      std::pop_heap(hits_.begin(), hits_.end(), better);
      hits_.back() = hit;
      std::push_heap(hits_.begin(), hits_.end(), better);
    }
  }
  std::size_t wanted() const { return wanted_; }
  bool full() const { return hits_.size() == wanted_; }
  float worst() const { return hits_.front().score; }
  const std::vector<Hit>& hits() const { return hits_; }

 private:
  std::size_t wanted_;
  std::vector<Hit> hits_;
};

// Merges the hits of all workers.
std::vector<Hit> best_of(const std::vector<TopList>& lists);

}  // namespace fuzzbow
