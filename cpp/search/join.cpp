#include "search/join.hpp"

#include <algorithm>

#include "scores/pair_scorer.hpp"
#include "search/bounded_search.hpp"
#include "search/gains.hpp"
#include "search/partner_bounds.hpp"
#include "simd/compiler.hpp"
#include "support/counts.hpp"

namespace fuzzbow {

namespace {

constexpr double kLowestCoverage = 0.35;
constexpr std::size_t kAhead = 24;  // distance between the prefetch of texts or lists and their use

}  // namespace

using Seen = JoinStatistics;
const std::array<Seen::Count, 5> Seen::kCounts = {{{"anchors", &Seen::anchors},
                                                   {"scanned_rows", &Seen::scanned_rows},
                                                   {"postings", &Seen::postings},
                                                   {"met", &Seen::met},
                                                   {"candidates", &Seen::candidates}}};

struct Join::Worker {
  std::vector<JoinedPair> pairs;
  JoinStatistics counts;
  Anchor anchor;
  struct List {  // the postings of a word, and its gain for the anchor
    std::uint32_t word;
    float gain;
  };
  std::vector<List> lists;
  std::unique_ptr<Gains> gains;
  std::unique_ptr<PartnerBounds> bounds;
  Gathered left, right;
  SearchScratch scratch;
};

Join::~Join() = default;

Join::Join(const Table& table, const Ragged& all, const SetSimilarity& similarity, float threshold,
           std::optional<std::int64_t> boundary, Execution& execution)
    : table_(table), similarity_(similarity), threshold_(threshold), boundary_(boundary) {
  Ragged texts = all;
  if (boundary && (*boundary == 0 || *boundary == all.size)) texts.size = 0;  // one side is empty: no pairs
  corpus_ = std::make_unique<Corpus>(table, similarity, texts.counts != nullptr);
  corpus_->append(texts, execution);
  texts_ = std::make_unique<JoinTexts>(*corpus_, texts, execution);
  coverage_ = similarity.needed_coverage(threshold);
  uncovered_.assign(texts.size, 1);
  if (coverage_ < kLowestCoverage || texts_->counted()) return;
  // A lower share gives sharper bounds but more neighbours, sometimes too many. It must be below the coverage.
  for (double share = std::max({0.25, 0.5 * coverage_, 2.0 * coverage_ - 1.2}); share < coverage_ - 0.05;
       share += 0.1) {
    neighbours_ = std::make_unique<Neighbours>(*corpus_, static_cast<float>(share), execution);
    if (neighbours_->usable()) break;
  }
  if (!neighbours_->usable()) return;
  texts_->build_postings();
  steps_ = std::make_unique<Steps>(*texts_, *neighbours_, execution);
  execution.for_chunks(texts.size, 4096, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t text = begin; text < end; ++text)
      uncovered_[text] = !Anchor::covers(*texts_, *neighbours_, text, coverage_);
  });
}

void Join::read_postings(Worker& worker) const {
  worker.lists.clear();
  for (const Anchor::Element& element : worker.anchor.elements()) {
    const Neighbour* n = neighbours_->begin(element.word);
    for (const Neighbour* end = n + element.neighbours; n != end; ++n)
      if (const float gain = element.gain(n->similarity); gain > 0) worker.lists.push_back({n->word, gain});
  }
  const std::vector<Worker::List>& lists = worker.lists;
  worker.gains->start(lists.size(), worker.anchor.largest_gain(), worker.anchor.needed());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (i + kAhead < lists.size()) FUZZBOW_PREFETCH(texts_->postings(lists[i + kAhead].word));
    worker.gains->add(texts_->postings(lists[i].word), texts_->postings(lists[i].word + 1), lists[i].gain);
    worker.counts.postings += texts_->posting_count(lists[i].word);
  }
}

void Join::from_postings(std::int64_t text, Worker& worker, Execution& execution, int number) const {
  if (!worker.bounds) {
    worker.gains = std::make_unique<Gains>(size());
    worker.bounds = std::make_unique<PartnerBounds>(*corpus_, *texts_, *neighbours_, threshold_, coverage_);
  }
  read_postings(worker);
  const std::vector<std::uint32_t>& met = worker.gains->partners();
  if (met.empty()) return;
  worker.counts.met += static_cast<std::int64_t>(met.size());
  worker.bounds->start(worker.anchor);
  PairScorer scorer(execution, number);
  const TextWords left = texts_->gather(table_, text, worker.left);
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (i + 2 * kAhead < met.size()) texts_->prefetch_summary(met[i + 2 * kAhead]);
    if (i + kAhead < met.size()) texts_->prefetch_words(met[i + kAhead]);
    const std::uint32_t partner = met[i];
    if (!are_partners(text, partner)) continue;
    if (!worker.bounds->possible(partner, worker.anchor.most_covered(worker.gains->sum(partner)))) continue;
    ++worker.counts.candidates;
    const PairScore found = scorer.score(similarity_, left, texts_->gather(table_, partner, worker.right));
    if (found.score < threshold_ || !finds(text, found.left_coverage)) continue;
    if (finds(partner, found.right_coverage) && partner < text) continue;  // reported by the partner
    worker.pairs.push_back({std::min<std::int64_t>(text, partner), std::max<std::int64_t>(text, partner), found.score});
  }
  worker.bounds->finish();
}

void Join::from_scan(std::int64_t text, Worker& worker, Execution& execution, int number) const {
  ++worker.counts.scanned_rows;
  SearchOptions options;
  options.wanted = size();
  options.min_score = threshold_;
  options.all = true;
  const std::vector<Hit> hits =
      search_alone(*corpus_, {&table_, nullptr, texts_->ragged()}, text, options, execution, number, worker.scratch);
  PairScorer scorer(execution, number);
  for (const Hit& hit : hits) {
    const std::int64_t partner = hit.document;
    if (!are_partners(text, partner)) continue;
    if (!uncovered_[text] || (partner < text && !uncovered_[partner])) {
      const TextWords left = texts_->gather(table_, text, worker.left);
      const PairScore found = scorer.score(similarity_, left, texts_->gather(table_, partner, worker.right));
      if (!finds(text, found.left_coverage)) continue;
      if (partner < text && finds(partner, found.right_coverage)) continue;
    } else if (partner < text) {
      continue;  // reported by the partner
    }
    worker.pairs.push_back({std::min(text, partner), std::max(text, partner), hit.score});
  }
}

void Join::search_from(std::int64_t text, Worker& worker, Execution& execution, int number) const {
  if (texts_->summary(text).length == 0) return;
  ++worker.counts.anchors;
  const std::int64_t most = 100000 + size() / 2;  // with more postings a scan is faster
  if (!uncovered_[text] && worker.anchor.plan(*texts_, *steps_, text, coverage_, most) &&
      Gains::can_serve(worker.anchor.lists()))
    from_postings(text, worker, execution, number);
  else
    from_scan(text, worker, execution, number);
}

std::vector<JoinedPair> Join::rows(std::int64_t begin, std::int64_t end, Execution& execution,
                                   JoinStatistics* statistics) const {
  std::vector<Worker> workers(execution.threads());
  execution.for_chunks(end - begin, 16, [&](int number, std::int64_t first, std::int64_t last) {
    for (std::int64_t text = begin + first; text < begin + last; ++text) {
      if (execution.stopped(number)) throw Interrupted();
      search_from(text, workers[number], execution, number);
    }
  });
  std::vector<JoinedPair> all;
  JoinStatistics sum;
  for (const Worker& worker : workers) {
    all.insert(all.end(), worker.pairs.begin(), worker.pairs.end());
    add_counts(sum, worker.counts);
  }
  std::sort(all.begin(), all.end(), [](const JoinedPair& a, const JoinedPair& b) {
    return a.left != b.left ? a.left < b.left : a.right < b.right;
  });
  if (statistics) *statistics = sum;
  return all;
}

}  // namespace fuzzbow
