#include "bm25/postings.hpp"

#include <algorithm>

namespace fuzzbow {

namespace {

// List numbers of words: the word's own id, or its index among the words that occur if most do not.
class ListNumbers {
 public:
  ListNumbers(const ForwardIndex& documents, std::int64_t first, std::int64_t last, std::int64_t words) {
    const std::uint32_t *begin = documents.begin(first), *end = documents.end(last - 1);
    dense_ = end - begin >= words / 4;
    if (dense_) return;
    occurring.assign(begin, end);
    std::sort(occurring.begin(), occurring.end());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
  }
  std::size_t operator()(std::uint32_t word) const {
    return dense_ ? word : std::lower_bound(occurring.begin(), occurring.end(), word) - occurring.begin();
  }
  bool dense() const { return dense_; }

  std::vector<std::uint32_t> occurring;

 private:
  bool dense_;
};

// Counts the occurrences of words in the current document.
class Occurrences {
 public:
  explicit Occurrences(std::size_t words) : last_(words, {-1, 0}) {}
  // True if this occurrence starts a new posting.
  bool opens(std::size_t list, std::int64_t document) {
    Last& last = last_[list];
    if (last.document != document) last = {document, 0};
    return last.often++ % Postings::kMostOften == 0;
  }

 private:
  struct Last {
    std::int64_t document;
    std::uint32_t often;
  };
  std::vector<Last> last_;
};

}  // namespace

Postings::Postings(const ForwardIndex& documents, std::int64_t first, std::int64_t last, const std::uint8_t* removed,
                   std::int64_t words)
    : first_(first), last_(last) {
  ListNumbers lists(documents, first, last, words);
  const std::size_t count = lists.dense() ? words : lists.occurring.size();
  const auto each = [&](auto visit) {
    Occurrences occurrences(count);
    for (std::int64_t document = first; document < last; ++document) {
      if (removed[document]) continue;
      for (const std::uint32_t* word = documents.begin(document); word != documents.end(document); ++word) {
        const std::size_t list = lists(*word);
        visit(list, static_cast<std::uint32_t>(document - first), occurrences.opens(list, document));
      }
    }
  };
  offsets_.assign(count + 1, 0);
  each([&](std::size_t list, std::uint32_t, bool opens) { offsets_[list + 1] += opens; });
  for (std::size_t i = 1; i <= count; ++i) offsets_[i] += offsets_[i - 1];
  postings_.resize(offsets_.back());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  each([&](std::size_t list, std::uint32_t document, bool opens) {
    if (opens) postings_[next[list]++] = document << 8;
    ++postings_[next[list] - 1];
  });
  words_ = std::move(lists.occurring);
}

Postings::List Postings::of(std::uint32_t word) const {
  std::size_t list = word;
  if (!words_.empty()) {
    const auto found = std::lower_bound(words_.begin(), words_.end(), word);
    if (found == words_.end() || *found != word) return {};
    list = found - words_.begin();
  }
  if (list + 1 >= offsets_.size()) return {};
  return {postings_.data() + offsets_[list], postings_.data() + offsets_[list + 1]};
}

std::size_t Postings::bytes() const { return (words_.capacity() + offsets_.capacity()) * 4 + postings_.bytes(); }

}  // namespace fuzzbow
