#include "search/shortlist.hpp"

#include <algorithm>

namespace fuzzbow {

void Shortlist::add(const Place& place, const Survivors& survivors) {
  if (survivors.count == 0) return;
  const std::uint32_t number = static_cast<std::uint32_t>(places_.size());
  places_.push_back(place);
  for (std::int64_t i = 0; i < survivors.count; ++i) {
    const std::uint32_t position = survivors.positions[i];
    const float numerator = survivors.numerators[i], size = place.segment->size_of(position);
    if (numerator < query_.needed(size) || options_.skips(corpus_, place.segment->document(position))) continue;
    entries_.push_back({query_.promise(numerator, size), numerator, size, number, position, false});
  }
}

void Shortlist::drop_hopeless() {
  const float threshold = query_.threshold();
  const auto hopeless = [&](const Entry& entry) { return entry.numerator < query_.needed(entry.size, threshold); };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), hopeless), entries_.end());
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
void Shortlist::look_at_rows(std::int64_t count) {
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
    places_[entry.place].segment->words(entry.position, next_words_);
    bounds.expect_rows(next_words_);
    look();
    waiting = &entry;
    words_.swap(next_words_);
  }
  look();
}

void Shortlist::expect(const Entry& entry) {
  const Place& place = places_[entry.place];
  if (!remembers(place)) scorer_.expect(*place.segment, entry.position);
}

float Shortlist::exact_score(const Entry& entry) {
  const Place& place = places_[entry.place];
  ++counts_.scored;
  if (remembers(place)) return seen_->score(corpus_, query_.words(), scorer_.words(*place.segment, entry.position));
  return scorer_.score(query_.words(), *place.segment, entry.position);
}

void Shortlist::score(const Entry& entry, TopList& top) {
  const Hit hit = {exact_score(entry), places_[entry.place].segment->document(entry.position)};
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
    top.add({exact_score(entry), places_[entry.place].segment->document(entry.position)});
  }
  query_.raise_threshold(top);
}

void Shortlist::score_best(TopList& top) {
  drop_hopeless();
  if (size() <= many()) return;
  best_first(many(), size());
  look_at_rows(many());
  best_first(options_.wanted, many());
  for (std::int64_t i = 0; i < options_.wanted; ++i) {
    if (i + 1 < options_.wanted) expect(entries_[i + 1]);
    score(entries_[i], top);
  }
  entries_.erase(entries_.begin(), entries_.begin() + options_.wanted);
  drop_hopeless();
}

void Shortlist::settle(TopList& top) {
  if (!options_.all) score_best(top);
  look_at_rows(size());
  drop_hopeless();
  counts_.after_rows += size();
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.promise > b.promise; });
  for (const Entry& entry : entries_) {
    if (query_.given_up()) break;
    if (entry.numerator >= query_.needed(entry.size)) score(entry, top);
  }
  entries_.clear();
  places_.clear();
}

}  // namespace fuzzbow
