// The bytes of a Python string.
#pragma once
#include "bindings/arrays.hpp"

namespace fuzzbow {
namespace bindings {

// Before the first text beyond ASCII is read: where Python's Unicode is not the one that the kernels were built with,
// they are given a table of Python's.
void agree_on_characters();

// The UTF-8 of a Python string, borrowed from it. A lone surrogate has no UTF-8: it goes through "surrogatepass".
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
