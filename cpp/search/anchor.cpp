#include "search/anchor.hpp"

namespace fuzzbow {

namespace {

// Postings beyond those that suffice sharpen the filter and are read faster than partners are checked. Always worth
// reading: this many, and this multiple of those that suffice.
constexpr std::int64_t kAlways = 1000, kTimes = 3;

// Upper bound of the part of an anchor's size that is not covered.
double lacking(double size, double coverage) { return (1.0 - coverage) * size * 1.0001; }

}  // namespace

Steps::Steps(const JoinTexts& texts, const Neighbours& neighbours, Execution& execution) {
  constexpr std::int64_t kWords = 256;
  const std::int64_t words = neighbours.words();
  std::vector<std::vector<Step>> found((words + kWords - 1) / kWords);
  offsets_.assign(words + 1, 0);
  execution.for_chunks(words, kWords, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<Step>& steps = found[begin / kWords];
    for (std::int64_t word = begin; word < end; ++word) {
      const std::size_t before = steps.size();
      find(texts, neighbours, static_cast<std::uint32_t>(word), steps);
      offsets_[word + 1] = static_cast<std::int64_t>(steps.size() - before);
    }
  });
  for (std::int64_t word = 0; word < words; ++word) offsets_[word + 1] += offsets_[word];
  for (const std::vector<Step>& steps : found) list_.insert(list_.end(), steps.begin(), steps.end());
}

// Pushes the corners of the concave hull of coverage over cost.
void Steps::find(const JoinTexts& texts, const Neighbours& neighbours, std::uint32_t word, std::vector<Step>& steps) {
  const std::size_t first = steps.size();
  const float own = neighbours.own(word);
  const auto gain = [own](const Step& step) { return static_cast<double>(own - std::min(own, step.floor)); };
  // True if the middle step is no corner.
  const auto cheaper = [&](const Step& low, const Step& middle, const Step& high) {
    return (gain(middle) - gain(low)) * static_cast<double>(high.cost - low.cost) <=
           (gain(high) - gain(low)) * static_cast<double>(middle.cost - low.cost);
  };
  const Step nothing = {0, own, 0};
  std::int64_t cost = 0;
  std::uint32_t taken = 0;
  for (const Neighbour* n = neighbours.begin(word); n != neighbours.end(word); ++n) {
    cost += texts.posting_count(n->word);
    ++taken;
    const Step step = {taken, n + 1 == neighbours.end(word) ? neighbours.least(word) : n[1].similarity, cost};
    if (gain(step) <= 0) continue;
    while (steps.size() > first &&
           cheaper(steps.size() > first + 1 ? steps[steps.size() - 2] : nothing, steps.back(), step))
      steps.pop_back();
    steps.push_back(step);
  }
}

void Anchor::read(const JoinTexts& texts, std::int64_t text) {
  elements_.clear();
  size_ = 0;
  texts.each_word(text, [&](std::uint32_t word, float weight, float self) {
    elements_.push_back({word, weight, self, 0, self});
    size_ += static_cast<double>(weight) * self;
  });
  std::sort(elements_.begin(), elements_.end(), [](const Element& a, const Element& b) { return a.word < b.word; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (kept && elements_[kept - 1].word == elements_[i].word)
      elements_[kept - 1].weight += elements_[i].weight;
    else
      elements_[kept++] = elements_[i];
  }
  elements_.resize(kept);
}

void Anchor::list_offers(const Steps& steps) {
  offers_.clear();
  for (std::uint32_t i = 0; i < elements_.size(); ++i) {
    const Element& element = elements_[i];
    float gained = 0;
    std::int64_t cost = 0;
    for (const Steps::Step* step = steps.begin(element.word); step != steps.end(element.word); ++step) {
      const float gain = element.weight * (element.self - std::min(element.self, step->floor));
      if (gain <= gained) continue;
      offers_.push_back({static_cast<float>(step->cost - cost) / (gain - gained), i, step});
      gained = gain;
      cost = step->cost;
    }
  }
  std::sort(offers_.begin(), offers_.end(),
            [](const Offer& a, const Offer& b) { return a.price != b.price ? a.price < b.price : a.step < b.step; });
}

void Anchor::accept(const Offer& offer) {
  Element& element = elements_[offer.element];
  if (offer.step->neighbours <= element.neighbours) return;
  const float floor = std::min(element.self, offer.step->floor);
  gathered_ += static_cast<double>(element.weight) * (static_cast<double>(element.floor) - floor);
  cost_ += offer.step->cost - costs_[offer.element];
  costs_[offer.element] = offer.step->cost;
  element.neighbours = offer.step->neighbours;
  element.floor = floor;
}

bool Anchor::covers(const JoinTexts& texts, const Neighbours& neighbours, std::int64_t text, double coverage) {
  double gathered = 0;
  texts.each_word(text, [&](std::uint32_t word, float weight, float self) {
    gathered += static_cast<double>(weight) * (self - std::min(self, neighbours.least(word)));
  });
  const double size = texts.summary(text).size;
  return size <= 0 || gathered > lacking(size, coverage);  // a text without weight is never an anchor
}

bool Anchor::plan(const JoinTexts& texts, const Steps& steps, std::int64_t text, double coverage, std::int64_t most) {
  read(texts, text);
  needed_ = gathered_ = 0;
  cost_ = 0;
  if (size_ <= 0) {
    elements_.clear();
    return true;
  }
  costs_.assign(elements_.size(), 0);
  list_offers(steps);
  const double lacking = ::fuzzbow::lacking(size_, coverage);
  auto offer = offers_.begin();
  for (; offer != offers_.end() && gathered_ <= lacking; ++offer) accept(*offer);
  if (gathered_ <= lacking || cost_ > most) return false;
  const std::int64_t worth = std::min(most, std::max(kAlways, kTimes * cost_));
  for (; offer != offers_.end() && cost_ + offer->step->cost - costs_[offer->element] <= worth; ++offer) accept(*offer);
  needed_ = gathered_ - lacking;
  return true;
}

std::int64_t Anchor::lists() const {
  std::int64_t sum = 0;
  for (const Element& element : elements_) sum += element.neighbours;
  return sum;
}

}  // namespace fuzzbow
