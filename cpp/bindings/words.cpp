// Vocabularies: words to ids; and sources of words: words to rows of a table.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/word_source.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

void make_vocabulary(Vocabulary* self, nb::bytes blob, nb::object offsets) {
  const auto view = array_of<std::int64_t>(offsets, "offsets", 1);
  check_offsets("offsets", view, static_cast<std::int64_t>(blob.size()));
  if (view.rows - 1 > 0x7FFFFFFF) must("words", "fewer than 2^31", std::to_string(view.rows - 1));
  new (self) Vocabulary(blob.c_str(), view.data, view.rows - 1);
}

StoredRows stored_rows(nb::handle object, const View<float>& scales, const View<std::int64_t>& row_of,
                       std::int64_t dimension) {
  nb::ndarray<nb::ro> values;
  if (!nb::try_cast(object, values) || values.ndim() != 2)
    must("values", "an array of 2 dimensions", nb::str(object.type().attr("__name__")).c_str());
  StoredRows stored;
  if (values.dtype() == nb::dtype<float>())
    stored.type = StoredAs::kFloat32;
  else if (values.dtype() == nb::dtype<std::int8_t>())
    stored.type = StoredAs::kInt8;
  else if (values.dtype() == nb::dtype<std::uint8_t>())
    stored.type = StoredAs::kInt4;
  else if (values.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) && values.dtype().bits == 16)
    stored.type = StoredAs::kFloat16;
  else
    must("values", "of float32, float16, int8 or uint8", nb::str(object.attr("dtype")).c_str());
  if (reinterpret_cast<std::uintptr_t>(values.data()) % values.itemsize() != 0) must("values", "aligned", "others");
  const std::int64_t rows = static_cast<std::int64_t>(values.shape(0));
  check_length("a row of values", static_cast<std::int64_t>(values.shape(1)), "the dimension",
               stored.type == StoredAs::kInt4 ? (dimension + 1) / 2 : dimension);
  if (scales.data) check_length("scales", scales.rows, "values", rows);
  for (std::int64_t i = 0; i < row_of.rows; ++i)
    if (row_of.data[i] < 0 || row_of.data[i] >= rows)
      must("row_of", "below the number of rows, " + std::to_string(rows), std::to_string(row_of.data[i]));
  stored.values = values.data();
  stored.scales = scales.data;
  stored.row_of = row_of.data;
  stored.dimension = dimension;
  stored.row_stride = values.stride(0);
  stored.column_stride = values.stride(1);
  return stored;
}

RowForm form_of(const std::string& name) {
  if (name == "plain") return RowForm::kPlain;
  if (name == "lengthened") return RowForm::kLengthened;
  if (name == "weighted") return RowForm::kWeighted;
  must("form", "plain, lengthened or weighted", "'" + name + "'");
}

// Keeps an array of numbers alive and returns its values; null for None.
const double* kept_numbers(nb::handle object, const std::string& name, int dimensions, std::int64_t rows, Kept& kept) {
  if (object.is_none()) return nullptr;
  const auto view = array_of<double>(object, name, dimensions);
  check_length(name, view.rows, "its words or dimensions", rows);
  if (dimensions == 2) check_length("a row of " + name, view.columns, "its dimensions", rows);
  kept.push_back(nb::borrow(object));
  return view.data;
}

// Keeps (data, offsets, hashes, order) of a vocabulary alive.
StoredVocabulary stored_vocabulary(nb::tuple arrays, Kept& kept) {
  const auto data = array_of<std::uint8_t>(arrays[0], "data", 1);
  const auto offsets = array_of<std::int64_t>(arrays[1], "offsets", 1);
  const auto hashes = array_of<std::uint32_t>(arrays[2], "hashes", 1);
  const auto order = array_of<std::uint32_t>(arrays[3], "order", 1);
  check_offsets("offsets", offsets, data.rows);
  check_length("hashes", hashes.rows + 1, "offsets", offsets.rows);
  check_length("order", order.rows, "hashes", hashes.rows);
  if (hashes.rows > 0x7FFFFFFF) must("words", "fewer than 2^31", std::to_string(hashes.rows));
  kept.push_back(arrays);
  return {reinterpret_cast<const char*>(data.data), offsets.data, hashes.data, order.data, hashes.rows};
}

void make_source(BoundWordSource* self, nb::object vocabulary, nb::object values, nb::object scales, nb::object row_of,
                 std::int64_t dimension, bool lowercase, nb::dict rules) {
  Kept kept{vocabulary, values, scales, row_of};
  const Vocabulary* words = nullptr;
  StoredVocabulary stored_words;
  if (nb::isinstance<nb::tuple>(vocabulary))
    stored_words = stored_vocabulary(nb::borrow<nb::tuple>(vocabulary), kept);
  else if (!nb::try_cast(vocabulary, words) || !words)
    must("vocabulary", "a Vocabulary or a tuple of arrays", nb::str(vocabulary.type().attr("__name__")).c_str());
  const std::int64_t size = words ? words->size() : stored_words.size;
  const auto numbers = optional_of<std::int64_t>(row_of, "row_of", 1);
  const StoredRows stored = stored_rows(values, optional_of<float>(scales, "scales", 1), numbers, dimension);
  const std::int64_t rows = numbers.data ? numbers.rows : static_cast<std::int64_t>(nb::len(values));
  check_length("rows of the words", rows, "the vocabulary", size);
  RowRules made;
  const auto flag = [&](const char* name) { return nb::cast<bool>(rules[name]); };
  const auto number = [&](const char* name) { return nb::cast<double>(rules[name]); };
  made.form = form_of(member_of<std::string>(rules, "form", "a str"));
  made.normalise = flag("normalise");
  made.preweighted = flag("preweighted");
  made.numbers = flag("numbers");
  made.unknown = flag("unknown");
  made.punctuation = flag("punctuation");
  made.codes = flag("codes");
  made.number_weight = number("number_weight");
  made.symbol_weight = number("symbol_weight");
  made.unknown_weight = number("unknown_weight");
  made.smallest_weight = number("smallest_weight");
  made.code_weight = number("code_weight");
  made.decimal_weight = number("decimal_weight");
  made.mean_length = number("mean_length");
  made.factors = kept_numbers(rules["factors"], "factors", 1, size, kept);
  made.mean = kept_numbers(rules["mean"], "mean", 1, dimension, kept);
  made.matrix = kept_numbers(rules["matrix"], "matrix", 2, dimension, kept);
  if (made.form != RowForm::kPlain && !made.preweighted && (!made.mean || !made.matrix))
    must("mean and matrix", "given where vectors are whitened", "None");
  if (words)
    new (self) BoundWordSource{std::move(kept), WordSource(*words, stored, made, lowercase)};
  else
    new (self) BoundWordSource{std::move(kept), WordSource(stored_words, stored, made, lowercase)};
}

}  // namespace

void bind_words(nb::module_& module) {
  nb::class_<Vocabulary>(module, "Vocabulary", "A map from words (UTF-8 bytes and int64 offsets) to their positions.")
      .def("__init__", &make_vocabulary, nb::arg("words"), nb::arg("offsets"))
      .def("__len__", &Vocabulary::size)
      .def("memory_bytes", &Vocabulary::bytes);
  nb::class_<BoundWordSource>(module, "WordSource",
                              "Stored vectors of a vocabulary, a Vocabulary or the arrays of a stored one, and rules "
                              "that make rows of them.")
      .def("__init__", &make_source, nb::arg("vocabulary"), nb::arg("values"), nb::arg("scales").none(),
           nb::arg("row_of").none(), nb::kw_only(), nb::arg("dimension"), nb::arg("lowercase"), nb::arg("rules"));
}

}  // namespace bindings
}  // namespace fuzzbow
