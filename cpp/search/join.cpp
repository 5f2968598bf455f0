#include "search/join.hpp"

#include <algorithm>
#include <mutex>

#include "scoring.hpp"
#include "search/bounded_search.hpp"
#include "self_memberships.hpp"

namespace fuzzbow {

namespace {

constexpr std::int64_t kBudget = 3000;  // postings worth reading to make the filter sharper
constexpr double kLowestCoverage = 0.35;

}  // namespace

struct Join::Worker {
  std::vector<JoinedPair> pairs;
  JoinStatistics counts;
  std::vector<float> gathered_share;  // per document
  std::vector<std::uint32_t> touched;
  std::vector<float> word_gains;  // per word of the corpus: what it adds to the coverage of the current anchor
  Plan plan;
  Gathered left, right;
  SearchScratch scratch;
};

Join::~Join() = default;

Join::Join(const Table& table, const Ragged& all, const SetSimilarity& similarity, float threshold,
           std::optional<std::int64_t> boundary, Execution& execution)
    : table_(table), similarity_(similarity), threshold_(threshold), boundary_(boundary) {
  Ragged documents = all;
  if (boundary && (*boundary == 0 || *boundary == all.size)) documents.size = 0;  // one side is empty: no pairs
  corpus_ = std::make_unique<Corpus>(table, similarity, documents.counts != nullptr);
  corpus_->append(documents, execution);
  ids_.assign(documents.ids, documents.ids + documents.total());
  offsets_.assign(documents.offsets, documents.offsets + documents.size + 1);
  if (documents.counts) counts_.assign(documents.counts, documents.counts + documents.total());
  self_.resize(ids_.size());
  self_memberships(table, documents, execution, self_.data());
  words_.resize(ids_.size());
  for (std::size_t i = 0; i < ids_.size(); ++i) words_[i] = corpus_->local(ids_[i]);
  coverage_ = similarity.needed_coverage(threshold);
  // A lower share asks for fewer words of an anchor but lists more neighbours.
  share_ = static_cast<float>(std::min(0.5, std::max(0.25, coverage_ - 0.4)));
  scanned_.assign(documents.size, 1);
  if (coverage_ < kLowestCoverage || !counts_.empty()) return;
  neighbours_ = std::make_unique<Neighbours>(*corpus_, share_, execution);
  if (!neighbours_->usable()) return;
  build_postings();
  execution.for_chunks(documents.size, 4096, [&](int, std::int64_t begin, std::int64_t end) {
    Plan scratch;
    for (std::int64_t i = begin; i < end; ++i) scanned_[i] = !plan(i, scratch);
  });
}

void Join::build_postings() {
  const std::int64_t words = corpus_->words();
  posting_offsets_.assign(words + 1, 0);
  std::vector<std::uint32_t> distinct;
  auto each = [&](auto visit) {
    for (std::int64_t document = 0; document < size(); ++document) {
      distinct.assign(words_.begin() + offsets_[document], words_.begin() + offsets_[document + 1]);
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      for (std::uint32_t word : distinct) visit(word, static_cast<std::uint32_t>(document));
    }
  };
  each([&](std::uint32_t word, std::uint32_t) { ++posting_offsets_[word + 1]; });
  for (std::int64_t i = 0; i < words; ++i) posting_offsets_[i + 1] += posting_offsets_[i];
  postings_.resize(posting_offsets_[words]);
  std::vector<std::int64_t> next(posting_offsets_.begin(), posting_offsets_.end() - 1);
  each([&](std::uint32_t word, std::uint32_t document) { postings_[next[word]++] = document; });
  costs_.assign(words, 0);
  for (std::uint32_t word = 0; word < words; ++word)
    for (const Neighbour* n = neighbours_->begin(word); n != neighbours_->end(word); ++n)
      costs_[word] += posting_offsets_[n->word + 1] - posting_offsets_[n->word];
}

// The cheapest words that together suffice, and more while they are cheap. False where a scan is cheaper.
bool Join::plan(std::int64_t document, Plan& plan) const {
  std::vector<Element>& elements = plan.elements;
  elements.clear();
  double whole = 0;
  for (std::int64_t i = offsets_[document]; i < offsets_[document + 1]; ++i) {
    const float weight = table_.weight(ids_[i]);
    whole += static_cast<double>(weight) * self_[i];
    auto known = std::find_if(elements.begin(), elements.end(), [&](const Element& e) { return e.word == words_[i]; });
    if (known == elements.end())
      elements.push_back({words_[i], weight * self_[i], self_[i], weight, costs_[words_[i]]});
    else
      known->weighted_self += weight * self_[i], known->weight += weight;
  }
  plan.needed = plan.needed_of_all = 0;
  plan.chosen = 0;
  if (whole <= 0) {  // without weight its coverage is 0: never an anchor
    elements.clear();
    return true;
  }
  std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
    const double left = static_cast<double>(a.cost) * b.weighted_self,
                 right = static_cast<double>(b.cost) * a.weighted_self;
    return left != right ? left < right : a.word < b.word;
  });
  const double lacking = (1.0 - coverage_) * whole * 1.0001;
  double gathered = 0;
  std::int64_t cost = 0;
  std::size_t taken = 0;
  for (; taken < elements.size(); ++taken) {
    // A word with a self of zero has no neighbours and adds nothing to the coverage.
    if (elements[taken].self <= 0) continue;
    const bool enough = gathered > lacking;
    if (enough && cost + elements[taken].cost > kBudget) break;
    cost += elements[taken].cost;
    gathered += (1.0 - share_) * elements[taken].weighted_self;
  }
  if (gathered <= lacking || cost > std::max<std::int64_t>(20000, 2 * size())) return false;
  plan.chosen = taken;
  plan.needed = gathered - lacking;
  for (; taken < elements.size(); ++taken) gathered += (1.0 - share_) * elements[taken].weighted_self;
  plan.needed_of_all = gathered - lacking;
  return true;
}

void Join::read_postings(Worker& worker) const {
  worker.gathered_share.resize(size(), 0.0f);
  worker.touched.clear();
  for (std::size_t i = 0; i < worker.plan.chosen; ++i) {
    const Element& element = worker.plan.elements[i];
    for (const Neighbour* n = neighbours_->begin(element.word); n != neighbours_->end(element.word); ++n) {
      const float gain = element.gain(n->similarity, share_);
      if (gain <= 0) continue;
      for (std::int64_t p = posting_offsets_[n->word]; p < posting_offsets_[n->word + 1]; ++p) {
        const std::uint32_t partner = postings_[p];
        if (worker.gathered_share[partner] == 0.0f) worker.touched.push_back(partner);
        worker.gathered_share[partner] += gain;
      }
      worker.counts.postings += posting_offsets_[n->word + 1] - posting_offsets_[n->word];
    }
  }
}

// Sums up per word of the corpus what it adds to the coverage of the anchor, over all of the anchor's words; with
// `clear` the same cells are set back to 0.
void Join::spread_gains(Worker& worker, bool clear) const {
  worker.word_gains.resize(corpus_->words(), 0.0f);
  for (const Element& element : worker.plan.elements)
    for (const Neighbour* n = neighbours_->begin(element.word); n != neighbours_->end(element.word); ++n)
      if (clear)
        worker.word_gains[n->word] = 0.0f;
      else
        worker.word_gains[n->word] += std::max(0.0f, element.gain(n->similarity, share_));
}

void Join::from_postings(std::int64_t document, Worker& worker, Execution& execution, int number) const {
  plan(document, worker.plan);
  read_postings(worker);
  spread_gains(worker, false);
  const float needed = static_cast<float>(worker.plan.needed * 0.999);
  const float needed_of_all = static_cast<float>(worker.plan.needed_of_all * 0.999);
  PairScorer scorer(execution, number);
  const std::int64_t start = offsets_[document], length = offsets_[document + 1] - start;
  const TextWords left = worker.left.gather(table_, ids_.data() + start, length, nullptr, self_.data() + start);
  for (std::uint32_t partner : worker.touched) {
    const float share = worker.gathered_share[partner];
    worker.gathered_share[partner] = 0.0f;
    if (share < needed || !partners(document, partner)) continue;
    float of_all = 0;
    for (std::int64_t j = offsets_[partner]; j < offsets_[partner + 1]; ++j) of_all += worker.word_gains[words_[j]];
    if (of_all < needed_of_all) continue;
    ++worker.counts.candidates;
    const std::int64_t other = offsets_[partner];
    const TextWords& right =
        worker.right.gather(table_, ids_.data() + other, offsets_[partner + 1] - other, nullptr, self_.data() + other);
    const PairScore found = scorer.score(similarity_, left, right);
    if (found.score < threshold_ || !finds(document, found.left_coverage)) continue;
    if (finds(partner, found.right_coverage) && partner < document) continue;  // found from there
    worker.pairs.push_back(
        {std::min<std::int64_t>(document, partner), std::max<std::int64_t>(document, partner), found.score});
  }
  spread_gains(worker, true);
}

void Join::from_scan(std::int64_t document, Worker& worker, Execution& execution, int number) const {
  ++worker.counts.scanned_rows;
  const Ragged texts = {ids_.data(), offsets_.data(), counts_.empty() ? nullptr : counts_.data(), size()};
  SearchOptions options;
  options.wanted = size();
  options.min_score = threshold_;
  options.all = true;
  const std::vector<Hit> hits =
      search_alone(*corpus_, {&table_, nullptr, texts}, document, options, execution, number, worker.scratch);
  PairScorer scorer(execution, number);
  const std::int64_t start = offsets_[document];
  for (const Hit& hit : hits) {
    const std::int64_t partner = hit.document;
    if (!partners(document, partner)) continue;
    if (partner < document) {
      if (scanned_[partner]) continue;
      const std::int64_t other = offsets_[partner];
      const TextWords left = worker.left.gather(table_, ids_.data() + start, offsets_[document + 1] - start, nullptr,
                                                self_.data() + start);
      const TextWords& right = worker.right.gather(table_, ids_.data() + other, offsets_[partner + 1] - other, nullptr,
                                                   self_.data() + other);
      if (finds(partner, scorer.score(similarity_, left, right).right_coverage)) continue;
    }
    worker.pairs.push_back({std::min(document, partner), std::max(document, partner), hit.score});
  }
}

std::vector<JoinedPair> Join::rows(std::int64_t begin, std::int64_t end, Execution& execution,
                                   JoinStatistics* statistics) const {
  std::vector<Worker> workers(execution.threads());
  execution.for_chunks(end - begin, 16, [&](int number, std::int64_t first, std::int64_t last) {
    for (std::int64_t document = begin + first; document < begin + last; ++document) {
      if (execution.stopped(number)) throw Interrupted();
      if (offsets_[document] == offsets_[document + 1]) continue;
      ++workers[number].counts.anchors;
      if (scanned_[document])
        from_scan(document, workers[number], execution, number);
      else
        from_postings(document, workers[number], execution, number);
    }
  });
  std::vector<JoinedPair> all;
  JoinStatistics sum;
  for (const Worker& worker : workers) {
    all.insert(all.end(), worker.pairs.begin(), worker.pairs.end());
    sum.anchors += worker.counts.anchors;
    sum.scanned_rows += worker.counts.scanned_rows;
    sum.postings += worker.counts.postings;
    sum.candidates += worker.counts.candidates;
  }
  std::sort(all.begin(), all.end(), [](const JoinedPair& a, const JoinedPair& b) {
    return a.left != b.left ? a.left < b.left : a.right < b.right;
  });
  if (statistics) *statistics = sum;
  return all;
}

}  // namespace fuzzbow
