// Scores without a corpus: pairs, matrix, and fixed universes.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/tables.hpp"
#include "scores/dense.hpp"
#include "scores/matrix.hpp"
#include "scores/pairs.hpp"
#include "scores/products.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

// Number of scores of n texts with m. Rows without columns take no memory, so their number is not limited.
std::int64_t cells(std::int64_t rows, std::int64_t columns) {
  if (columns > 0 && rows > (std::int64_t{1} << 36) / columns)
    must("the result", "of at most 2^36 numbers", std::to_string(rows) + " times " + std::to_string(columns));
  return rows * columns;
}

std::unique_ptr<float[]> floats(std::int64_t count) { return std::unique_ptr<float[]>(new float[count + 1]); }

nb::object bound_pairs(const Table& table, nb::object texts, nb::object left, nb::object right,
                       const SetSimilarity& similarity, std::int64_t threads) {
  const Texts checked = texts_of(texts, "texts", table.size());
  const IndexView a = indices_of(left, "left", checked.ragged.size),
                  b = indices_of(right, "right", checked.ragged.size);
  check_length("left", a.indices.size, "right", b.indices.size);
  auto out = floats(a.indices.size);
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    pairs(table, checked.ragged, a.indices, b.indices, similarity, execution, out.get());
  });
  return to_numpy<float>(std::move(out), {static_cast<std::size_t>(a.indices.size)});
}

nb::object bound_matrix(const Table& table, nb::object texts, nb::object rows, nb::object columns,
                        const SetSimilarity& similarity, std::int64_t threads) {
  const Texts checked = texts_of(texts, "texts", table.size());
  const IndexView a = indices_of(rows, "rows", checked.ragged.size),
                  b = indices_of(columns, "columns", checked.ragged.size);
  auto out = floats(cells(a.indices.size, b.indices.size));
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    matrix(table, checked.ragged, a.indices, b.indices, similarity, execution, out.get());
  });
  return to_numpy<float>(std::move(out),
                         {static_cast<std::size_t>(a.indices.size), static_cast<std::size_t>(b.indices.size)});
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

template <bool every>
nb::object bound_dense(nb::object left, nb::object right, const SetSimilarity& similarity, nb::object weights,
                       std::int64_t threads) {
  if (!similarity.counts_right_words())
    must("similarity", "one of the dynamic universe, as rows bring all their elements", similarity.description());
  const auto a = array_of<float>(left, every ? "rows" : "left", 2),
             b = array_of<float>(right, every ? "columns" : "right", 2);
  check_length("universe of the second", b.columns, "the first", a.columns);
  if (!every) check_length("left", a.rows, "right", b.rows);
  check_finite(every ? "rows" : "left", a);
  check_finite(every ? "columns" : "right", b);
  const auto w = element_weights(weights, a.columns);
  auto out = floats(every ? cells(a.rows, b.rows) : cells(a.rows, 1));
  without_gil(threads, [&](Execution& execution) {
    (every ? dense_matrix : dense_pairs)(dense_of(a), dense_of(b), w.data, similarity, execution, out.get());
  });
  const std::size_t rows = static_cast<std::size_t>(a.rows), columns = static_cast<std::size_t>(b.rows);
  return every ? to_numpy<float>(std::move(out), {rows, columns}) : to_numpy<float>(std::move(out), {rows});
}

template <bool every>
nb::object bound_products(nb::object left, nb::object right, std::int64_t threads) {
  const auto a = array_of<double>(left, every ? "rows" : "left", 2),
             b = array_of<double>(right, every ? "columns" : "right", 2);
  check_length("columns of the second", b.columns, "the first", a.columns);
  if (!every) check_length("left", a.rows, "right", b.rows);
  const DoubleRows first = {a.data, a.rows, a.columns}, second = {b.data, b.rows, b.columns};
  std::unique_ptr<double[]> out(new double[cells(a.rows, every ? b.rows : 1) + 1]);
  without_gil(threads,
              [&](Execution& execution) { (every ? products : row_products)(first, second, execution, out.get()); });
  const std::size_t rows = static_cast<std::size_t>(a.rows), columns = static_cast<std::size_t>(b.rows);
  return every ? to_numpy<double>(std::move(out), {rows, columns}) : to_numpy<double>(std::move(out), {rows});
}

Pooling pooling_of(const std::string& name) {
  if (name == "min") return Pooling::kMin;
  if (name == "sum") return Pooling::kSum;
  if (name == "avg") return Pooling::kAverage;
  must("pooling", "max, min, sum or avg", "'" + name + "'");
}

nb::object bound_memberships(nb::object texts, nb::object word_rows, const std::string& pooling, std::int64_t threads) {
  const auto rows = array_of<float>(word_rows, "word_rows", 2);
  check_finite("word_rows", rows);
  const Texts checked = texts_of(texts, "texts", rows.rows);
  const std::size_t count = static_cast<std::size_t>(checked.ragged.size),
                    width = static_cast<std::size_t>(rows.columns);
  if (pooling == "max") {
    auto out = floats(cells(checked.ragged.size, rows.columns));
    without_gil(threads,
                [&](Execution& execution) { memberships(checked.ragged, dense_of(rows), execution, out.get()); });
    return to_numpy<float>(std::move(out), {count, width});
  }
  const Pooling kind = pooling_of(pooling);
  std::unique_ptr<double[]> out(new double[cells(checked.ragged.size, rows.columns) + 1]);
  without_gil(threads,
              [&](Execution& execution) { pooled_rows(checked.ragged, dense_of(rows), kind, execution, out.get()); });
  return to_numpy<double>(std::move(out), {count, width});
}

}  // namespace

void bind_scores(nb::module_& module) {
  module.def("pairs", &bound_pairs, nb::arg("table"), nb::arg("texts"), nb::arg("left"), nb::arg("right"),
             nb::arg("similarity"), nb::kw_only(), nb::arg("threads") = 0,
             "Score text left[i] with text right[i]: (n,).");
  module.def("matrix", &bound_matrix, nb::arg("table"), nb::arg("texts"), nb::arg("rows"), nb::arg("columns"),
             nb::arg("similarity"), nb::kw_only(), nb::arg("threads") = 0,
             "Score text rows[i] with text columns[j]: (n, m).");
  module.def("dense_pairs", &bound_dense<false>, nb::arg("left"), nb::arg("right"), nb::arg("similarity"),
             nb::kw_only(), nb::arg("weights") = nb::none(), nb::arg("threads") = 0,
             "Score membership row left[i] with right[i]: (n,).");
  module.def("dense_matrix", &bound_dense<true>, nb::arg("rows"), nb::arg("columns"), nb::arg("similarity"),
             nb::kw_only(), nb::arg("weights") = nb::none(), nb::arg("threads") = 0,
             "Score every membership row with every column: (n, m).");
  module.def("products", &bound_products<true>, nb::arg("rows"), nb::arg("columns"), nb::kw_only(),
             nb::arg("threads") = 0,
             "Multiply every row with every column; each product has the same bits in any batch: (n, m) float64.");
  module.def("row_products", &bound_products<false>, nb::arg("left"), nb::arg("right"), nb::kw_only(),
             nb::arg("threads") = 0,
             "Multiply row i of left with row i of right; same bits as products: (n,) float64.");
  module.def("memberships", &bound_memberships, nb::arg("texts"), nb::arg("word_rows"), nb::arg("pooling") = "max",
             nb::kw_only(), nb::arg("threads") = 0,
             "Pool the rows of each text's words by max (with zero), or by min, sum or avg in float64: (n, K).");
}

}  // namespace bindings
}  // namespace fuzzbow
