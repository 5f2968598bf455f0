// Documents in the layout of the scan: blocks of 64 with equally many rare words each, frequent words as single bytes.
// Rare words take 16 bits if they are among the first 65,536 of the corpus, so most blocks take half the memory.
#pragma once
#include <cstdint>
#include <vector>

#include "search/postings.hpp"
#include "simd/kernels.hpp"
#include "support/aligned.hpp"
#include "support/parallel.hpp"

namespace fuzzbow {

constexpr std::uint32_t kNoDocument = 0xFFFFFFFFu;  // in slots of a block without a document

// Documents to be laid out in a segment, in order of insertion.
struct DocumentBatch {
  std::vector<std::uint32_t> documents;  // document numbers
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> words;  // local ids in the order of the text, in which scores are added up
  std::vector<float> self;           // empty if every self is 1 (Corpus::plain_self), or without words
  std::vector<float> counts;         // empty without bag counts (Corpus::counted), or without words
  std::vector<float> sizes;          // per document, see text_size
  void add(const DocumentBatch& other);
};

// Blocks that are scanned between two reads of the threshold.
struct Chunk {
  std::int64_t begin, end;  // blocks
  std::int64_t length;      // words of its longest document; 0 if all are empty
  bool wide;                // rare words of its documents have 32 bits
  float smallest_size, largest_size;
};

// Chunks [begin, end) whose words are listed together.
struct Part {
  std::size_t begin, end;
};

class Segment {
 public:
  // words: number of local ids, for postings; 0: no postings.
  Segment(const DocumentBatch& batch, std::int64_t words, Execution& execution);

  std::int64_t size() const { return size_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }
  // Parts of the chunks without pages, if the segment has postings.
  const std::vector<Part>& parts() const { return parts_; }
  const SegmentPostings& postings() const { return postings_; }
  ScanDocuments scan_documents(const Chunk& chunk) const;
  // A position is block number * 64 + slot. The last slots of a block may be empty.
  std::uint32_t document(std::int64_t position) const { return documents_[position]; }
  float size_of(std::int64_t position) const { return sizes_[position]; }

  // Words of a document as local ids. self and counts are null if the segment has none.
  struct Words {
    const std::uint32_t* local;
    std::int64_t length;
    const float* self;
    const float* counts;
  };
  Words words(std::int64_t position, std::vector<std::uint32_t>& scratch) const;

  // Appends all documents to a batch, for merging.
  void unload(DocumentBatch& batch) const;
  std::size_t bytes() const;

 private:
  struct Shape;
  static std::vector<std::uint32_t> sorted(const std::vector<Shape>& shapes, Execution& execution);
  // Returns the index in `order` of each block's first document.
  std::vector<std::size_t> cut_blocks(const DocumentBatch& batch, const std::vector<Shape>& shapes,
                                      const std::vector<std::uint32_t>& order);
  void count_pages(const DocumentBatch& batch, const std::vector<std::uint32_t>& order,
                   const std::vector<std::size_t>& firsts, Execution& execution);
  void assign_offsets(const DocumentBatch& batch);
  void lay_out(const DocumentBatch& batch, const std::vector<std::uint32_t>& order,
               const std::vector<std::size_t>& firsts, Execution& execution);
  void lay_out(const DocumentBatch& batch, std::uint32_t source, std::int64_t position);
  void list_words(std::int64_t words, Execution& execution);
  template <class Visit>
  void each_word(const Part& part, const Visit& visit) const;
  // Sets the start of each page of a document.
  template <class Byte>
  void start_pages(const Block& block, std::int64_t slot, Byte* bytes, Byte** pages) const;
  void read_bits(const Block& block, std::int64_t slot, std::vector<std::uint32_t>& words) const;
  void read_pages(const Block& block, std::int64_t slot, std::vector<std::uint32_t>& words) const;
  std::uint32_t rare_word(const Block& block, std::int64_t index) const {
    return block.wide ? wide_ids_[index] : short_ids_[index];
  }
  void cut_chunks();

  std::int64_t size_ = 0;
  std::vector<Block> blocks_;
  std::vector<Chunk> chunks_;
  std::vector<Part> parts_;
  SegmentPostings postings_;
  AlignedBuffer<std::uint8_t> frequent_;
  AlignedBuffer<std::uint16_t> short_ids_;
  AlignedBuffer<std::uint32_t> wide_ids_;
  // Order of the text: one bit per word, 1 for a frequent word; with pages half a byte, see kRareCode.
  AlignedBuffer<std::uint8_t> order_;
  AlignedBuffer<float> self_, counts_, sizes_;
  std::vector<std::uint32_t> documents_;
  std::vector<std::int32_t> page_rows_;  // of blocks with pages: kPages - 1 each
};

}  // namespace fuzzbow
