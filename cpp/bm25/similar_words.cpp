#include "bm25/similar_words.hpp"

#include <algorithm>
#include <cstring>

namespace fuzzbow {

namespace {

constexpr int kWords = 16;                                 // query words that are compared with a panel together
constexpr std::size_t kMostCached = std::size_t{1} << 21;  // entries of all cached lists

}  // namespace

const float* WordSimilarities::read(const Table& table, const Bm25QueryWord& word, const Table& others,
                                    const std::uint32_t* ids, std::int64_t count) {
  rows_.resize(count);
  for (std::int64_t i = 0; i < count; ++i) rows_[i] = others.row(ids[i]);
  float* line = line_.at_least((count + 15) / 16 * 16 + 16);
  const float* row = table.row(word.id);
  kernels().dot_block(&row, 1, rows_.data(), static_cast<int>(count), table.padded(), line, static_cast<int>(count),
                      nothing_);
  const RuleWords query = {&table, &word.id, &word.identity}, columns = {&others, ids, ids};
  apply_rules(query, 1, columns, static_cast<int>(count), true, line, static_cast<int>(count));
  return line;
}

// True if a list cached for the corpus's word is valid for this query word: vector, kind and letters are equal.
bool SimilarWords::cacheable(const Table& table, const Bm25QueryWord& word) const {
  if (word.identity == kNoWord) return false;
  const Table& own = words_.table();
  if (&table == &own) return true;
  const Spelling &spelling = table.spelling(word.id), &known = own.spelling(word.identity);
  return table.kind(word.id) == own.kind(word.identity) && spelling.trigrams == known.trigrams &&
         std::equal(table.trigrams(word.id), table.trigrams(word.id) + spelling.trigrams,
                    own.trigrams(word.identity)) &&
         spelling.letters == known.letters &&
         std::equal(table.letters(word.id), table.letters(word.id) + spelling.letters, own.letters(word.identity)) &&
         std::memcmp(table.row(word.id), own.row(word.identity), sizeof(float) * table.padded()) == 0;
}

SimilarWords::Lists SimilarWords::find_cached(const Table& table, const std::vector<Bm25QueryWord>& query_words) const {
  Lists lists(query_words.size());
  std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < query_words.size(); ++i) {
    const auto found = cache_.find(query_words[i].identity);
    if (found != cache_.end() && cacheable(table, query_words[i])) lists[i] = found->second;
  }
  return lists;
}

void SimilarWords::add_to_cache(const Table& table, const std::vector<Bm25QueryWord>& query_words,
                                const Lists& lists) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < query_words.size(); ++i) {
    if (!cacheable(table, query_words[i])) continue;
    if (cached_ + lists[i]->size() > kMostCached) {
      cache_.clear();
      cached_ = 0;
    }
    if (lists[i]->size() <= kMostCached && cache_.emplace(query_words[i].identity, lists[i]).second)
      cached_ += lists[i]->size();
  }
}

SimilarWords::Lists SimilarWords::find(const Table& table, const std::vector<Bm25QueryWord>& query_words,
                                       Execution& execution) const {
  Lists lists = find_cached(table, query_words);
  std::vector<Bm25QueryWord> missing;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < query_words.size(); ++i)
    if (!lists[i]) {
      missing.push_back(query_words[i]);
      positions.push_back(i);
    }
  if (missing.empty()) return lists;
  std::vector<Candidates> candidates(missing.size());
  if (!options_.equality()) find_candidates(table, missing, execution, candidates);
  Lists fresh(missing.size());
  const std::int64_t count = static_cast<std::int64_t>(missing.size());
  // A single query's few words are done before a second thread has started.
  execution.for_chunks(count, 64, [&](int worker, std::int64_t begin, std::int64_t end) {
    thread_local TrigramIndex::Scratch scratch;
    for (std::int64_t i = begin; i < end; ++i) {
      if (execution.stopped(worker)) throw Interrupted();
      fresh[i] = std::make_shared<const SimilarList>(compare(table, missing[i], scratch, candidates[i]));
    }
  });
  add_to_cache(table, missing, fresh);
  for (std::size_t i = 0; i < missing.size(); ++i) lists[positions[i]] = fresh[i];
  return lists;
}

// Tasks are blocks of words with all panels, or with a part of the panels if there are fewer blocks than threads.
void SimilarWords::find_candidates(const Table& table, const std::vector<Bm25QueryWord>& query_words,
                                   Execution& execution, std::vector<Candidates>& found) const {
  const std::int64_t panels = words_.panels().panels(), count = static_cast<std::int64_t>(query_words.size());
  const std::int64_t blocks = (count + kWords - 1) / kWords;
  const std::int64_t parts =
      blocks < execution.threads() ? std::min<std::int64_t>(execution.threads(), panels / 64 + 1) : 1;
  std::vector<std::vector<Candidates>> of_part(parts, std::vector<Candidates>(count));
  execution.for_chunks(blocks * parts, 1, [&](int worker, std::int64_t task, std::int64_t) {
    const std::int64_t first = task / parts * kWords, part = task % parts;
    const QuantisedBlock some =
        quantised(table, query_words.data() + first, std::min<std::int64_t>(kWords, count - first));
    for (std::int64_t begin = panels * part / parts, end = panels * (part + 1) / parts; begin < end; begin += 1024) {
      if (execution.stopped(worker)) throw Interrupted();
      search_panels(some, begin, std::min(end, begin + 1024), of_part[part].data() + first);
    }
  });
  for (std::int64_t i = 0; i < count; ++i)
    for (auto& part : of_part) found[i].insert(found[i].end(), part[i].begin(), part[i].end());
}

QuantisedBlock SimilarWords::quantised(const Table& table, const Bm25QueryWord* query_words, std::int64_t count) const {
  QuantisedBlock block;
  QuantisedVector image;
  block.resize(static_cast<int>(count), words_.panels().quads());
  for (int i = 0; i < block.count(); ++i) {
    image.assign(table.row(query_words[i].id), words_.panels().dimension());
    block.set(i, image.values.data(), image.scale, image.error, image.norm);
  }
  return block;
}

// Pushes the words of panels [begin, end) whose bound is above the floor.
void SimilarWords::search_panels(const QuantisedBlock& block, std::int64_t begin, std::int64_t end,
                                 Candidates* found) const {
  const QuantisedPanels& panels = words_.panels();
  const float floor = static_cast<float>(options_.floor);
  const QuantisedWords words = block.words(0, block.count());
  alignas(64) float similarities[kWords * kPanel];
  for (std::int64_t panel = begin; panel < end; ++panel) {
    if (!words_.has_vectors(panel)) continue;
    kernels().panel_similarities(panels.panel(panel), words, block.factors(0), similarities);
    for (int i = 0; i < block.count(); ++i) {
      const float* line = similarities + i * kPanel;
      int hits = 0;
      for (int lane = 0; lane < kPanel; ++lane) hits |= line[lane] > floor;
      for (int lane = 0; hits && lane < kPanel; ++lane)
        if (line[lane] > floor && panel * kPanel + lane < words_.size())
          found[i].push_back(static_cast<std::uint32_t>(panel * kPanel + lane));
    }
  }
}

// Adds words that are similar by their letters.
void SimilarWords::add_letters(const Table& table, const Bm25QueryWord& word, TrigramIndex::Scratch& scratch,
                               Candidates& candidates) const {
  const bool unknown = is_unknown(table.kind(word.id));
  if (!table.rules() || (!unknown && !words_.table().unknown())) return;
  const float floor = static_cast<float>(options_.floor);
  for (const auto& match : words_.trigrams().matches(table, word.id, floor, scratch))
    if (match.similarity > floor) candidates.push_back(match.local);
}

SimilarList SimilarWords::compare(const Table& table, const Bm25QueryWord& word, TrigramIndex::Scratch& scratch,
                                  Candidates& candidates) const {
  const std::uint32_t same = word.identity == kNoWord ? kNoWord : words_.local(word.identity);
  SimilarList list;
  if (options_.equality()) {
    if (same != kNoWord) list.push_back({same, 1.0});
    return list;
  }
  add_letters(table, word, scratch, candidates);
  if (same != kNoWord) candidates.push_back(same);
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<std::uint32_t> ids;
  for (std::uint32_t local : candidates) ids.push_back(words_.table_ids()[local]);
  WordSimilarities similarities;
  const float* found =
      similarities.read(table, word, words_.table(), ids.data(), static_cast<std::int64_t>(ids.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double gain = options_.gain(found[i]);
    if (gain > 0) list.push_back({candidates[i], gain});
  }
  return list;
}

void SimilarWords::clear_cache() {
  std::lock_guard<std::mutex> lock(mutex_);
  cache_.clear();
  cached_ = 0;
}

std::size_t SimilarWords::bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return cached_ * sizeof(Similar) + cache_.size() * 64;
}

}  // namespace fuzzbow
