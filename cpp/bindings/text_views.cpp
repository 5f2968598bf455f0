#include "bindings/text_views.hpp"

namespace fuzzbow {
namespace bindings {

TextView view_of(nb::handle string, std::vector<nb::object>& kept) {
  Utf8 bytes(string);
  if (bytes.encoded.is_valid()) kept.push_back(std::move(bytes.encoded));
  return {bytes.data, static_cast<std::size_t>(bytes.length)};
}

// Checks one chunk. Its texts may be part of a longer column.
TextViews::Chunk TextViews::chunk_of(nb::handle parts) {
  if (!nb::isinstance<nb::tuple>(parts) || nb::len(parts) != 3)
    must("a chunk", "a tuple of bytes, starts and ends", nb::str(parts.type().attr("__name__")).c_str());
  Chunk chunk{array_of<std::uint8_t>(parts[0], "bytes", 1), array_of<std::int64_t>(parts[1], "starts", 1),
              array_of<std::int64_t>(parts[2], "ends", 1)};
  check_length("ends", chunk.ends.rows, "starts", chunk.starts.rows);
  for (std::int64_t i = 0; i < chunk.starts.rows; ++i) {
    const std::int64_t start = chunk.starts.data[i], end = chunk.ends.data[i];
    if (start < 0 || start > end || end > chunk.bytes.rows)
      must("a text", "a part of the bytes, 0 to " + std::to_string(chunk.bytes.rows),
           std::to_string(start) + " to " + std::to_string(end) + " at position " + std::to_string(i));
  }
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
  for (const Chunk& chunk : chunks_) total += static_cast<std::size_t>(chunk.starts.rows);
  all_.reserve(total);
  for (const Chunk& chunk : chunks_) {
    const char* data = reinterpret_cast<const char*>(chunk.bytes.data);
    for (std::int64_t i = 0; i < chunk.starts.rows; ++i)
      all_.push_back(
          {data + chunk.starts.data[i], static_cast<std::size_t>(chunk.ends.data[i] - chunk.starts.data[i])});
  }
}

}  // namespace bindings
}  // namespace fuzzbow
