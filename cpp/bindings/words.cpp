// Vocabularies: words to ids.
#include "bindings/arrays.hpp"
#include "text/vocabulary.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

void make_vocabulary(Vocabulary* self, nb::bytes blob, nb::object offsets) {
  const auto view = array_of<std::int64_t>(offsets, "offsets", 1);
  check_offsets("offsets", view, static_cast<std::int64_t>(blob.size()));
  if (view.rows - 1 > 0x7FFFFFFF) must("words", "fewer than 2^31", std::to_string(view.rows - 1));
  new (self) Vocabulary(blob.c_str(), view.data, view.rows - 1);
}

}  // namespace

void bind_words(nb::module_& module) {
  nb::class_<Vocabulary>(module, "Vocabulary", "A map from words (UTF-8 bytes and int64 offsets) to their positions.")
      .def("__init__", &make_vocabulary, nb::arg("words"), nb::arg("offsets"))
      .def("__len__", &Vocabulary::size)
      .def("memory_bytes", &Vocabulary::bytes);
}

}  // namespace bindings
}  // namespace fuzzbow
