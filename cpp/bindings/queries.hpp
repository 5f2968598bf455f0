// What searches of every kind of corpus share: checks of queries, and hits as arrays.
#pragma once
#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "search/top_list.hpp"
#include "table.hpp"

namespace fuzzbow {
namespace bindings {

// Where each word of the query table is in the corpus's table; nothing where they are one.
std::vector<std::uint32_t> identities_of(nb::handle object, const Table& queries, const Table& corpus);
void check_query_table(const Table& queries, const Table& corpus);
void check_search(std::int64_t k, float min_score);
// Numbers of documents that a corpus of this size has.
View<std::int64_t> documents_of(nb::handle object, std::int64_t size);

// scores (q, k), ids (q, k) with -1 where there are fewer, counts (q,).
struct FoundArrays {
  nb::object scores, ids, counts;
};
FoundArrays found_arrays(const std::vector<std::vector<Hit>>& found, std::int64_t wanted);

}  // namespace bindings
}  // namespace fuzzbow
