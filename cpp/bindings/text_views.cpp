#include "bindings/text_views.hpp"

namespace fuzzbow {
namespace bindings {

TextView view_of(nb::handle string, std::vector<nb::object>& kept) {
  Utf8 bytes(string);
  if (bytes.encoded.is_valid()) kept.push_back(std::move(bytes.encoded));
  return {bytes.data, static_cast<std::size_t>(bytes.length)};
}

// Its texts may be a part of a longer column, so that they begin and end anywhere in the bytes.
TextViews::Chunk TextViews::chunk_of(nb::handle pair) {
  if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2)
    must("a chunk", "a tuple of bytes and offsets", nb::str(pair.type().attr("__name__")).c_str());
  Chunk chunk{array_of<std::uint8_t>(pair[0], "bytes", 1), array_of<std::int64_t>(pair[1], "offsets", 1)};
  if (chunk.offsets.rows < 1) must("offsets", "at least one value", "none");
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < chunk.offsets.rows; before = chunk.offsets.data[i++])
    if (chunk.offsets.data[i] < before || chunk.offsets.data[i] > chunk.bytes.rows)
      must("offsets", "from 0 to the number of bytes, " + std::to_string(chunk.bytes.rows) + ", and never fall",
           std::to_string(chunk.offsets.data[i]) + " at position " + std::to_string(i));
  return chunk;
}

TextViews::TextViews(nb::handle texts) {
  if (nb::isinstance<nb::list>(texts)) {
    all_.reserve(nb::len(texts));
    for (nb::handle text : nb::borrow<nb::list>(texts)) all_.push_back(view_of(text, encoded_));
    return;
  }
  if (!nb::hasattr(texts, "utf8_chunks"))
    must("texts", "a list of str, or have utf8_chunks", nb::str(texts.type().attr("__name__")).c_str());
  agree_on_characters();
  for (nb::handle chunk : nb::list(texts.attr("utf8_chunks")())) chunks_.push_back(chunk_of(chunk));
  std::size_t total = 0;
  for (const Chunk& chunk : chunks_) total += static_cast<std::size_t>(chunk.offsets.rows) - 1;
  all_.reserve(total);
  for (const Chunk& chunk : chunks_) {
    const char* data = reinterpret_cast<const char*>(chunk.bytes.data);
    const std::int64_t* offsets = chunk.offsets.data;
    for (std::int64_t i = 1; i < chunk.offsets.rows; ++i)
      all_.push_back({data + offsets[i - 1], static_cast<std::size_t>(offsets[i] - offsets[i - 1])});
  }
}

}  // namespace bindings
}  // namespace fuzzbow
