// Character classes and lower case of every Unicode character, as Python defines them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fuzzbow {

// Bit flags. `CharacterClass` of fuzzbow.text.characters has the same values.
enum CharacterClass : std::uint8_t {
  kSpace = 1,
  kDigit = 2,   // decimal
  kLetter = 4,  // every word character of regular expressions except digits and the underscore
  kUnderscore = 8,
  kMark = 16,      // combines with the letter before it
  kUnspaced = 32,  // a letter of a script without spaces between words
  kCased = 64,     // this and the next decide whether Σ becomes σ or ς
  kIgnorable = 128
};

constexpr char32_t kEndOfCharacters = 0x110000;
constexpr char32_t kReplacement = 0xFFFD;

// A two-stage table: index[code / 128] is a block, which holds one record number for each of its 128 characters.
struct CharacterTable {
  const std::uint16_t* index;   // block of each 128 characters
  const std::uint8_t* blocks;   // record number of each character of a block
  const std::uint8_t* classes;  // by record
  const std::int32_t* lower;    // by record: offset from a character to its lower case

  std::uint8_t record(char32_t code) const {
    return blocks[static_cast<unsigned>(index[code >> 7]) << 7 | (code & 127)];
  }
  std::uint8_t classes_of(char32_t code) const { return classes[record(code)]; }
  char32_t lower_of(char32_t code) const {
    return static_cast<char32_t>(static_cast<std::int32_t>(code) + lower[record(code)]);
  }
};

// The character table in use: the built-in one, or the last one passed to use_characters.
const CharacterTable& characters();
const std::string& characters_version();

// Replaces the character table by that of another Unicode version. Call it from one thread, before any text is split.
// The index has 8,704 entries, blocks has 128 for each block, classes and lower have one for each record.
void use_characters(const std::string& version, std::vector<std::uint16_t> index, std::vector<std::uint8_t> blocks,
                    std::vector<std::uint8_t> classes, std::vector<std::int32_t> lower);

}  // namespace fuzzbow
