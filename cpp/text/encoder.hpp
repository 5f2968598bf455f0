// Encoding of texts as word ids: splitting, lookup in both cases, numbering of unknown words.
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
  std::vector<std::uint32_t> ids;     // an id of the vocabulary, or its size plus an index into `unknown`
  std::vector<std::int64_t> offsets;  // (texts + 1)
  std::vector<std::string> unknown;   // distinct, in order of first appearance
};

// Encodes texts as word ids. `lowercase` says that the vocabulary is lower-cased: words are then looked up in lower
// case first and as written second, otherwise in the opposite order. Unknown words keep their written form.
Encoded encode(const Vocabulary& vocabulary, const std::vector<TextView>& texts, Splitting splitting, bool lowercase,
               Execution& execution);

}  // namespace fuzzbow
