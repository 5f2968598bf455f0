#include "search/shortlist.hpp"

#include <algorithm>

namespace fuzzbow {

void Shortlist::add(const ChunkRef& ref, const Survivors& survivors) {
  if (survivors.count == 0) return;
  const std::uint32_t number = static_cast<std::uint32_t>(chunks_.size());
  chunks_.push_back(ref);
  for (std::int64_t i = 0; i < survivors.count; ++i) {
    const std::uint32_t position = survivors.positions[i];
    const float numerator = survivors.numerators[i], size = ref.segment->size_of(position);
    if (numerator < query_.needed(size) || options_.skips(corpus_, ref.segment->document(position))) continue;
    entries_.push_back({query_.promise(numerator, size), numerator, size, number, position, false});
  }
}

void Shortlist::drop_excluded() {
  const float threshold = query_.threshold();
  const auto excluded = [&](const Entry& entry) { return entry.numerator < query_.needed(entry.size, threshold); };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), excluded), entries_.end());
}

void Shortlist::best_first(std::int64_t count, std::int64_t among) {
  if (count < among)
    std::nth_element(entries_.begin(), entries_.begin() + count, entries_.begin() + among,
                     [](const Entry& a, const Entry& b) { return a.promise > b.promise; });
}

float Shortlist::keep_best(std::int64_t count) {
  best_first(count, size());
  const float next = entries_[count].promise;
  entries_.resize(count);
  return next;
}

// Replaces the linear by the row bounds of the first `count` entries.
void Shortlist::tighten_by_rows(std::int64_t count) {
  const BoundTables& bounds = query_.bounds();
  // The rows of one document are prefetched while the previous one is evaluated.
  Entry* waiting = nullptr;
  const auto look = [&] {
    if (!waiting) return;
    waiting->numerator = bounds.row_numerator(words_, waiting->numerator);
    waiting->promise = query_.promise(waiting->numerator, waiting->size);
    waiting->by_rows = true;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    Entry& entry = entries_[i];
    if (entry.by_rows) continue;
    chunks_[entry.chunk].segment->words(entry.position, next_words_);
    bounds.prefetch_rows(next_words_);
    look();
    waiting = &entry;
    words_.swap(next_words_);
  }
  look();
}

void Shortlist::prefetch(const Entry& entry) {
  const ChunkRef& ref = chunks_[entry.chunk];
  if (!uses_seen_words(ref)) scorer_.prefetch(*ref.segment, entry.position);
}

float Shortlist::exact_score(const Entry& entry) {
  const ChunkRef& ref = chunks_[entry.chunk];
  ++counts_.scored;
  if (uses_seen_words(ref)) return seen_->score(corpus_, query_.words(), scorer_.words(*ref.segment, entry.position));
  return scorer_.score(query_.words(), *ref.segment, entry.position);
}

void Shortlist::score(const Entry& entry, TopList& top) {
  const Hit hit = {exact_score(entry), chunks_[entry.chunk].segment->document(entry.position)};
  query_.count_scored();
  if (hit.score < options_.min_score) return;
  top.add(hit);
  query_.raise_threshold(top);
}

void Shortlist::raise_threshold() {
  const std::int64_t count = std::min(options_.wanted, size());
  best_first(count, size());
  TopList top(options_.wanted);
  for (std::int64_t i = 0; i < count; ++i) {
    const Entry& entry = entries_[i];
    top.add({exact_score(entry), chunks_[entry.chunk].segment->document(entry.position)});
  }
  query_.raise_threshold(top);
}

void Shortlist::score_best(TopList& top) {
  drop_excluded();
  if (size() <= many()) return;
  best_first(many(), size());
  tighten_by_rows(many());
  best_first(options_.wanted, many());
  for (std::int64_t i = 0; i < options_.wanted; ++i) {
    if (i + 1 < options_.wanted) prefetch(entries_[i + 1]);
    score(entries_[i], top);
  }
  entries_.erase(entries_.begin(), entries_.begin() + options_.wanted);
  drop_excluded();
}

void Shortlist::settle(TopList& top) {
  if (!options_.all) score_best(top);
  tighten_by_rows(size());
  drop_excluded();
  counts_.after_rows += size();
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.promise > b.promise; });
  for (const Entry& entry : entries_) {
    if (query_.given_up()) break;
    if (entry.numerator >= query_.needed(entry.size)) score(entry, top);
  }
  entries_.clear();
  chunks_.clear();
}

}  // namespace fuzzbow
