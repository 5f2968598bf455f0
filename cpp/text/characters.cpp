#include "text/characters.hpp"

#include <utility>

namespace fuzzbow {

namespace {

#include "text/character_table.inl"

static_assert(kBlock == 128, "CharacterTable::record knows the size of a block");
static_assert(sizeof kIndex / sizeof *kIndex * kBlock == kEndOfCharacters, "every character has a block");

// The table in use, and its arrays if it was set at run time.
struct Current {
  std::string version = kVersion;
  std::vector<std::uint16_t> index;
  std::vector<std::uint8_t> blocks, classes;
  std::vector<std::int32_t> lower;
  CharacterTable table{kIndex, kBlocks, kRecordClasses, kRecordLower};
};

Current& current() {
  static Current value;
  return value;
}

}  // namespace

const CharacterTable& characters() { return current().table; }

const std::string& characters_version() { return current().version; }

void use_characters(const std::string& version, std::vector<std::uint16_t> index, std::vector<std::uint8_t> blocks,
                    std::vector<std::uint8_t> classes, std::vector<std::int32_t> lower) {
  Current& value = current();
  value.version = version;
  value.index = std::move(index);
  value.blocks = std::move(blocks);
  value.classes = std::move(classes);
  value.lower = std::move(lower);
  value.table = {value.index.data(), value.blocks.data(), value.classes.data(), value.lower.data()};
}

}  // namespace fuzzbow
