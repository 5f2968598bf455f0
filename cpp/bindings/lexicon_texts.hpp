// Texts read by a lexicon, as all bindings that score texts accept them.
#pragma once
#include <memory>

#include "bindings/arrays.hpp"
#include "words/lexicon.hpp"
#include "words/word_learner.hpp"

namespace fuzzbow {
namespace bindings {

Splitting splitting_of(const std::string& name);

// A lexicon and the Python objects it refers to, which must stay alive.
struct BoundLexicon {
  nb::object table_object;
  std::unique_ptr<Lexicon> lexicon;
  nb::object vocabulary_object;
  nb::object source_object, corpus_object;
  std::unique_ptr<WordLearner> learner;
};

// Texts as rows of the lexicon's table. Tables only grow, so rows stay valid.
struct LexiconTexts {
  nb::object lexicon_object;
  const Lexicon* lexicon = nullptr;
  ReadTexts read;
};

}  // namespace bindings
}  // namespace fuzzbow
