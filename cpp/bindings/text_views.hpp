// Texts as Python gives them: strings, or bytes of UTF-8 that somebody else keeps.
#pragma once
#include "bindings/arrays.hpp"
#include "bindings/utf8.hpp"
#include "text/encoder.hpp"

namespace fuzzbow {
namespace bindings {

// A list of str, or an object with `utf8_chunks`, which gives bytes and where in them texts start and end, chunk by
// chunk. The views live as long as this does and the list is left alone.
class TextViews {
 public:
  explicit TextViews(nb::handle texts);
  const std::vector<TextView>& all() const { return all_; }

 private:
  struct Chunk {
    View<std::uint8_t> bytes;
    View<std::int64_t> starts, ends;
  };
  static Chunk chunk_of(nb::handle parts);

  std::vector<nb::object> encoded_;  // bytes of strings that had to be made
  std::vector<Chunk> chunks_;
  std::vector<TextView> all_;
};

// The bytes of a string; where they had to be made, `kept` keeps them.
TextView view_of(nb::handle string, std::vector<nb::object>& kept);

}  // namespace bindings
}  // namespace fuzzbow
