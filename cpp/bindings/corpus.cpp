// Corpora: search, append, delete.
#include <nanobind/stl/string.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/bound_corpus.hpp"
#include "search/corpus.hpp"
#include "search/search.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

using BoundCorpus = Bound<Corpus>;

void make_corpus(BoundCorpus* self, nb::object table_object, nb::object documents, const SetSimilarity& similarity,
                 std::int64_t postings_from, std::int64_t threads) {
  const Table& table = table_of(table_object, "table");
  const Texts checked = texts_of(documents, "documents", table.size());
  auto corpus = std::make_unique<Corpus>(table, similarity, checked.ragged.counts != nullptr, postings_from);
  construct(self, table_object, std::move(corpus), checked, threads);
}

void append(BoundCorpus& self, nb::object documents, std::int64_t threads) {
  Corpus& corpus = *self.corpus;
  const Texts checked = texts_of(documents, "documents", corpus.table().size());
  if (corpus.counted() != (checked.ragged.counts != nullptr))
    must("documents", corpus.counted() ? "with bag counts, as the first were" : "without bag counts, as the first were",
         corpus.counted() ? "none" : "counts");
  append_texts(corpus, checked, threads);
}

// Query vectors in the corpus's units must be small enough for products in float32.
void check_query_scale(const Table& queries, const Table& corpus, const Ragged& texts) {
  if (queries.scale() == corpus.scale() || corpus.scale() <= 0 || queries.scale() <= 0) return;
  for (std::int64_t i = 0; i < texts.total(); ++i)
    for (std::int64_t t = 0; t < queries.dimension(); ++t)
      if (std::fabs(static_cast<double>(queries.row(texts.ids[i])[t])) / queries.scale() * corpus.scale() > 1e15)
        must("query vectors", "within 1e15 times the corpus's largest value", "larger");
}

nb::object search_corpus(const BoundCorpus& self, nb::object queries, std::int64_t k, float min_score,
                         nb::object table_object, nb::object corpus_ids, nb::object allowed, std::int64_t threads,
                         bool with_statistics) {
  const Corpus& corpus = *self.corpus;
  check_search(k, min_score);
  const Queries inputs(queries, table_object, corpus_ids, corpus.table());
  const Table& table = inputs.table();
  const auto mask = optional_of<std::uint8_t>(allowed, "allowed", 1);
  std::int64_t wanted = k;
  std::vector<std::vector<Hit>> found;
  SearchStatistics statistics;
  reading(corpus, table, threads, [&](Execution& execution) {
    if (mask.array.is_valid()) check_length("allowed", mask.rows, "the documents", corpus.size());
    const QueryTexts texts = inputs.texts();
    check_query_scale(table, corpus.table(), texts.texts);
    wanted = std::min(k, std::max<std::int64_t>(1, corpus.size()));
    found = search(corpus, texts, {wanted, min_score, mask.data}, execution, &statistics);
  });
  const FoundArrays arrays = found_arrays(found, wanted);
  if (!with_statistics) return nb::make_tuple(arrays.scores, arrays.ids, arrays.counts);
  return nb::make_tuple(arrays.scores, arrays.ids, arrays.counts, dict_of(statistics));
}

}  // namespace

void bind_corpus(nb::module_& module) {
  bind_documents<Corpus>(module, "Corpus", "Documents indexed for exact top-k search.")
      .def("__init__", &make_corpus, nb::arg("table"), nb::arg("documents"), nb::arg("similarity"), nb::kw_only(),
           nb::arg("postings_from") = kWorthPostings, nb::arg("threads") = 0,
           "Index documents. Segments of at least postings_from documents have postings, which save most of a scan.")
      .def("append", &append, nb::arg("documents"), nb::kw_only(), nb::arg("threads") = 0,
           "Append documents. Append their new words to the table first.")
      .def("search", &search_corpus, nb::arg("queries"), nb::arg("k") = 10, nb::arg("min_score") = 0.0f, nb::kw_only(),
           nb::arg("table") = nb::none(), nb::arg("corpus_ids") = nb::none(), nb::arg("allowed") = nb::none(),
           nb::arg("threads") = 0, nb::arg("statistics") = false,
           "Search for the exact best k: (scores (q, k), ids (q, k) with -1 after the last hit, counts (q,)).");
}

}  // namespace bindings
}  // namespace fuzzbow
