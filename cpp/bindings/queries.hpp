// Common parts of all searches: checks of queries, and hits as arrays.
#pragma once
#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/lexicon_texts.hpp"
#include "search/query.hpp"
#include "search/top_list.hpp"
#include "words/table.hpp"

namespace fuzzbow {
namespace bindings {

// The corpus's word id of each word of the query table; empty if both tables are one.
std::vector<std::uint32_t> identities_of(nb::handle object, const Table& queries, const Table& corpus);
void check_query_table(const Table& queries, const Table& corpus);

// Queries as arrays over a table (the corpus's own or another), or as texts read by a lexicon.
class Queries {
 public:
  Queries(nb::handle queries, nb::handle table, nb::handle corpus_ids, const Table& corpus);
  const Table& table() const { return *table_; }
  bool counted() const { return arrays_.ragged.counts != nullptr; }
  // Call it while the table is locked.
  QueryTexts texts() const;

 private:
  const Lexicon* lexicon_ = nullptr;  // or null
  const Table* table_ = nullptr;
  Texts arrays_;
  std::vector<std::uint32_t> identities_;
};
void check_search(std::int64_t k, float min_score);
// Checks document numbers of a corpus of this size.
View<std::int64_t> documents_of(nb::handle object, std::int64_t size);

// scores (q, k), ids (q, k) with -1 after the last hit, counts (q,).
struct FoundArrays {
  nb::object scores, ids, counts;
};
FoundArrays found_arrays(const std::vector<std::vector<Hit>>& found, std::int64_t wanted);

}  // namespace bindings
}  // namespace fuzzbow
