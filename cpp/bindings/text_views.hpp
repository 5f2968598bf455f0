// Texts from Python: strings, or UTF-8 bytes owned by another library.
#pragma once
#include "bindings/arrays.hpp"
#include "bindings/utf8.hpp"
#include "text/encoder.hpp"

namespace fuzzbow {
namespace bindings {

// Views of a list of str, or of an object with `utf8_chunks`, which yields (bytes, starts, ends) per chunk. The views
// are valid as long as this object lives and the list is not changed.
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

  std::vector<nb::object> encoded_;  // bytes objects that had to be created
  std::vector<Chunk> chunks_;
  std::vector<TextView> all_;
};

// The UTF-8 of a string. If it had to be encoded, the bytes object is appended to `kept`.
TextView view_of(nb::handle string, std::vector<nb::object>& kept);

}  // namespace bindings
}  // namespace fuzzbow
