#include "search/word_columns.hpp"

#include <algorithm>
#include <iterator>

namespace fuzzbow {

namespace {

constexpr std::size_t kFewestCounted = 1 << 14, kCountedPerColumn = 16;  // lookups before counts are halved

}  // namespace

void WordColumns::reset_for(std::uint64_t corpus) {
  if (corpus == corpus_) return;
  columns_.clear();
  times_.clear();
  bytes_ = counted_ = least_ = 0;
  corpus_ = corpus;
}

void WordColumns::halve_times() {
  counted_ = least_ = 0;
  for (auto& entry : columns_) entry.second.times /= 2;
  for (auto entry = times_.begin(); entry != times_.end();)
    entry = (entry->second /= 2) > 0 ? std::next(entry) : times_.erase(entry);
}

WordColumns::Columns::iterator WordColumns::rarest() {
  return std::min_element(columns_.begin(), columns_.end(),
                          [](const auto& a, const auto& b) { return a.second.times < b.second.times; });
}

// Counts only grow until they are halved, so the minimum is seldom recomputed.
bool WordColumns::may_replace(std::uint32_t times) {
  if (times <= 2 * least_) return false;
  const auto last = rarest();
  least_ = last == columns_.end() ? 0 : last->second.times;
  return last != columns_.end() && times > 2 * least_;
}

std::vector<WordColumns::Found> WordColumns::find(std::uint64_t corpus, std::size_t words,
                                                  const std::vector<std::uint32_t>& ids) {
  std::vector<Found> found(ids.size());
  const std::lock_guard<std::mutex> lock(mutex_);
  reset_for(corpus);
  counted_ += ids.size();
  if (counted_ > std::max(kFewestCounted, kCountedPerColumn * columns_.size())) halve_times();
  const bool full = bytes_ + bytes_of(words) > most_bytes_;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto known = columns_.find(ids[i]);
    if (known != columns_.end()) {
      ++known->second.times;
      found[i].column = known->second.column;
      continue;
    }
    const std::uint32_t times = ++times_[ids[i]];
    found[i].worthy = times > 1 && (!full || may_replace(times));
  }
  return found;
}

void WordColumns::keep(std::uint64_t corpus, std::uint32_t id, Column column) {
  const std::size_t bytes = bytes_of(column->levels.size());
  if (bytes > most_bytes_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  reset_for(corpus);
  if (columns_.count(id)) return;  // another thread was faster
  const std::uint32_t times = times_[id];
  while (bytes_ + bytes > most_bytes_) {
    if (!may_replace(times)) return;
    const auto last = rarest();
    bytes_ -= bytes_of(last->second.column->levels.size());
    times_[last->first] = last->second.times;
    columns_.erase(last);
  }
  times_.erase(id);
  columns_.emplace(id, Kept{std::move(column), times});
  bytes_ += bytes;
}

}  // namespace fuzzbow
