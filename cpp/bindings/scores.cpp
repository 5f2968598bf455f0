// Scores without an index: self memberships, pairs, matrix, one query, and fixed universes.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/tables.hpp"
#include "dense.hpp"
#include "pairs.hpp"
#include "similarity_table.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

std::unique_ptr<float[]> floats(std::int64_t count) { return std::unique_ptr<float[]>(new float[count + 1]); }

// Self memberships as given by an earlier call (in the caller's units), brought to the table's units.
class GivenSelf {
 public:
  GivenSelf(nb::handle object, const std::string& name, const Texts& texts, const Table& table)
      : view_(optional_of<float>(object, name, 1)) {
    if (!view_.array.is_valid()) return;
    check_length(name, view_.rows, "the ids", texts.ids.rows);
    check_not_negative(name, view_);
    scaled_.assign(view_.data, view_.data + view_.rows);
    for (float& value : scaled_) value = value * table.scale() * table.scale();
  }
  const float* data() const { return view_.array.is_valid() ? scaled_.data() : nullptr; }

 private:
  View<float> view_;
  std::vector<float> scaled_;
};

nb::object bound_self_memberships(const Table& table, nb::object texts, int threads) {
  const Texts checked = texts_of(texts, "texts", table.size());
  auto out = floats(checked.ids.rows);
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    self_memberships(table, checked.ragged, execution, out.get());
    const float back = table.scale() > 0 ? 1.0f / table.scale() : 1.0f;
    for (std::int64_t i = 0; i < checked.ids.rows; ++i) out[i] = out[i] * back * back;
  });
  return to_numpy<float>(std::move(out), {static_cast<std::size_t>(checked.ids.rows)});
}

nb::object bound_pairs(const Table& table, nb::object left, nb::object right, const std::string& measure, int threads,
                       nb::object left_self, nb::object right_self) {
  const Measure kind = measure_of(measure, false);
  const Texts a = texts_of(left, "left", table.size()), b = texts_of(right, "right", table.size());
  check_length("left", a.ragged.size, "right", b.ragged.size);
  const GivenSelf self_a(left_self, "left_self", a, table), self_b(right_self, "right_self", b, table);
  auto out = floats(a.ragged.size);
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    pairs(table, a.ragged, b.ragged, self_a.data(), self_b.data(), kind, execution, out.get());
  });
  return to_numpy<float>(std::move(out), {static_cast<std::size_t>(a.ragged.size)});
}

nb::object bound_matrix(const Table& table, nb::object rows, nb::object columns, const std::string& measure,
                        int threads, nb::object row_self, nb::object column_self) {
  const Measure kind = measure_of(measure, false);
  const Texts a = texts_of(rows, "rows", table.size()), b = texts_of(columns, "columns", table.size());
  const GivenSelf self_a(row_self, "row_self", a, table), self_b(column_self, "column_self", b, table);
  auto out = floats(a.ragged.size * b.ragged.size);
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    matrix(table, a.ragged, b.ragged, self_a.data(), self_b.data(), kind, execution, out.get());
  });
  return to_numpy<float>(std::move(out),
                         {static_cast<std::size_t>(a.ragged.size), static_cast<std::size_t>(b.ragged.size)});
}

nb::object bound_query_scores(const Table& table, nb::object query, nb::object documents, const std::string& measure,
                              int threads, nb::object query_counts, nb::object document_self) {
  const Measure kind = measure_of(measure, false);
  const auto ids = array_of<std::uint32_t>(query, "query ids", 1);
  for (std::int64_t i = 0; i < ids.rows; ++i)
    if (ids.data[i] >= table.size())
      must("query ids", "below the number of words, " + std::to_string(table.size()), std::to_string(ids.data[i]));
  const auto counts = optional_of<float>(query_counts, "query_counts", 1);
  if (counts.array.is_valid()) {
    check_length("query_counts", counts.rows, "query ids", ids.rows);
    check_not_negative("query_counts", counts);
  }
  const Texts b = texts_of(documents, "documents", table.size());
  const GivenSelf self_b(document_self, "document_self", b, table);
  auto out = floats(b.ragged.size);
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    query_scores(table, ids.data, ids.rows, counts.data, b.ragged, self_b.data(), kind, execution, out.get());
  });
  return to_numpy<float>(std::move(out), {static_cast<std::size_t>(b.ragged.size)});
}

DenseRows dense_of(const View<float>& view) { return {view.data, view.rows, view.columns}; }

View<float> element_weights(nb::handle object, std::int64_t width) {
  View<float> weights = optional_of<float>(object, "weights", 1);
  if (weights.array.is_valid()) {
    check_length("weights", weights.rows, "the universe", width);
    check_not_negative("weights", weights);
  }
  return weights;
}

nb::object bound_dense(nb::object left, nb::object right, const std::string& measure, nb::object weights, int threads,
                       bool every) {
  const Measure kind = measure_of(measure, true);
  const auto a = array_of<float>(left, every ? "rows" : "left", 2),
             b = array_of<float>(right, every ? "columns" : "right", 2);
  check_length("universe of the second", b.columns, "the first", a.columns);
  if (!every) check_length("left", a.rows, "right", b.rows);
  check_finite(every ? "rows" : "left", a);
  check_finite(every ? "columns" : "right", b);
  const auto w = element_weights(weights, a.columns);
  auto out = floats(every ? a.rows * b.rows : a.rows);
  without_gil(threads, [&](Execution& execution) {
    (every ? dense_matrix : dense_pairs)(dense_of(a), dense_of(b), w.data, kind, execution, out.get());
  });
  const std::size_t rows = static_cast<std::size_t>(a.rows), columns = static_cast<std::size_t>(b.rows);
  return every ? to_numpy<float>(std::move(out), {rows, columns}) : to_numpy<float>(std::move(out), {rows});
}

Pooling pooling_of(const std::string& name) {
  if (name == "min") return Pooling::kMin;
  if (name == "sum") return Pooling::kSum;
  if (name == "avg") return Pooling::kAverage;
  must("pooling", "max, min, sum or avg", "'" + name + "'");
}

nb::object bound_memberships(nb::object texts, nb::object word_rows, const std::string& pooling, int threads) {
  const auto rows = array_of<float>(word_rows, "word_rows", 2);
  check_finite("word_rows", rows);
  const Texts checked = texts_of(texts, "texts", rows.rows);
  const std::size_t count = static_cast<std::size_t>(checked.ragged.size),
                    width = static_cast<std::size_t>(rows.columns);
  if (pooling == "max") {
    auto out = floats(count * width);
    without_gil(threads,
                [&](Execution& execution) { memberships(checked.ragged, dense_of(rows), execution, out.get()); });
    return to_numpy<float>(std::move(out), {count, width});
  }
  const Pooling kind = pooling_of(pooling);
  std::unique_ptr<double[]> out(new double[count * width + 1]);
  without_gil(threads,
              [&](Execution& execution) { pooled_rows(checked.ragged, dense_of(rows), kind, execution, out.get()); });
  return to_numpy<double>(std::move(out), {count, width});
}

}  // namespace

void bind_scores(nb::module_& module) {
  module.def("self_memberships", &bound_self_memberships, nb::arg("table"), nb::arg("texts"), nb::kw_only(),
             nb::arg("threads") = 0, "Membership of every word in its own text: (values,).");
  module.def("pairs", &bound_pairs, nb::arg("table"), nb::arg("left"), nb::arg("right"), nb::arg("measure"),
             nb::kw_only(), nb::arg("threads") = 0, nb::arg("left_self") = nb::none(),
             nb::arg("right_self") = nb::none(), "Row by row: (n,).");
  module.def("matrix", &bound_matrix, nb::arg("table"), nb::arg("rows"), nb::arg("columns"), nb::arg("measure"),
             nb::kw_only(), nb::arg("threads") = 0, nb::arg("row_self") = nb::none(),
             nb::arg("column_self") = nb::none(), "Every row with every column: (n, m).");
  module.def("query_scores", &bound_query_scores, nb::arg("table"), nb::arg("query"), nb::arg("documents"),
             nb::arg("measure"), nb::kw_only(), nb::arg("threads") = 0, nb::arg("query_counts") = nb::none(),
             nb::arg("document_self") = nb::none(), "One text with every document: (n,).");
  module.def(
      "dense_pairs",
      [](nb::object a, nb::object b, const std::string& measure, nb::object w, int threads) {
        return bound_dense(a, b, measure, w, threads, false);
      },
      nb::arg("left"), nb::arg("right"), nb::arg("measure"), nb::kw_only(), nb::arg("weights") = nb::none(),
      nb::arg("threads") = 0, "Membership rows, row by row: (n,).");
  module.def(
      "dense_matrix",
      [](nb::object a, nb::object b, const std::string& measure, nb::object w, int threads) {
        return bound_dense(a, b, measure, w, threads, true);
      },
      nb::arg("rows"), nb::arg("columns"), nb::arg("measure"), nb::kw_only(), nb::arg("weights") = nb::none(),
      nb::arg("threads") = 0, "Membership rows, every row with every column: (n, m).");
  module.def("memberships", &bound_memberships, nb::arg("texts"), nb::arg("word_rows"), nb::arg("pooling") = "max",
             nb::kw_only(), nb::arg("threads") = 0,
             "The rows of each text's words, united: max (with zero), or min, sum, avg, those in float64: (n, K).");
}

}  // namespace bindings
}  // namespace fuzzbow
