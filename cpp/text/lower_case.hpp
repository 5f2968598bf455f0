// Lower case of words, equal to Python's str.lower.
#pragma once
#include <cstddef>
#include <string>

namespace fuzzbow {

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Writes the lower case of a UTF-8 word to out.
void lower_case(const char* word, std::size_t length, std::string& out);

}  // namespace fuzzbow
