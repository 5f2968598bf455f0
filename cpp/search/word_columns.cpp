#include "search/word_columns.hpp"

namespace fuzzbow {

void WordColumns::turn_to(std::uint64_t corpus) {
  if (corpus == corpus_) return;
  columns_.clear();
  seen_.clear();
  bytes_ = 0;
  corpus_ = corpus;
}

std::vector<WordColumns::Found> WordColumns::find(std::uint64_t corpus, const std::vector<std::uint32_t>& ids) {
  std::vector<Found> found(ids.size());
  const std::lock_guard<std::mutex> lock(mutex_);
  turn_to(corpus);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto known = columns_.find(ids[i]);
    if (known != columns_.end())
      found[i].column = known->second;
    else
      found[i].worthy = !seen_.insert(ids[i]).second;
  }
  return found;
}

void WordColumns::keep(std::uint64_t corpus, std::uint32_t id, Column column) {
  const std::size_t bytes = column->levels.size() + sizeof(WordColumn);
  if (bytes > kMostBytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  turn_to(corpus);
  if (bytes_ + bytes > kMostBytes) {
    columns_.clear();
    bytes_ = 0;
  }
  if (columns_.emplace(id, std::move(column)).second) bytes_ += bytes;
}

}  // namespace fuzzbow
