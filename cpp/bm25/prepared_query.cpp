#include "bm25/prepared_query.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

// Upper bound of the share of a query word's weight that any document gets: that of a document with the most
// occurrences of each similar word, just long enough to contain them.
double largest_saturation(const Bm25Corpus& corpus, const SimilarList& similar) {
  double most = 0, best = 0;
  for (const Similar& word : similar) {
    if (corpus.most_often(word.local) == Postings::kMostOften) return 1;
    most += word.gain * corpus.most_often(word.local);
    best = std::max(best, word.gain);
  }
  return most > 0 ? most / (most + corpus.options().norm(most / best, corpus.mean_length())) : 0;
}

}  // namespace

Bm25QueryWords::Bm25QueryWords(const Bm25Corpus& corpus, const QueryTexts& queries, std::int64_t begin,
                               std::int64_t end, Execution& execution) {
  for (std::int64_t i = queries.texts.offsets[begin]; i < queries.texts.offsets[end]; ++i) {
    const std::uint32_t id = queries.texts.ids[i];
    if (positions_.emplace(id, static_cast<std::uint32_t>(words_.size())).second)
      words_.push_back({id, queries.identities ? queries.identities[id] : id});
  }
  lists_ = corpus.similar().find(*queries.table, words_, execution);
  for (std::size_t i = 0; i < words_.size(); ++i)
    weights_.push_back(corpus.word_weight(*lists_[i], queries.table->weight(words_[i].id)));
}

void PreparedBm25Query::read(const Bm25Corpus& corpus, const Bm25QueryWords& words, const std::uint32_t* ids,
                             std::int64_t length) {
  std::unordered_map<std::uint32_t, std::uint32_t> distinct;
  std::vector<std::uint32_t> distinct_words;
  std::vector<double> repeats;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto found = distinct.emplace(ids[i], static_cast<std::uint32_t>(distinct_words.size()));
    if (found.second) {
      distinct_words.push_back(words.position(ids[i]));
      query_.weights.push_back(words.weight(distinct_words.back()));
      repeats.push_back(0);
    }
    query_.positions.push_back(found.first->second);
    ++repeats[found.first->second];
  }
  query_.sum_weights();
  heads_.resize(corpus.words(), 0);
  std::vector<WalkedWord> counting;
  for (std::uint32_t position = 0; position < distinct_words.size(); ++position) {
    const SimilarList& similar = words.similar(distinct_words[position]);
    if (!(query_.weights[position] > 0) || similar.empty()) continue;
    link(similar, position);
    const double share = repeats[position] * query_.weights[position] / query_.total;
    // never so small that a document with the word looks like one without
    counting.push_back({&similar, std::max(static_cast<float>(share), 1e-37f), 0});
  }
  sort_words(corpus, counting);
}

void PreparedBm25Query::link(const SimilarList& similar, std::uint32_t position) {
  for (const Similar& word : similar) {
    links_.push_back({word.local, position, heads_[word.local], word.gain});
    heads_[word.local] = static_cast<std::uint32_t>(links_.size());
  }
}

void PreparedBm25Query::sort_words(const Bm25Corpus& corpus, const std::vector<WalkedWord>& words) {
  walked_ = words;
  std::size_t most = 0;
  for (WalkedWord& word : walked_) {
    for (const Similar& similar : *word.similar) word.volume += corpus.holders(similar.local);
    volume_ += word.volume;
    most = std::max(most, word.similar->size());
  }
  std::stable_sort(walked_.begin(), walked_.end(),
                   [](const WalkedWord& a, const WalkedWord& b) { return a.share > b.share; });
  tails_.assign(walked_.size() + 1, 0);
  for (std::size_t i = walked_.size(); i-- > 0;)
    tails_[i] = tails_[i + 1] + walked_[i].share * largest_saturation(corpus, *walked_[i].similar);
  rounding_ = 1.2e-7 * static_cast<double>(walked_.size() + most + 16);
}

void PreparedBm25Query::clear() {
  for (const Link& link : links_) heads_[link.local] = 0;
  links_.clear();
  walked_.clear();
  query_.positions.clear();
  query_.weights.clear();
  volume_ = 0;
}

float PreparedBm25Query::score(const Bm25Corpus& corpus, std::int64_t document, std::vector<double>& often) const {
  often.assign(query_.weights.size(), 0);
  const ForwardIndex& forward = corpus.forward();
  for (const std::uint32_t* word = forward.begin(document); word != forward.end(document); ++word)
    for (std::uint32_t next = heads_[*word]; next; next = links_[next - 1].next)
      often[links_[next - 1].position] += links_[next - 1].gain;
  const double length = static_cast<double>(forward.length(document));
  return query_.score(often.data(), corpus.options().norm(length, corpus.mean_length()));
}

}  // namespace fuzzbow
