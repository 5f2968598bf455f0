// Lower case of a word, as Python's str.lower has it.
#pragma once
#include <cstddef>
#include <string>

namespace fuzzbow {

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// The word is UTF-8, and so is `out`.
void lower_case(const char* word, std::size_t length, std::string& out);

}  // namespace fuzzbow
