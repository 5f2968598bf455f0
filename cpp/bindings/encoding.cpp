// Encoding of texts as word ids.
#include <nanobind/stl/string.h>

#include "bindings/arrays.hpp"
#include "bindings/lexicon_texts.hpp"
#include "bindings/text_views.hpp"
#include "text/distinct.hpp"
#include "text/encoder.hpp"

namespace fuzzbow {
namespace bindings {

Splitting splitting_of(const std::string& name) {
  if (name == "chunks") return Splitting::kChunks;
  if (name == "unsegmented") return Splitting::kUnsegmented;
  if (name == "whitespace") return Splitting::kWhitespace;
  must("splitting", "chunks, unsegmented or whitespace", "'" + name + "'");
}

namespace {

nb::list strings_of(const std::vector<std::string>& words) {
  nb::list result;
  for (const std::string& word : words) result.append(nb::str(word.data(), word.size()));
  return result;
}

nb::tuple bound_distinct(nb::object texts) {
  const TextViews views(texts);
  Distinct found;
  without_gil(1, [&](Execution&) { found = distinct(views.all()); });
  return nb::make_tuple(to_numpy(found.firsts), to_numpy(found.which));
}

nb::tuple bound_encode(const Vocabulary& vocabulary, nb::object texts, const std::string& splitting, bool lowercase,
                       std::int64_t threads) {
  const Splitting kind = splitting_of(splitting);
  const TextViews views(texts);
  Encoded encoded;
  without_gil(threads,
              [&](Execution& execution) { encoded = encode(vocabulary, views.all(), kind, lowercase, execution); });
  return nb::make_tuple(to_numpy(encoded.ids), to_numpy(encoded.offsets), strings_of(encoded.unknown));
}

}  // namespace

void bind_encoding(nb::module_& module) {
  module.def("distinct", &bound_distinct, nb::arg("texts"),
             "Find equal texts: index of the first occurrence of each distinct text, and index of the distinct text of "
             "each text: (distinct,), (texts,) int64.");
  module.def("encode", &bound_encode, nb::arg("vocabulary"), nb::arg("texts"), nb::arg("splitting"),
             nb::arg("lowercase"), nb::kw_only(), nb::arg("threads") = 0,
             "Encode texts as (ids uint32, offsets int64, unknown chunks as written). Unknown chunk k has the id "
             "len(vocabulary) + k.");
}

}  // namespace bindings
}  // namespace fuzzbow
