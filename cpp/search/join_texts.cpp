#include "search/join_texts.hpp"

#include <algorithm>

#include "scores/self_memberships.hpp"

namespace fuzzbow {

JoinTexts::JoinTexts(const Corpus& corpus, const Ragged& texts, Execution& execution)
    : corpus_(corpus),
      ids_(texts.ids, texts.ids + texts.total()),
      words_(ids_.size()),
      offsets_(texts.offsets, texts.offsets + texts.size + 1),
      self_(ids_.size()),
      word_weights_(corpus.words()),
      summaries_(texts.size) {
  const Table& table = corpus.table();
  if (texts.counts) counts_.assign(texts.counts, texts.counts + texts.total());
  self_memberships(table, texts, execution, self_.data());
  for (std::int64_t word = 0; word < corpus.words(); ++word)
    word_weights_[word] = table.weight(corpus.table_ids()[word]);
  execution.for_chunks(size(), 4096, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t text = begin; text < end; ++text) read(text);
  });
}

void JoinTexts::read(std::int64_t text) {
  constexpr double kUp = 1.000001;
  const std::int64_t start = offsets_[text], length = offsets_[text + 1] - start;
  std::uint32_t* words = words_.data() + start;
  double size = 0, weight = 0, front = 0, rest = 0;
  std::int64_t next = 0;
  each_word(text, [&](std::uint32_t word, float word_weight, float self) {
    words[next++] = word;
    size += static_cast<double>(word_weight) * self;
    weight += word_weight;
  });
  std::sort(words, words + length, [&](std::uint32_t a, std::uint32_t b) {
    return word_weights_[a] != word_weights_[b] ? word_weights_[a] > word_weights_[b] : a < b;
  });
  for (std::int64_t i = 0; i < length; ++i) {
    if (i < kFront)
      front += word_weights_[words[i]];
    else
      rest += static_cast<double>(word_weights_[words[i]]) * corpus_.limits()[words[i]];
  }
  summaries_[text] = {start,
                      static_cast<std::int32_t>(length),
                      static_cast<float>(size),
                      static_cast<float>(weight * kUp),
                      static_cast<float>(front * kUp),
                      static_cast<float>(rest * kUp)};
}

// Visits every text with each of its distinct words.
template <class Visit>
void JoinTexts::each_posting(Visit visit) const {
  std::vector<std::int64_t> last(word_weights_.size(), -1);
  for (std::int64_t text = 0; text < size(); ++text)
    for (std::int64_t i = offsets_[text]; i < offsets_[text + 1]; ++i) {
      if (last[words_[i]] == text) continue;
      last[words_[i]] = text;
      visit(words_[i], static_cast<std::uint32_t>(text));
    }
}

void JoinTexts::build_postings() {
  const std::size_t words = word_weights_.size();
  posting_offsets_.assign(words + 1, 0);
  each_posting([&](std::uint32_t word, std::uint32_t) { ++posting_offsets_[word + 1]; });
  for (std::size_t i = 0; i < words; ++i) posting_offsets_[i + 1] += posting_offsets_[i];
  postings_.resize(posting_offsets_[words]);
  std::vector<std::int64_t> next(posting_offsets_.begin(), posting_offsets_.end() - 1);
  each_posting([&](std::uint32_t word, std::uint32_t text) { postings_[next[word]++] = text; });
}

}  // namespace fuzzbow
