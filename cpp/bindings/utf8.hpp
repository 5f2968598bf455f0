// UTF-8 of Python strings.
#pragma once
#include "bindings/arrays.hpp"

namespace fuzzbow {
namespace bindings {

// Replaces the character table if Python's Unicode version differs from the built-in one. Call it before reading text
// that is not ASCII.
void agree_on_characters();

// The UTF-8 of a Python string, borrowed from it. Strings with lone surrogates are encoded with "surrogatepass".
struct Utf8 {
  const char* data = nullptr;
  Py_ssize_t length = 0;
  nb::object encoded;
  explicit Utf8(nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) must("every text", "a str", nb::str(text.type().attr("__name__")).c_str());
    data = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (!data) PyErr_Clear();
    if (length != PyUnicode_GetLength(text.ptr())) agree_on_characters();
    if (data) return;
    encoded = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
    if (!encoded.is_valid()) throw nb::python_error();
    char* bytes = nullptr;
    if (PyBytes_AsStringAndSize(encoded.ptr(), &bytes, &length) != 0) throw nb::python_error();
    data = bytes;
  }
};

}  // namespace bindings
}  // namespace fuzzbow
