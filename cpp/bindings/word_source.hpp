// Sources of words, and the Python objects that they refer to.
#pragma once
#include "bindings/arrays.hpp"
#include "words/word_source.hpp"

namespace fuzzbow {
namespace bindings {

// Objects that are kept alive with what refers to them.
using Kept = std::vector<nb::object>;

struct BoundWordSource {
  Kept kept;
  WordSource source;
};

}  // namespace bindings
}  // namespace fuzzbow
