// Classes and lower case of every character, as Python has them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fuzzbow {

// fuzzbow.text.characters has the same.
enum CharacterClass : std::uint8_t {
  kSpace = 1,
  kDigit = 2,   // decimal
  kLetter = 4,  // all that regular expressions take for part of a word, besides digits and the underscore
  kUnderscore = 8,
  kMark = 16,      // belongs to the letter before it
  kUnspaced = 32,  // a letter of a script without spaces between words
  kCased = 64,     // these two decide which small letter Σ has
  kIgnorable = 128
};

constexpr char32_t kEndOfCharacters = 0x110000;
constexpr char32_t kReplacement = 0xFFFD;

// Two stages: the block that a character is in, and the record that it has there.
struct CharacterTable {
  const std::uint16_t* index;   // block of each 128 characters
  const std::uint8_t* blocks;   // record of each character of a block
  const std::uint8_t* classes;  // of each record
  const std::int32_t* lower;    // of each record: what to add for lower case

  std::uint8_t record(char32_t code) const {
    return blocks[static_cast<unsigned>(index[code >> 7]) << 7 | (code & 127)];
  }
  std::uint8_t classes_of(char32_t code) const { return classes[record(code)]; }
  char32_t lower_of(char32_t code) const {
    return static_cast<char32_t>(static_cast<std::int32_t>(code) + lower[record(code)]);
  }
};

// The table in use: that of one Unicode version, unless another one was given.
const CharacterTable& characters();
const std::string& characters_version();

// Uses another version's table from now on; to be called before texts are split, and by one thread. Sizes are those of
// CharacterTable: 8,704 in the index, 128 for each block, the same number of records in both.
void use_characters(const std::string& version, std::vector<std::uint16_t> index, std::vector<std::uint8_t> blocks,
                    std::vector<std::uint8_t> classes, std::vector<std::int32_t> lower);

}  // namespace fuzzbow
