// The join: all pairs above a threshold, in one go or range by range.
#include <nanobind/stl/string.h>

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

struct Both {  // two collections one after the other
  std::vector<std::uint32_t> ids;
  std::vector<std::int64_t> offsets;
  std::vector<float> counts;
  Ragged ragged;
};

Both concatenated(const Texts& left, const Texts& right) {
  Both both;
  both.ids.assign(left.ids.data, left.ids.data + left.ids.rows);
  both.ids.insert(both.ids.end(), right.ids.data, right.ids.data + right.ids.rows);
  both.offsets.assign(left.offsets.data, left.offsets.data + left.offsets.rows);
  for (std::int64_t i = 1; i < right.offsets.rows; ++i) both.offsets.push_back(left.ids.rows + right.offsets.data[i]);
  if (left.ragged.counts) {
    both.counts.assign(left.counts.data, left.counts.data + left.counts.rows);
    both.counts.insert(both.counts.end(), right.counts.data, right.counts.data + right.counts.rows);
  }
  both.ragged = {both.ids.data(), both.offsets.data(), left.ragged.counts ? both.counts.data() : nullptr,
                 left.ragged.size + right.ragged.size};
  return both;
}

Joiner make_joiner(nb::object table_object, nb::object documents, const std::string& measure, float threshold,
                   nb::object others, std::int64_t threads) {
  const Table& table = table_of(table_object, "table");
  const Measure kind = measure_of(measure, false);
  if (!(threshold > 0)) must("threshold", "above 0", std::to_string(threshold));
  const Texts left = texts_of(documents, "documents", table.size());
  Texts right;
  Both both;
  Ragged ragged = left.ragged;
  if (!others.is_none()) {
    right = texts_of(others, "others", table.size());
    if (!left.ragged.counts != !right.ragged.counts)
      must("documents and others", "both with bag counts or both without", "one with");
    both = concatenated(left, right);
    ragged = both.ragged;
  }
  const std::int64_t boundary = others.is_none() ? 0 : left.ragged.size;
  // An empty side has no pairs, and boundary 0 means "with itself".
  if (!others.is_none() && boundary == 0) ragged.size = 0;
  Joiner joiner{table_object, &table, nullptr};
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    joiner.join = std::make_unique<Join>(table, ragged, boundary, kind, threshold, execution);
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
    right[i] = found[i].right - joiner.join->boundary();
    scores[i] = found[i].score;
  }
  nb::object result_left = to_numpy<std::int64_t>(std::move(left), {found.size()});
  nb::object result_right = to_numpy<std::int64_t>(std::move(right), {found.size()});
  nb::object result_scores = to_numpy<float>(std::move(scores), {found.size()});
  if (!with_statistics) return nb::make_tuple(result_left, result_right, result_scores);
  nb::dict seen;
  seen["anchors"] = statistics.anchors;
  seen["scanned_rows"] = statistics.scanned_rows;
  seen["postings"] = statistics.postings;
  seen["candidates"] = statistics.candidates;
  return nb::make_tuple(result_left, result_right, result_scores, seen);
}

}  // namespace

void bind_join(nb::module_& module) {
  nb::class_<Joiner>(module, "Join", "All pairs above a threshold, found range by range of rows.")
      .def(
          "__init__",
          [](Joiner* self, nb::object table, nb::object documents, const std::string& measure, float threshold,
             nb::object others, std::int64_t threads) {
            new (self) Joiner(make_joiner(table, documents, measure, threshold, others, threads));
          },
          nb::arg("table"), nb::arg("documents"), nb::arg("measure"), nb::arg("threshold"), nb::kw_only(),
          nb::arg("others") = nb::none(), nb::arg("threads") = 0)
      .def(
          "__len__", [](const Joiner& joiner) { return joiner.join->size(); }, "Number of rows to go through.")
      .def("rows", &pairs_of, nb::arg("start"), nb::arg("stop"), nb::kw_only(), nb::arg("threads") = 0,
           nb::arg("statistics") = false,
           "Pairs found from these rows: (left, right, scores). All ranges together give every pair once.");
  module.def(
      "join",
      [](nb::object table, nb::object documents, const std::string& measure, float threshold, std::int64_t threads) {
        const Joiner joiner = make_joiner(table, documents, measure, threshold, nb::none(), threads);
        return pairs_of(joiner, 0, joiner.join->size(), threads, false);
      },
      nb::arg("table"), nb::arg("documents"), nb::arg("measure"), nb::arg("threshold"), nb::kw_only(),
      nb::arg("threads") = 0, "All pairs i < j: (left int64, right int64, scores float32), sorted.");
  module.def(
      "join_between",
      [](nb::object table, nb::object documents, nb::object others, const std::string& measure, float threshold,
         std::int64_t threads) {
        const Joiner joiner = make_joiner(table, documents, measure, threshold, others, threads);
        return pairs_of(joiner, 0, joiner.join->size(), threads, false);
      },
      nb::arg("table"), nb::arg("documents"), nb::arg("others"), nb::arg("measure"), nb::arg("threshold"),
      nb::kw_only(), nb::arg("threads") = 0,
      "All pairs of a document with one of the others: (left, right, scores), sorted.");
}

}  // namespace bindings
}  // namespace fuzzbow
