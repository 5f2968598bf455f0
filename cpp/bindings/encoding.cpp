// Texts to word ids.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/lexicon_texts.hpp"
#include "bindings/utf8.hpp"
#include "distinct.hpp"
#include "encoder.hpp"

namespace fuzzbow {
namespace bindings {

Splitting splitting_of(const std::string& name) {
  if (name == "words") return Splitting::kWords;
  if (name == "plain words") return Splitting::kPlainWords;
  if (name == "unsegmented") return Splitting::kUnsegmented;
  if (name == "plain unsegmented") return Splitting::kPlainUnsegmented;
  if (name == "french words") return Splitting::kFrenchWords;
  if (name == "french unsegmented") return Splitting::kFrenchUnsegmented;
  if (name == "whitespace") return Splitting::kWhitespace;
  must("splitting", "words, unsegmented, these with plain or french before them, or whitespace", "'" + name + "'");
}

namespace {

nb::list strings_of(const std::vector<std::string>& words) {
  nb::list result;
  for (const std::string& word : words) result.append(nb::str(word.data(), word.size()));
  return result;
}

// Views of Python strings, and what keeps re-encoded ones alive.
struct Views {
  explicit Views(nb::list strings) {
    held.reserve(nb::len(strings));
    texts.reserve(nb::len(strings));
    for (nb::handle text : strings) {
      held.emplace_back(text);
      texts.push_back({held.back().data, static_cast<std::size_t>(held.back().length)});
    }
  }
  std::vector<Utf8> held;
  std::vector<TextView> texts;
};

nb::tuple bound_distinct(nb::list texts) {
  const Views views(texts);
  Distinct found;
  without_gil(1, [&](Execution&) { found = distinct(views.texts); });
  return nb::make_tuple(to_numpy(found.firsts), to_numpy(found.which));
}

nb::tuple bound_encode(const Vocabulary& vocabulary, nb::list texts, const std::string& splitting, bool lowercase,
                       std::int64_t threads) {
  const Splitting kind = splitting_of(splitting);
  const Views views(texts);
  Encoded encoded;
  without_gil(threads,
              [&](Execution& execution) { encoded = encode(vocabulary, views.texts, kind, lowercase, execution); });
  return nb::make_tuple(to_numpy(encoded.ids), to_numpy(encoded.offsets), strings_of(encoded.unknown));
}

}  // namespace

void bind_encoding(nb::module_& module) {
  module.def("distinct", &bound_distinct, nb::arg("texts"),
             "Where each distinct text occurs first, and which of those each text is: (distinct,), (texts,) int64.");
  module.def("encode", &bound_encode, nb::arg("vocabulary"), nb::arg("texts"), nb::arg("splitting"),
             nb::arg("lowercase"), nb::kw_only(), nb::arg("threads") = 0,
             "Texts to (ids uint32, offsets int64, unknown words). Unknown word k has the id len(vocabulary) + k.");
}

}  // namespace bindings
}  // namespace fuzzbow
