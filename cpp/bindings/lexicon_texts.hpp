// Texts that a lexicon has read, for the bindings of everything that scores texts.
#pragma once
#include <memory>

#include "bindings/arrays.hpp"
#include "words/lexicon.hpp"

namespace fuzzbow {
namespace bindings {

Splitting splitting_of(const std::string& name);

// A lexicon, and the Python objects that it points at, which must stay alive.
struct BoundLexicon {
  nb::object table_object;
  std::unique_ptr<Lexicon> lexicon;
  nb::object vocabulary_object;
};

// Rows of the lexicon's table, which only grows: they stay what they are.
struct LexiconTexts {
  nb::object lexicon_object;
  const Lexicon* lexicon = nullptr;
  ReadTexts read;
};

}  // namespace bindings
}  // namespace fuzzbow
