// The Python module. Checks are in the other files of bindings/, mathematics is in the kernels.
#include "bindings/arrays.hpp"

namespace {

// Translates std::invalid_argument to the package's InputError, a ValueError.
void translate(const std::exception_ptr& thrown, void* input_error) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::invalid_argument& refused) {
    PyErr_SetString(static_cast<PyObject*>(input_error), refused.what());
  }
}

}  // namespace

NB_MODULE(_kernel, module) {
  nb::set_leak_warnings(false);
  nb::object input_error = nb::module_::import_("fuzzbow.errors").attr("InputError");
  nb::register_exception_translator(translate, input_error.release().ptr());
  fuzzbow::bindings::bind_tables(module);
  fuzzbow::bindings::bind_set_similarity(module);
  fuzzbow::bindings::bind_scores(module);
  fuzzbow::bindings::bind_corpus(module);
  fuzzbow::bindings::bind_join(module);
  fuzzbow::bindings::bind_bm25(module);
  fuzzbow::bindings::bind_words(module);
  fuzzbow::bindings::bind_characters(module);
  fuzzbow::bindings::bind_encoding(module);
  fuzzbow::bindings::bind_lexicon(module);
}
