#include "search/neighbours.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace fuzzbow {

namespace {

constexpr std::int64_t kWordBlock = 384;  // words that share one pass over the panels, 115 KB at d = 300
constexpr int kQueries = 24;              // words multiplied together
constexpr double kNothing = 1e-30;        // S(i, i) of a word without a vector

std::int64_t most_pairs(std::int64_t words) { return 200 * words + (1 << 20); }

// True if the similarity of two different words is not their dot product.
bool ruled(const Corpus& corpus, std::uint32_t a, std::uint32_t b) {
  if (!corpus.table().special()) return false;
  const std::uint8_t first = corpus.table().kind(corpus.table_ids()[a]);
  const std::uint8_t second = corpus.table().kind(corpus.table_ids()[b]);
  return is_unknown(first) || is_unknown(second) || (is_number(first) && is_number(second));
}

}  // namespace

Neighbours::Neighbours(const Corpus& corpus, float share, Execution& execution) {
  find_own(corpus, share);
  const std::int64_t words = corpus.words();
  std::vector<std::vector<Pair>> found(execution.threads());
  std::atomic<std::int64_t> total{0};
  execution.for_chunks(words, kWordBlock, [&](int worker, std::int64_t first, std::int64_t last) {
    if (total.load() > most_pairs(words)) return;
    const std::size_t before = found[worker].size();
    search_block(corpus, first, found[worker]);
    if (corpus.table().unknown()) add_trigram_pairs(corpus, first, last, found[worker]);
    total += static_cast<std::int64_t>(found[worker].size() - before);
  });
  usable_ = total.load() <= most_pairs(words);
  if (usable_) collect(corpus, found, execution);
}

void Neighbours::find_own(const Corpus& corpus, float share) {
  const std::int64_t padded = corpus.panels().panels() * kPanel;
  thresholds_.resize(padded);
  own_.resize(corpus.words());
  next_to_nothing_ = static_cast<float>(std::sqrt(kNothing) * corpus.panels().largest_norm() * 1.0001);
  std::fill_n(thresholds_.data(), padded, kNever);
  for (std::int64_t word = 0; word < corpus.words(); ++word) {
    double own = 1.0;
    if (!corpus.table().equal_is_one()) {
      own = 0;
      const float* row = corpus.table().row(corpus.table_ids()[word]);
      for (std::int64_t t = 0; t < corpus.table().dimension(); ++t) own += static_cast<double>(row[t]) * row[t];
    }
    own_[word] = static_cast<float>(own * 1.0001);
    if (own > kNothing) thresholds_[word] = static_cast<float>(own * share * 0.9999);
  }
}

// Compares words [first_word, + kWordBlock) with all later words: the bound is symmetric, so each pair is compared
// once. Words without a vector are compared by letters only.
void Neighbours::search_block(const Corpus& corpus, std::int64_t first_word, std::vector<Pair>& pairs) const {
  const QuantisedPanels& panels = corpus.panels();
  std::vector<std::uint32_t> words;
  for (std::int64_t word = first_word; word < std::min(corpus.words(), first_word + kWordBlock); ++word)
    if (!is_unknown(corpus.table().kind(corpus.table_ids()[word]))) words.push_back(static_cast<std::uint32_t>(word));
  std::vector<QuantisedBlock> blocks((words.size() + kQueries - 1) / kQueries);
  std::vector<std::int8_t> integers(static_cast<std::size_t>(panels.quads()) * 4);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t start = b * kQueries;
    blocks[b].resize(static_cast<int>(std::min<std::size_t>(kQueries, words.size() - start)), panels.quads());
    for (int i = 0; i < blocks[b].count(); ++i) {
      const std::uint32_t word = words[start + i];
      panels.integers(word, integers.data());
      blocks[b].set(i, integers.data(), panels.scale(word), panels.error(word), panels.norm(word));
    }
  }
  alignas(64) float similarities[kQueries * kPanel];
  for (std::int64_t panel = first_word / kPanel; panel < panels.panels(); ++panel) {
    if (!corpus.has_vectors(panel)) continue;
    const float* limits = thresholds_.data() + panel * kPanel;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const QuantisedWords block = blocks[b].words(0, blocks[b].count());
      kernels().panel_similarities(panels.panel(panel), block, blocks[b].factors(0), similarities);
      for (int i = 0; i < block.count; ++i) {
        const float* line = similarities + i * kPanel;
        const std::uint32_t a = words[b * kQueries + i];
        const float own = thresholds_[a];
        int hits = 0;
        for (int lane = 0; lane < kPanel; ++lane) hits |= (line[lane] >= own) | (line[lane] >= limits[lane]);
        for (int lane = 0; hits && lane < kPanel; ++lane) {
          const std::uint32_t v = static_cast<std::uint32_t>(panel * kPanel + lane);
          if (v <= a || v >= corpus.words() || !(line[lane] >= own || line[lane] >= limits[lane])) continue;
          if (!ruled(corpus, a, v)) pairs.push_back({a, v, line[lane]});
        }
      }
    }
  }
}

void Neighbours::add_trigram_pairs(const Corpus& corpus, std::int64_t begin, std::int64_t end,
                                   std::vector<Pair>& pairs) const {
  const Table& table = corpus.table();
  TrigramIndex::Scratch scratch;
  for (std::uint32_t word = static_cast<std::uint32_t>(begin); word < end; ++word) {
    const std::uint32_t id = corpus.table_ids()[word];
    // Pairs with an unknown word, each once: unknown words look up all others, known words none.
    if (!is_unknown(table.kind(id))) continue;
    // All thresholds are equal where letters are compared.
    for (const auto& match : corpus.trigrams().matches(table, id, thresholds_[word], scratch, word + 1)) {
      const std::uint8_t kind = table.kind(corpus.table_ids()[match.local]);
      if (is_number(kind) && is_number(table.kind(id))) continue;
      pairs.push_back({word, match.local, match.similarity * 1.000001f});
    }
  }
}

void Neighbours::collect(const Corpus& corpus, const std::vector<std::vector<Pair>>& found, Execution& execution) {
  offsets_.assign(corpus.words() + 1, 0);
  auto each = [&](auto visit) {
    for (std::uint32_t word = 0; word < corpus.words(); ++word)
      if (thresholds_[word] < kNever) visit(word, Neighbour{word, own_[word]});
    for (const auto& pairs : found)
      for (const Pair& pair : pairs) {
        if (pair.similarity >= thresholds_[pair.first]) visit(pair.first, Neighbour{pair.second, pair.similarity});
        if (pair.similarity >= thresholds_[pair.second]) visit(pair.second, Neighbour{pair.first, pair.similarity});
      }
  };
  each([&](std::uint32_t word, Neighbour) { ++offsets_[word + 1]; });
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  list_.resize(offsets_.back());
  std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
  each([&](std::uint32_t word, Neighbour neighbour) { list_[next[word]++] = neighbour; });
  execution.for_chunks(corpus.words(), kWordBlock, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t word = begin; word < end; ++word)
      std::sort(list_.begin() + offsets_[word], list_.begin() + offsets_[word + 1],
                [](const Neighbour& a, const Neighbour& b) {
                  return a.similarity != b.similarity ? a.similarity > b.similarity : a.word < b.word;
                });
  });
}

}  // namespace fuzzbow
