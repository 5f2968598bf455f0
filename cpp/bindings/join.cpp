// Joins: all pairs at or above a threshold, by ranges of rows.
#include <nanobind/stl/optional.h>

#include <cmath>

#include "bindings/arrays.hpp"
#include "bindings/tables.hpp"
#include "search/join.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

struct Joiner {
  nb::object table_object;
  const Table* table;
  std::unique_ptr<Join> join;
};

Joiner make_joiner(nb::object table_object, nb::object texts, const SetSimilarity& similarity, float threshold,
                   std::optional<std::int64_t> boundary, std::int64_t threads) {
  const Table& table = table_of(table_object, "table");
  if (!similarity.symmetric())
    must("the similarity of a join", "symmetric, as pairs have no first text", similarity.description());
  if (!(threshold > 0)) must("threshold", "above 0", std::to_string(threshold));
  const Texts checked = texts_of(texts, "texts", table.size());
  if (boundary && (*boundary < 0 || *boundary > checked.ragged.size))
    must("boundary", "from 0 to the number of texts, " + std::to_string(checked.ragged.size),
         std::to_string(*boundary));
  Joiner joiner{table_object, &table, nullptr};
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    joiner.join = std::make_unique<Join>(table, checked.ragged, similarity, threshold, boundary, execution);
  });
  return joiner;
}

nb::object pairs_of(const Joiner& joiner, std::int64_t start, std::int64_t stop, std::int64_t threads,
                    bool with_statistics) {
  if (start < 0 || stop < start || stop > joiner.join->size())
    must("start and stop", "a range of the " + std::to_string(joiner.join->size()) + " rows",
         std::to_string(start) + " and " + std::to_string(stop));
  std::vector<JoinedPair> found;
  JoinStatistics statistics;
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(joiner.table->mutex());
    found = joiner.join->rows(start, stop, execution, &statistics);
  });
  std::unique_ptr<std::int64_t[]> left(new std::int64_t[found.size() + 1]), right(new std::int64_t[found.size() + 1]);
  std::unique_ptr<float[]> scores(new float[found.size() + 1]);
  for (std::size_t i = 0; i < found.size(); ++i) {
    left[i] = found[i].left;
    right[i] = found[i].right;
    scores[i] = found[i].score;
  }
  nb::object result_left = to_numpy<std::int64_t>(std::move(left), {found.size()});
  nb::object result_right = to_numpy<std::int64_t>(std::move(right), {found.size()});
  nb::object result_scores = to_numpy<float>(std::move(scores), {found.size()});
  if (!with_statistics) return nb::make_tuple(result_left, result_right, result_scores);
  return nb::make_tuple(result_left, result_right, result_scores, dict_of(statistics));
}

}  // namespace

void bind_join(nb::module_& module) {
  nb::class_<Joiner>(module, "Join", "All pairs at or above a threshold, found range by range of rows.")
      .def(
          "__init__",
          [](Joiner* self, nb::object table, nb::object texts, const SetSimilarity& similarity, float threshold,
             std::optional<std::int64_t> boundary, std::int64_t threads) {
            new (self) Joiner(make_joiner(table, texts, similarity, threshold, boundary, threads));
          },
          nb::arg("table"), nb::arg("texts"), nb::arg("similarity"), nb::arg("threshold"), nb::kw_only(),
          nb::arg("boundary") = nb::none(), nb::arg("threads") = 0,
          "Prepare the join of pairs i < j of texts; with a boundary, of a text before it and one from it on.")
      .def(
          "__len__", [](const Joiner& joiner) { return joiner.join->size(); }, "Number of rows.")
      .def("rows", &pairs_of, nb::arg("start"), nb::arg("stop"), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("statistics") = false,
           "Find pairs from these rows: (left, right, scores). All ranges together give every pair once.");
}

}  // namespace bindings
}  // namespace fuzzbow
