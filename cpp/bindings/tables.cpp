// Word tables, and the instruction set in use.
#include <nanobind/stl/string.h>

#include <cmath>
#include <mutex>

#include "bindings/arrays.hpp"
#include "bindings/tables.hpp"
#include "simd/kernels.hpp"
#include "words/edits.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

struct RowViews {
  View<float> vectors, weights;
  View<std::uint8_t> kinds;
  View<std::int64_t> trigram_offsets;
  View<std::uint32_t> trigram_ids;
  View<std::int64_t> letter_offsets;
  View<std::uint32_t> letters;
  TableRows rows;
};

void check_trigrams(const RowViews& views) {
  check_length("trigram_offsets", views.trigram_offsets.rows, "vectors plus one", views.vectors.rows + 1);
  check_offsets("trigram_offsets", views.trigram_offsets, views.trigram_ids.rows);
  for (std::int64_t word = 0; word < views.vectors.rows; ++word)
    for (std::int64_t t = views.trigram_offsets.data[word] + 1; t < views.trigram_offsets.data[word + 1]; ++t)
      if (views.trigram_ids.data[t] <= views.trigram_ids.data[t - 1])
        must("trigram_ids", "sorted and unique inside each word", "word " + std::to_string(word) + " that is not");
}

void check_letters(const RowViews& views) {
  check_length("letter_offsets", views.letter_offsets.rows, "vectors plus one", views.vectors.rows + 1);
  check_offsets("letter_offsets", views.letter_offsets, views.letters.rows);
  for (std::int64_t word = 0; word < views.vectors.rows; ++word)
    if (views.letter_offsets.data[word + 1] - views.letter_offsets.data[word] > kMostLetters)
      must("letters", "at most " + std::to_string(kMostLetters) + " of each word",
           "more of word " + std::to_string(word));
}

void check_kinds(const RowViews& views) {
  check_length("kinds", views.kinds.rows, "vectors", views.vectors.rows);
  for (std::int64_t i = 0; i < views.kinds.rows; ++i) {
    const std::uint8_t kind = views.kinds.data[i];
    if (kind > 3) must("kinds", "0, 1, 2 or 3", std::to_string(kind) + " at position " + std::to_string(i));
    if (is_unknown(kind) && !views.trigram_offsets.data)
      must("trigram_offsets and trigram_ids", "given where a word is unknown", "None");
  }
}

RowViews rows_of(nb::handle vectors, nb::handle weights, nb::handle kinds, nb::handle trigram_offsets,
                 nb::handle trigram_ids, nb::handle letter_offsets, nb::handle letters) {
  RowViews views;
  views.vectors = array_of<float>(vectors, "vectors", 2);
  check_finite("vectors", views.vectors);
  views.weights = optional_of<float>(weights, "weights", 1);
  if (views.weights.data) {
    check_length("weights", views.weights.rows, "vectors", views.vectors.rows);
    check_not_negative("weights", views.weights);
  }
  views.kinds = optional_of<std::uint8_t>(kinds, "kinds", 1);
  views.trigram_offsets = optional_of<std::int64_t>(trigram_offsets, "trigram_offsets", 1);
  views.trigram_ids = optional_of<std::uint32_t>(trigram_ids, "trigram_ids", 1);
  if (views.trigram_offsets.array.is_valid()) check_trigrams(views);
  views.letter_offsets = optional_of<std::int64_t>(letter_offsets, "letter_offsets", 1);
  views.letters = optional_of<std::uint32_t>(letters, "letters", 1);
  if (views.letter_offsets.array.is_valid()) check_letters(views);
  if (views.kinds.array.is_valid()) check_kinds(views);
  views.rows = {views.vectors.data,     views.weights.data,        views.kinds.data,   views.trigram_offsets.data,
                views.trigram_ids.data, views.letter_offsets.data, views.letters.data, views.vectors.rows};
  return views;
}

// Rejects vectors whose products could overflow float32. Without rules the table rescales itself.
void check_magnitude(const RowViews& views, float scale) {
  for (std::int64_t i = 0; i < views.vectors.size(); ++i)
    if (std::fabs(views.vectors.data[i]) * scale > 1e15f)
      must("vectors", "within 1e15 of zero (in units of the table)", std::to_string(views.vectors.data[i]));
}

nb::dict info() {
  nb::list available;
  for (const char* const* name = available_kernels(); *name; ++name) available.append(*name);
  nb::dict result;
  result["simd"] = kernels().name;
  result["available"] = available;
  result["threads"] = available_threads();
  return result;
}

void set_simd(const std::string& name) {
  if (!choose_kernels(name.c_str())) {
    std::string list;
    for (const char* const* available = available_kernels(); *available; ++available)
      list += (list.empty() ? "" : ", ") + std::string(*available);
    must("simd", "one of " + list, "'" + name + "'");
  }
}

void make_table(Table* self, nb::object vectors, nb::object weights, nb::object kinds, nb::object trigram_offsets,
                nb::object trigram_ids, nb::object letter_offsets, nb::object letters, bool unit) {
  const RowViews views = rows_of(vectors, weights, kinds, trigram_offsets, trigram_ids, letter_offsets, letters);
  if (views.vectors.columns < 1 || views.vectors.columns > 65536)
    must("vectors", "of 1 to 65536 columns", std::to_string(views.vectors.columns));
  if (views.vectors.rows >= 0xFFFFFFFFll)
    must("vectors", "fewer than 2^32 - 1 rows", std::to_string(views.vectors.rows));
  const bool rules = views.kinds.array.is_valid();
  if (rules || unit) check_magnitude(views, 1.0f);
  new (self) Table(views.vectors.columns, rules, unit);
  nb::gil_scoped_release released;
  self->append(views.rows);
}

std::int64_t append_rows(Table& table, nb::object vectors, nb::object weights, nb::object kinds,
                         nb::object trigram_offsets, nb::object trigram_ids, nb::object letter_offsets,
                         nb::object letters) {
  const RowViews views = rows_of(vectors, weights, kinds, trigram_offsets, trigram_ids, letter_offsets, letters);
  check_length("columns of vectors", views.vectors.columns, "the table", table.dimension());
  if (views.kinds.array.is_valid() && !table.rules()) must("kinds", "None for a table without rules", "an array");
  nb::gil_scoped_release released;
  std::unique_lock<std::shared_mutex> lock(table.mutex());
  check_magnitude(views, table.scale());
  if (table.size() + views.vectors.rows >= 0xFFFFFFFFll) must("the table", "fewer than 2^32 - 1 rows", "more");
  const std::int64_t first = table.size();
  table.append(views.rows);
  return first;
}

}  // namespace

void bind_tables(nb::module_& module) {
  module.def("info", &info, "Return the instruction set in use, the available ones, and the number of cores.");
  module.def("set_simd", &set_simd, nb::arg("name"), "Use this instruction set, one of info()['available'].");
  nb::class_<Table>(module, "Table", "Vectors, element weights, kinds, trigrams and letters of words, by word id.")
      .def("__init__", &make_table, nb::arg("vectors"), nb::arg("weights") = nb::none(), nb::arg("kinds") = nb::none(),
           nb::arg("trigram_offsets") = nb::none(), nb::arg("trigram_ids") = nb::none(),
           nb::arg("letter_offsets") = nb::none(), nb::arg("letters") = nb::none(), nb::kw_only(),
           nb::arg("unit") = false)
      .def("append", &append_rows, nb::arg("vectors"), nb::arg("weights") = nb::none(), nb::arg("kinds") = nb::none(),
           nb::arg("trigram_offsets") = nb::none(), nb::arg("trigram_ids") = nb::none(),
           nb::arg("letter_offsets") = nb::none(), nb::arg("letters") = nb::none(),
           "Append words and return the id of the first.")
      .def("__len__", &Table::size)
      .def_prop_ro("dimension", &Table::dimension)
      .def("memory_bytes", &Table::bytes);
}

}  // namespace bindings
}  // namespace fuzzbow
