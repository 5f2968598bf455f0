// The distinct words of a corpus under local ids, with the indexes that find words similar to a given one.
#pragma once
#include <cstdint>
#include <vector>

#include "search/panels.hpp"
#include "support/ragged.hpp"
#include "words/rules.hpp"
#include "words/table.hpp"

namespace fuzzbow {

class CorpusWords {
 public:
  // The table must outlive the words.
  explicit CorpusWords(const Table& table) : table_(table), panels_(table.dimension()), trigrams_(table) {}

  // Gives new words the next local ids, in order of falling frequency in these texts; of equally frequent words those
  // without a vector come last, so that most of them share panels.
  void add(const Ragged& texts);

  const Table& table() const { return table_; }
  std::int64_t size() const { return static_cast<std::int64_t>(table_ids_.size()); }
  const std::uint32_t* table_ids() const { return table_ids_.data(); }
  std::uint32_t local(std::uint32_t table_id) const {
    return table_id < local_ids_.size() ? local_ids_[table_id] : kNoWord;
  }
  const QuantisedPanels& panels() const { return panels_; }
  std::uint16_t numbers(std::int64_t panel) const { return numbers_[panel]; }  // bit mask of the numbers in a panel
  // False if no word of a panel has a vector, so that all products with it are 0.
  bool has_vectors(std::int64_t panel) const { return has_vectors_[panel]; }
  const TrigramIndex& trigrams() const { return trigrams_; }
  std::size_t bytes() const;

 private:
  void add_word(std::uint32_t table_id);

  const Table& table_;
  std::vector<std::uint32_t> table_ids_, local_ids_;
  QuantisedPanels panels_;
  std::vector<std::uint16_t> numbers_;
  std::vector<std::uint8_t> has_vectors_;  // by panel
  TrigramIndex trigrams_;
};

}  // namespace fuzzbow
