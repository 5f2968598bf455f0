// Texts to word ids.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/utf8.hpp"
#include "encoder.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

Splitting splitting_of(const std::string& name) {
  if (name == "words") return Splitting::kWords;
  if (name == "whitespace") return Splitting::kWhitespace;
  must("splitting", "words or whitespace", "'" + name + "'");
}

nb::list strings_of(const std::vector<std::string>& words) {
  nb::list result;
  for (const std::string& word : words) result.append(nb::str(word.data(), word.size()));
  return result;
}

nb::tuple bound_encode(const Vocabulary& vocabulary, nb::list texts, const std::string& splitting, bool lowercase,
                       int threads) {
  const Splitting kind = splitting_of(splitting);
  std::vector<Utf8> held;  // keeps re-encoded texts alive while the views point at them
  std::vector<TextView> views;
  held.reserve(nb::len(texts));
  views.reserve(nb::len(texts));
  for (nb::handle text : texts) {
    held.emplace_back(text);
    views.push_back({held.back().data, static_cast<std::size_t>(held.back().length)});
  }
  Encoded encoded;
  without_gil(threads, [&](Execution& execution) { encoded = encode(vocabulary, views, kind, lowercase, execution); });
  return nb::make_tuple(to_numpy(encoded.ids), to_numpy(encoded.offsets), strings_of(encoded.unknown),
                        to_numpy(encoded.left));
}

}  // namespace

void bind_encoding(nb::module_& module) {
  module.def("encode", &bound_encode, nb::arg("vocabulary"), nb::arg("texts"), nb::arg("splitting"),
             nb::arg("lowercase"), nb::kw_only(), nb::arg("threads") = 0,
             "Texts to (ids uint32, offsets int64, unknown words, texts left to Python). Unknown word k has the id "
             "len(vocabulary) + k.");
}

}  // namespace bindings
}  // namespace fuzzbow
