// The words of a long text by their trigrams: an unknown word meets only those that share letters with it, where
// comparing cell by cell would meet all of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "words/rules.hpp"
#include "words/text_words.hpp"

namespace fuzzbow {

class Letters {
 public:
  struct Scratch {                      // for one call after another
    std::vector<std::uint32_t> common;  // by position, all zero between calls
    std::vector<std::uint32_t> touched;
  };

  // Forgets the text before.
  void read(const TextWords& text);

  // visit(position, similarity) for every word of the text that shares trigrams with word `id` of `table`, where
  // letters decide: one of the two is unknown, and they are not two numbers. All other such pairs have a similarity
  // of 0.
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
  using Postings = std::vector<std::uint64_t>;  // trigram and position, sorted
  static void count(const Postings& postings, const Table& table, std::uint32_t id, Scratch& scratch);

  Postings known_, unknown_;
  const Table* table_ = nullptr;     // of the text
  std::vector<std::uint8_t> kinds_;  // by position
  std::vector<std::uint32_t> ids_;   // by position
};

}  // namespace fuzzbow
