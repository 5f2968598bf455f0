#include "search/word_classes.hpp"

#include <algorithm>
#include <cmath>

namespace fuzzbow {

namespace {

// A class is as high as its highest word. Frequent words make up most of the texts, and would be lifted by the many
// rare ones: they have classes of their own, and more of them.
struct Share {
  std::int64_t panels;
  int classes;
};
constexpr Share kShares[] = {{94, 100}, {406, 80}, {INT64_MAX, 74}};
constexpr int kUnknown = 254;  // words without a vector; one more byte fills gaps
constexpr int kRounds = 3;
constexpr std::int64_t kSamplePanels = 256;  // to learn centres from
constexpr std::int64_t kPanelsAtOnce = 64;

}  // namespace

void WordClasses::learn(const CorpusWords& words, Execution& execution) {
  classes_.assign(words.size(), kUnknown);
  const std::int64_t panels = words.panels().panels();
  Tier tier = {kFrequentWords / kPanel, 0, 0, 0};
  for (const Share& share : kShares) {
    if (tier.begin >= panels) break;
    tier.end = std::min(panels - tier.begin, share.panels) + tier.begin;
    tier.classes = static_cast<int>(std::min<std::int64_t>(share.classes, words.size() - tier.begin * kPanel));
    learn(words, tier, execution);
    rarest_ = tier;
    tier = {tier.end, 0, tier.first_class + share.classes, 0};
  }
}

void WordClasses::extend(const CorpusWords& words, Execution& execution) {
  const std::int64_t before = static_cast<std::int64_t>(classes_.size());
  if (before == 0 || before == words.size()) return;
  classes_.resize(words.size(), kUnknown);
  // The panel that was not full is done again, to the same result.
  const Tier fresh = {before / kPanel, words.panels().panels(), rarest_.first_class, rarest_.classes};
  assign(words, fresh, 1, execution);
}

void WordClasses::learn(const CorpusWords& words, const Tier& tier, Execution& execution) {
  const std::int64_t dimension = words.panels().dimension(), count = tier.end - tier.begin;
  const std::int64_t step = std::max<std::int64_t>(1, count / kSamplePanels);
  std::vector<float> centres(static_cast<std::size_t>(tier.classes) * dimension);
  const std::int64_t first = tier.begin * kPanel, last = std::min(words.size(), tier.end * kPanel);
  for (int i = 0; i < tier.classes; ++i) {
    const std::int64_t word = first + (last - first) * i / tier.classes;
    std::copy_n(words.table().row(words.table_ids()[word]), dimension, centres.data() + i * dimension);
  }
  for (int round = 0; round < kRounds; ++round) {
    set_centres(centres, dimension);
    assign(words, tier, step, execution);
    average(words, tier, step, centres);
  }
  set_centres(centres, dimension);
  assign(words, tier, 1, execution);
}

void WordClasses::set_centres(const std::vector<float>& centres, std::int64_t dimension) {
  const int count = static_cast<int>(static_cast<std::int64_t>(centres.size()) / std::max<std::int64_t>(1, dimension));
  centres_.resize(count, static_cast<int>((dimension + 3) / 4));
  QuantisedVector image;
  for (int i = 0; i < count; ++i) {
    image.assign(centres.data() + i * dimension, dimension);
    centres_.set(i, image.values.data(), image.scale, image.error, image.norm);
  }
}

// A class without words keeps its centre.
void WordClasses::average(const CorpusWords& words, const Tier& tier, std::int64_t step,
                          std::vector<float>& centres) const {
  const std::int64_t dimension = words.panels().dimension();
  std::vector<float> sums(centres.size(), 0.0f);
  for (std::int64_t panel = tier.begin; panel < tier.end; panel += step)
    for (std::int64_t word = panel * kPanel; word < std::min(words.size(), (panel + 1) * kPanel); ++word) {
      if (classes_[word] == kUnknown) continue;
      const float* row = words.table().row(words.table_ids()[word]);
      float* sum = sums.data() + (classes_[word] - tier.first_class) * dimension;
      for (std::int64_t d = 0; d < dimension; ++d) sum[d] += row[d];
    }
  for (int i = 0; i < tier.classes; ++i) {
    const float* sum = sums.data() + i * dimension;
    double square = 0;
    for (std::int64_t d = 0; d < dimension; ++d) square += static_cast<double>(sum[d]) * sum[d];
    if (!(square > 0)) continue;
    const float factor = static_cast<float>(1 / std::sqrt(square));
    for (std::int64_t d = 0; d < dimension; ++d) centres[i * dimension + d] = sum[d] * factor;
  }
}

void WordClasses::assign(const CorpusWords& words, const Tier& tier, std::int64_t step, Execution& execution) {
  const std::int64_t panels = (tier.end - tier.begin + step - 1) / step;
  const int count = centres_.count();
  execution.for_chunks(panels, kPanelsAtOnce, [&](int, std::int64_t begin, std::int64_t end) {
    std::vector<float> similarities(static_cast<std::size_t>(count) * kPanel);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t panel = tier.begin + i * step, first = panel * kPanel;
      kernels().panel_similarities(words.panels().panel(panel), centres_.words(0, count), centres_.factors(0),
                                   similarities.data());
      for (std::int64_t word = first; word < std::min(words.size(), first + kPanel); ++word) {
        if (is_unknown(words.table().kind(words.table_ids()[word]))) continue;
        const float* own = similarities.data() + (word - first);
        int nearest = 0;
        for (int c = 1; c < count; ++c)
          if (own[c * kPanel] > own[nearest * kPanel]) nearest = c;
        classes_[word] = static_cast<std::uint8_t>(tier.first_class + nearest);
      }
    }
  });
}

}  // namespace fuzzbow
