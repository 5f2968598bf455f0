#include "search/partner_bounds.hpp"

#include <algorithm>

namespace fuzzbow {

PartnerBounds::PartnerBounds(const Corpus& corpus, const JoinTexts& texts, const Neighbours& neighbours,
                             double threshold, double coverage)
    : corpus_(corpus),
      texts_(texts),
      neighbours_(neighbours),
      threshold_(threshold),
      coverage_(coverage * (1.0 - 1e-4)),
      cells_(corpus.words(), Cell{0.0f, 0.0f}),
      heads_(corpus.words(), 0) {}

void PartnerBounds::start(const Anchor& anchor) {
  size_ = anchor.size();
  base_ = 0;
  floor_ = 0;
  margin_ = 1.00001 + 1.2e-7 * static_cast<double>(anchor.elements().size());
  linked_ = false;
  touched_.clear();
  rows_.clear();
  for (const Anchor::Element& element : anchor.elements()) {
    const float floor = std::min(element.self, neighbours_.least(element.word));
    rows_.push_back({element.word, element.weight, element.self, floor});
    base_ += static_cast<double>(element.weight) * floor;
    floor_ = std::max(floor_, neighbours_.least(element.word));
    for (const Neighbour* n = neighbours_.begin(element.word); n != neighbours_.end(element.word); ++n) {
      Cell& cell = cells_[n->word];
      if (cell.other == 0.0f) touched_.push_back(n->word);
      cell.gain += element.weight * std::max(0.0f, std::min(n->similarity, element.self) - floor);
      cell.other = std::max(cell.other, n->similarity);
    }
  }
  for (std::uint32_t word : touched_) {
    Cell& cell = cells_[word];
    cell.other = texts_.word_weight(word) * std::max(0.0f, std::min(cell.other, corpus_.limits()[word]) - floor_);
  }
}

void PartnerBounds::link() {
  links_.assign(1, Link{});
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    for (const Neighbour* n = neighbours_.begin(rows_[i].word); n != neighbours_.end(rows_[i].word); ++n) {
      links_.push_back({heads_[n->word], i, n->similarity});
      heads_[n->word] = static_cast<std::uint32_t>(links_.size()) - 1;
    }
  linked_ = true;
}

void PartnerBounds::finish() {
  for (std::uint32_t word : touched_) cells_[word] = {0.0f, 0.0f};
  if (linked_)
    for (std::uint32_t word : touched_) heads_[word] = 0;
}

PartnerBounds::Cell PartnerBounds::sum(const std::uint32_t* words, std::int64_t count) const {
  Cell sums[2] = {};  // two independent chains of additions are twice as fast
  for (std::int64_t j = 0; j < count; ++j) {
    const Cell& cell = cells_[words[j]];
    sums[j & 1].gain += cell.gain;
    sums[j & 1].other += cell.other;
  }
  return {sums[0].gain + sums[1].gain, sums[0].other + sums[1].other};
}

bool PartnerBounds::possible(std::int64_t partner, double most_covered) {
  const JoinTexts::Summary& summary = texts_.summary(partner);
  const std::uint32_t* words = texts_.words(summary);
  const std::int32_t front = std::min(summary.length, JoinTexts::kFront);
  const double margin = margin_ + 1.2e-7 * summary.length;
  const double needed = corpus_.similarity().needed_numerator(threshold_, size_, summary.size);
  const Cell first = sum(words, front);
  const double most_of_front = (static_cast<double>(floor_) * summary.front + first.other) * margin;
  if (most_covered + most_of_front + summary.rest < needed) return false;
  const Cell second = sum(words + front, summary.length - front);
  const double covered = (base_ + first.gain + second.gain) * margin;
  const double other = (static_cast<double>(floor_) * summary.weight + first.other + second.other) * margin;
  if (covered < coverage_ * size_ || covered + other < needed) return false;
  const double rows = row_bound(summary) * margin;
  return rows >= coverage_ * size_ && rows + other >= needed;
}

double PartnerBounds::row_bound(const JoinTexts::Summary& partner) {
  if (!linked_) link();
  best_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) best_[i] = rows_[i].floor;
  const std::uint32_t* words = texts_.words(partner);
  for (std::int32_t j = 0; j < partner.length; ++j)
    for (std::uint32_t link = heads_[words[j]]; link; link = links_[link].next)
      best_[links_[link].element] = std::max(best_[links_[link].element], links_[link].similarity);
  double sum = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    sum += static_cast<double>(rows_[i].weight) * std::min(best_[i], rows_[i].self);
  return sum;
}

}  // namespace fuzzbow
