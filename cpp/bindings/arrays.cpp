#include "bindings/arrays.hpp"

#include <cmath>

#include "bindings/lexicon_texts.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

template <class T>
constexpr const char* kTypeName = nullptr;
template <>
constexpr const char* kTypeName<float> = "float32";
template <>
constexpr const char* kTypeName<double> = "float64";
template <>
constexpr const char* kTypeName<std::uint32_t> = "uint32";
template <>
constexpr const char* kTypeName<std::int32_t> = "int32";
template <>
constexpr const char* kTypeName<std::uint64_t> = "uint64";
template <>
constexpr const char* kTypeName<std::int64_t> = "int64";
template <>
constexpr const char* kTypeName<std::uint16_t> = "uint16";
template <>
constexpr const char* kTypeName<std::uint8_t> = "uint8";

std::string text_of(nb::handle object) { return nb::str(object).c_str(); }

std::string type_of(nb::handle object) {
  return nb::hasattr(object, "dtype") ? text_of(object.attr("dtype")) : text_of(object.type().attr("__name__"));
}

template <class T>
bool contiguous(const nb::ndarray<nb::ro>& array) {
  std::int64_t expected = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) > 1 && array.stride(i) != expected) return false;
    expected *= static_cast<std::int64_t>(array.shape(i));
  }
  return true;
}

void check_ids(const std::string& name, const Ragged& texts, std::int64_t words) {
  for (std::int64_t i = 0; i < texts.total(); ++i)
    if (texts.ids[i] >= words)
      must(name + " ids", "below the number of words, " + std::to_string(words),
           std::to_string(texts.ids[i]) + " at position " + std::to_string(i));
}

}  // namespace

template <class T>
View<T> array_of(nb::handle object, const std::string& name, int dimensions) {
  const std::string needed = std::string("a contiguous ") + kTypeName<T> + " array of " + std::to_string(dimensions) +
                             (dimensions == 1 ? " dimension" : " dimensions");
  View<T> view;
  if (!nb::hasattr(object, "dtype") || !nb::try_cast(object, view.array)) must(name, needed, type_of(object));
  if (view.array.dtype() != nb::dtype<T>()) must(name, needed, type_of(object));
  if (static_cast<int>(view.array.ndim()) != dimensions)
    must(name, needed, std::to_string(view.array.ndim()) + " dimensions");
  const std::int64_t rows = static_cast<std::int64_t>(view.array.shape(0));
  const std::int64_t columns = dimensions == 2 ? static_cast<std::int64_t>(view.array.shape(1)) : 1;
  if (rows * columns > 0 && !contiguous<T>(view.array)) must(name, needed, "one with strides");
  view.rows = rows;
  view.columns = columns;
  view.data = static_cast<const T*>(view.array.data());
  static const T nothing{};
  if (rows * columns == 0) view.data = &nothing;
  if (reinterpret_cast<std::uintptr_t>(view.data) % alignof(T) != 0) must(name, needed, "a misaligned one");
  return view;
}

template <class T>
View<T> optional_of(nb::handle object, const std::string& name, int dimensions) {
  return object.is_none() ? View<T>{} : array_of<T>(object, name, dimensions);
}

#define FUZZBOW_INSTANCE(T)                                          \
  template View<T> array_of<T>(nb::handle, const std::string&, int); \
  template View<T> optional_of<T>(nb::handle, const std::string&, int);
FUZZBOW_INSTANCE(float)
FUZZBOW_INSTANCE(double)
FUZZBOW_INSTANCE(std::uint32_t)
FUZZBOW_INSTANCE(std::int32_t)
FUZZBOW_INSTANCE(std::int64_t)
FUZZBOW_INSTANCE(std::uint8_t)
FUZZBOW_INSTANCE(std::uint16_t)
FUZZBOW_INSTANCE(std::uint64_t)
#undef FUZZBOW_INSTANCE

void check_length(const std::string& name, std::int64_t length, const std::string& other, std::int64_t expected) {
  if (length != expected)
    must("the length of " + name, "that of " + other + ", " + std::to_string(expected), std::to_string(length));
}

void check_finite(const std::string& name, const View<float>& values) {
  for (std::int64_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values.data[i]))
      must(name, "finite", std::to_string(values.data[i]) + " at position " + std::to_string(i));
}

void check_not_negative(const std::string& name, const View<float>& values) {
  check_finite(name, values);
  for (std::int64_t i = 0; i < values.size(); ++i)
    if (values.data[i] < 0)
      must(name, "zero or more", std::to_string(values.data[i]) + " at position " + std::to_string(i));
}

void check_offsets(const std::string& name, const View<std::int64_t>& offsets, std::int64_t total) {
  if (offsets.rows < 1) must(name, "at least one value, 0", "none");
  if (offsets.data[0] != 0) must(name, "offsets that start at 0", std::to_string(offsets.data[0]));
  for (std::int64_t i = 1; i < offsets.rows; ++i)
    if (offsets.data[i] < offsets.data[i - 1])
      must(name, "offsets that never fall",
           std::to_string(offsets.data[i]) + " after " + std::to_string(offsets.data[i - 1]) + " at position " +
               std::to_string(i));
  if (offsets.data[offsets.rows - 1] != total)
    must(name, "offsets that end at the number of values, " + std::to_string(total),
         std::to_string(offsets.data[offsets.rows - 1]));
}

Texts texts_of(nb::handle object, const std::string& name, std::int64_t words) {
  Texts texts;
  const LexiconTexts* read = nullptr;
  if (nb::try_cast(object, read) && read) {
    if (!read->read.missing.empty())
      must(name, "settled", "some with " + std::to_string(read->read.missing.size()) + " words that were not met");
    texts.ragged = read->read.ragged();
    check_ids(name, texts.ragged, words);
    return texts;
  }
  const bool sequence = nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object);
  const std::size_t parts = sequence ? nb::len(object) : 0;
  if (parts != 2 && parts != 3) must(name, "(ids, offsets) or (ids, offsets, counts)", type_of(object));
  texts.ids = array_of<std::uint32_t>(object[0], name + " ids", 1);
  texts.offsets = array_of<std::int64_t>(object[1], name + " offsets", 1);
  check_offsets(name + " offsets", texts.offsets, texts.ids.rows);
  texts.ragged = {texts.ids.data, texts.offsets.data, nullptr, texts.offsets.rows - 1};
  check_ids(name, texts.ragged, words);
  if (parts == 3) texts.counts = optional_of<float>(object[2], name + " counts", 1);
  if (texts.counts.data) {
    check_length(name + " counts", texts.counts.rows, "its ids", texts.ids.rows);
    check_not_negative(name + " counts", texts.counts);
  }
  texts.ragged.counts = texts.counts.data;
  return texts;
}

IndexView indices_of(nb::handle object, const std::string& name, std::int64_t texts) {
  IndexView view{array_of<std::int64_t>(object, name, 1), {}};
  view.indices = {view.array.data, view.array.rows};
  for (std::int64_t i = 0; i < view.array.rows; ++i)
    if (view.indices[i] < 0 || view.indices[i] >= texts)
      must(name, "from 0 to below the number of texts, " + std::to_string(texts),
           std::to_string(view.indices[i]) + " at position " + std::to_string(i));
  return view;
}

std::int64_t threads_of(std::int64_t threads) {
  if (threads < 0) must("threads", "0 (all cores) or more", std::to_string(threads));
  return threads;
}

bool signal_pending() {
  nb::gil_scoped_acquire acquired;
  return PyErr_CheckSignals() != 0;
}

}  // namespace bindings
}  // namespace fuzzbow
