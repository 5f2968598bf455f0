// Documents laid out for the scan: grouped by length, sorted by rarest word inside a group.
#pragma once
#include <cstdint>
#include <vector>

#include "aligned.hpp"

namespace fuzzbow {

// Documents on their way into a segment, in the order of insertion.
struct DocumentBatch {
  std::vector<std::uint32_t> documents;  // document numbers
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> words;  // local ids, in the order of the text: scores are added up in that order
  std::vector<float> self;           // empty where every self is 1
  std::vector<float> counts;         // empty without bag counts
  std::vector<float> sizes;          // per document, see text_size
};

struct Group {
  std::int64_t length, first, count, first_word;  // positions [first, first + count)
};

struct Chunk {
  int group;
  std::int64_t begin, end;  // inside the group
  float smallest_size, largest_size;
};

class Segment {
 public:
  explicit Segment(const DocumentBatch& batch);

  std::int64_t size() const { return static_cast<std::int64_t>(documents_.size()); }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }
  bool wide() const { return wide_; }
  const void* ids(const Group& group) const;
  const float* sizes(const Group& group) const { return sizes_.data() + group.first; }
  std::uint32_t document(std::int64_t position) const { return documents_[position]; }
  float size_of(std::int64_t position) const { return sizes_[position]; }

  // Words of a document as local ids; self and counts are null where the segment has none.
  struct Words {
    const std::uint32_t* local;
    std::int64_t length;
    const float* self;
    const float* counts;
  };
  Words words(const Group& group, std::int64_t number, std::vector<std::uint32_t>& scratch) const;

  // Adds all documents to a batch, for merging.
  void unload(DocumentBatch& batch) const;
  std::size_t bytes() const;

 private:
  void lay_out(const DocumentBatch& batch, const std::vector<std::uint32_t>& order);
  void cut_chunks();

  bool wide_ = false;
  std::vector<Group> groups_;
  std::vector<Chunk> chunks_;
  AlignedBuffer<std::uint16_t> short_ids_;
  AlignedBuffer<std::uint32_t> wide_ids_;
  AlignedBuffer<float> self_, counts_, sizes_;
  std::vector<std::uint32_t> documents_;
};

}  // namespace fuzzbow
