// Conversion of Python objects to checked plain views, and back. Every error is a ValueError "… must be …; got …".
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/parallel.hpp"
#include "support/ragged.hpp"

namespace nb = nanobind;

namespace fuzzbow {
namespace bindings {

[[noreturn]] inline void must(const std::string& what, const std::string& needed, const std::string& got) {
  throw std::invalid_argument(what + " must be " + needed + "; got " + got);
}

// A typed view that keeps its array alive. The pointer is null only if there is no array; an array without values has a
// pointer.
template <class T>
struct View {
  nb::ndarray<nb::ro> array;
  const T* data = nullptr;
  std::int64_t rows = 0, columns = 0;  // columns is 1 for a vector
  std::int64_t size() const { return rows * columns; }
};

template <class T>
View<T> array_of(nb::handle object, const std::string& name, int dimensions);
// Returns a view with a null pointer for None.
template <class T>
View<T> optional_of(nb::handle object, const std::string& name, int dimensions);

// The value of a mapping under a name.
template <class T>
T member_of(nb::handle mapping, const char* name, const char* needed) {
  const nb::object value = mapping[name];
  T found{};
  if (!nb::try_cast(value, found)) must(name, needed, nb::str(value.type().attr("__name__")).c_str());
  return found;
}

// Counts by name.
template <class Counts>
nb::dict dict_of(const Counts& counts) {
  nb::dict found;
  for (const auto& [name, count] : Counts::kCounts) found[name] = counts.*count;
  return found;
}

void check_length(const std::string& name, std::int64_t length, const std::string& other, std::int64_t expected);
void check_finite(const std::string& name, const View<float>& values);
void check_not_negative(const std::string& name, const View<float>& values);
// Requires offsets that start at 0, never fall, and end at `total`.
void check_offsets(const std::string& name, const View<std::int64_t>& offsets, std::int64_t total);

// Texts as (ids, offsets) or (ids, offsets, counts), with ids below `words`, or as read by a lexicon over the same
// table.
struct Texts {
  View<std::uint32_t> ids;
  View<std::int64_t> offsets;
  View<float> counts;
  Ragged ragged;
};
Texts texts_of(nb::handle object, const std::string& name, std::int64_t words);

// Text numbers, each at least 0 and below `texts`.
struct IndexView {
  View<std::int64_t> array;
  Indices indices;
};
IndexView indices_of(nb::handle object, const std::string& name, std::int64_t texts);

std::int64_t threads_of(std::int64_t threads);

// Returns a NumPy array that owns its values.
template <class T>
nb::object to_numpy(std::unique_ptr<T[]> values, std::initializer_list<std::size_t> shape) {
  T* data = values.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
}

template <class T>
nb::object to_numpy(const std::vector<T>& values) {
  std::unique_ptr<T[]> copy(new T[values.size() + 1]);
  std::copy(values.begin(), values.end(), copy.get());
  return to_numpy<T>(std::move(copy), {values.size()});
}

bool signal_pending();  // takes the interpreter lock

// Runs work(execution) with the interpreter lock released. Ctrl-C ends it with KeyboardInterrupt.
template <class Work>
void without_gil(std::int64_t threads, Work work) {
  Execution execution(threads_of(threads), signal_pending);
  bool interrupted = false;
  {
    nb::gil_scoped_release released;
    try {
      work(execution);
    } catch (const Interrupted&) {
      interrupted = true;
    }
  }
  if (!interrupted) return;
  if (PyErr_Occurred()) throw nb::python_error();
  throw std::runtime_error("interrupted");
}

void bind_tables(nb::module_& module);
void bind_set_similarity(nb::module_& module);
void bind_scores(nb::module_& module);
void bind_corpus(nb::module_& module);
void bind_join(nb::module_& module);
void bind_bm25(nb::module_& module);
void bind_words(nb::module_& module);
void bind_characters(nb::module_& module);
void bind_encoding(nb::module_& module);
void bind_lexicon(nb::module_& module);

}  // namespace bindings
}  // namespace fuzzbow
