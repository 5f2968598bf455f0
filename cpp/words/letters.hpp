// A trigram index of the words of one long text. It finds the words that share letters with an unknown word without
// comparing that word with all words of the text.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "words/rules.hpp"
#include "words/text_words.hpp"

namespace fuzzbow {

class Letters {
 public:
  struct Scratch {                      // reusable buffers
    std::vector<std::uint32_t> common;  // by position; all zero between calls
    std::vector<std::uint32_t> touched;
  };

  // Indexes a text and drops the one indexed before.
  void read(const TextWords& text);

  // Calls visit(position, similarity) for every word of the text that shares a trigram with word `id` of `table`, if
  // that pair is compared by letters: one of the two words is unknown, and they are not both numbers. All other pairs
  // compared by letters have similarity 0.
  template <class Visit>
  void matches(const Table& table, std::uint32_t id, Scratch& scratch, Visit visit) const {
    const std::uint8_t kind = table.kind(id);
    scratch.common.resize(std::max(scratch.common.size(), kinds_.size()), 0);
    scratch.touched.clear();
    count(unknown_, table, id, scratch);
    if (is_unknown(kind)) count(known_, table, id, scratch);
    LetterComparer comparer(table, id);
    for (std::uint32_t position : scratch.touched) {
      const std::uint32_t common = scratch.common[position];
      scratch.common[position] = 0;
      if (is_number(kind) && is_number(kinds_[position])) continue;
      const std::uint32_t other = ids_[position];
      visit(position, comparer.similarity(*table_, other, table_->spelling(other), common));
    }
  }

 private:
  using Postings = std::vector<std::uint64_t>;  // (trigram, position) pairs, sorted
  static void count(const Postings& postings, const Table& table, std::uint32_t id, Scratch& scratch);

  Postings known_, unknown_;
  const Table* table_ = nullptr;     // table of the indexed text
  std::vector<std::uint8_t> kinds_;  // by position
  std::vector<std::uint32_t> ids_;   // by position
};

}  // namespace fuzzbow
