// How many edits turn one word into another.
#pragma once
#include <cstdint>

namespace fuzzbow {

constexpr int kMostLetters = 64;  // of a word that is compared by edits: one bit each

// Optimal string alignment: letters are inserted, deleted and replaced, and neighbours change places, none twice.
// Both words have at most kMostLetters letters, as code points.
int edit_distance(const std::uint32_t* a, int a_length, const std::uint32_t* b, int b_length);

}  // namespace fuzzbow
