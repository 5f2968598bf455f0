// Character classes and lower case.
#include "text/characters.hpp"

#include <nanobind/stl/string.h>

#include <cstring>

#include "bindings/arrays.hpp"
#include "bindings/utf8.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

template <class T>
std::vector<T> values_of(nb::handle array) {
  const nb::bytes bytes(array.attr("tobytes")());
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.c_str(), values.size() * sizeof(T));
  return values;
}

// Requires that every character has a block and a record, and that its lower case is a character.
void check_table(const std::vector<std::uint16_t>& index, const std::vector<std::uint8_t>& blocks,
                 const std::vector<std::uint8_t>& classes, const std::vector<std::int32_t>& lower) {
  const std::string whole = "a whole table of characters";
  if (index.size() != kEndOfCharacters / 128) must("index", whole, std::to_string(index.size()) + " blocks");
  if (classes.size() != lower.size()) must("classes and lower", "of equal length", std::to_string(lower.size()));
  for (std::uint32_t code = 0; code < kEndOfCharacters; ++code) {
    const std::size_t position = static_cast<std::size_t>(index[code / 128]) * 128 + code % 128;
    if (position >= blocks.size() || blocks[position] >= classes.size())
      must("blocks", whole, "none for character " + std::to_string(code));
    const std::int64_t small = static_cast<std::int64_t>(code) + lower[blocks[position]];
    if (small < 0 || small >= static_cast<std::int64_t>(kEndOfCharacters))
      must("lower", whole, std::to_string(small) + " for character " + std::to_string(code));
  }
}

void bound_use_characters(nb::object table) {
  for (const char* part : {"version", "index", "blocks", "classes", "lower"})
    if (!nb::hasattr(table, part)) must("table", "a CharacterTable", nb::str(table.type().attr("__name__")).c_str());
  auto index = values_of<std::uint16_t>(table.attr("index"));
  auto blocks = values_of<std::uint8_t>(table.attr("blocks"));
  auto classes = values_of<std::uint8_t>(table.attr("classes"));
  auto lower = values_of<std::int32_t>(table.attr("lower"));
  check_table(index, blocks, classes, lower);
  const std::string version = nb::cast<std::string>(table.attr("version"));
  use_characters(version, std::move(index), std::move(blocks), std::move(classes), std::move(lower));
}

}  // namespace

void agree_on_characters() {
  static bool agreed = false;
  if (agreed) return;
  const nb::object made =
      nb::module_::import_("fuzzbow.text.characters").attr("table_instead_of")(characters_version());
  // another thread may have been faster, and its table may be in use
  if (!agreed && !made.is_none()) bound_use_characters(made);
  agreed = true;
}

void bind_characters(nb::module_& module) {
  module.def(
      "characters_version", [] { return characters_version(); },
      "Return the Unicode version of the character table in use.");
  module.def("use_characters", &bound_use_characters, nb::arg("table"),
             "Use another fuzzbow.text.characters.CharacterTable. No other thread may be splitting text.");
}

}  // namespace bindings
}  // namespace fuzzbow
