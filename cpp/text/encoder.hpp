// Many texts to word ids at once: split, look up in either case, number the words that are not known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/parallel.hpp"
#include "text/splitter.hpp"
#include "text/vocabulary.hpp"

namespace fuzzbow {

struct TextView {
  const char* data;
  std::size_t length;
};

struct Encoded {
  std::vector<std::uint32_t> ids;     // below the vocabulary's size, or that size + position in `unknown`
  std::vector<std::int64_t> offsets;  // (texts + 1)
  std::vector<std::string> unknown;   // in order of first appearance
};

// `lowercase`: the vocabulary is lower-cased, so words are looked up in lower case first, then as written.
// Otherwise the other way round. Unknown words are kept in the form that is tried first.
Encoded encode(const Vocabulary& vocabulary, const std::vector<TextView>& texts, Splitting splitting, bool lowercase,
               Execution& execution);

}  // namespace fuzzbow
