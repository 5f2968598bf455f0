// The Python module: nanobind only. Checks are in bindings/, mathematics is in the kernels.
#include "bindings/arrays.hpp"

NB_MODULE(_kernel, module) {
  nb::set_leak_warnings(false);
  fuzzbow::bindings::bind_tables(module);
  fuzzbow::bindings::bind_scores(module);
  fuzzbow::bindings::bind_index(module);
  fuzzbow::bindings::bind_join(module);
  fuzzbow::bindings::bind_words(module);
  fuzzbow::bindings::bind_encoding(module);
}
