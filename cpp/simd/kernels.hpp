// The table of hot loops, with one implementation per instruction set. Its interface uses plain pointers only: the
// translation units behind it are compiled for newer processors, and an inline function of the standard library emitted
// there could replace the one that every other unit uses.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fuzzbow {

constexpr int kPanel = 16;  // words per panel of the quantised vocabulary

// Query words quantised to 8 bits, from -127 to 127, in the two layouts that the instruction sets multiply by.
struct QuantisedWords {
  const std::uint32_t* bytes;  // (quads, stride): four values + 128 each
  const std::int16_t* shorts;  // (quads, stride, 4)
  int count;
  int stride;
  int quads;  // dimension / 4, rounded up
};

// One panel of the vocabulary: int8 values, from -127 to 127, as (quads, 16 words, 4).
struct WordPanel {
  const std::int8_t* values;
  const std::int32_t* value_sums;  // by word: sum of its int8 values
  const float* scales;
  const float* errors;  // upper bound of |word - quantised word|
  const float* norms;   // upper bound of |word|
};

struct QueryFactors {  // by query word
  const float* scales;
  const float* errors;
  const float* norms;
};

// Parameters that turn similarities into the linear bound and the row bound of a panel (see search/bounds.hpp).
struct BoundFactors {
  const int* columns;        // by query word: its line of the similarities
  const float* clips;        // by query word: similarities are clipped here
  const float* betas;        // by query word
  const float* factors;      // by query word: weight in the numerator
  const float* row_units;    // by query word: 255 / clip, slightly larger
  const float* limits;       // by corpus word from the first panel on: the largest self
  const float* multipliers;  // by corpus word from the first panel on
  float ceiling;             // upper bound of all similarities
  float unit;                // integer units of the linear bound
  int count;
};

constexpr int kLongestRow = 64;

struct BoundOutput {  // by corpus word from the first panel on
  std::uint16_t* linear;
  float* document_side;
  std::uint8_t* rows;     // (words, row_width), or null
  std::size_t row_width;  // count rounded up to a multiple of 16, at most kLongestRow
};

constexpr int kBlock = 64;                     // documents of a block
constexpr std::uint32_t kFrequentWords = 255;  // number of words stored as one byte; the byte of this value fills gaps
constexpr int kBatch = 32;                     // queries scanned together
// Long documents also contain several words of the next 255, and of those after them: these pages are bytes as well.
constexpr int kPages = 14;  // including that of the frequent words
constexpr std::uint32_t kPagedWords = kPages * kFrequentWords;

// 64 documents, or fewer in the last block of a kind, with equally many rare words.
struct Block {
  std::int64_t frequent;  // start of its frequent words: (frequent_count, 64) bytes, then further pages
  std::int64_t rare;      // start of its rare words among those of the same width: (64, rare_count)
  std::int64_t words;     // start of its words in the order of the texts: (documents, longest)
  std::int64_t order;     // start of the bits of that order
  std::int32_t frequent_count, rare_count, documents;
  std::int32_t longest;  // words of its longest document
  std::int32_t rows;     // of all pages
  std::int32_t pages;    // start of the rows of its further pages in page_rows, or -1: no pages
  bool wide;             // its rare words have 32 bits
  float smallest_size, largest_size;
};

struct ScanDocuments {
  const Block* blocks;
  std::int64_t begin, end;  // blocks
  const std::uint8_t* frequent;
  const void* rare;    // uint16 or uint32 local ids
  const float* sizes;  // by position: block * 64 + slot
  const std::int32_t* page_rows;
};

struct ScanJob {
  ScanDocuments documents;
  const std::uint8_t* levels;           // by word
  const std::uint8_t* frequent_levels;  // (pages, 256): by word, then 0; further pages use the scale of `levels`
  float base, unit, frequent_unit;      // numerator <= base + sum of levels * unit + of frequent levels * frequent_unit
  float intercept, slope;               // survives when numerator >= intercept + slope * size
  std::uint32_t* survivors;             // positions
  float* numerators;
};

// Sums of postings for documents without pages (see search/gain_lists.hpp):
// numerator <= base + sum * unit + share * size
struct DocumentSums {
  const std::int32_t* sums;  // of 64 documents per block, from block `first` on
  std::int64_t first;
  float base, unit, share;
};

// As ScanJob for 32 queries, with arrays of one value per query.
struct BatchScanJob {
  ScanDocuments documents;
  const std::uint8_t* levels;           // (words, 32)
  const std::uint8_t* frequent_levels;  // (pages, 256, 32), the last row of a page 0
  const float *bases, *units, *intercepts, *slopes;
  std::uint32_t* survivors;  // (32, room)
  float* numerators;         // (32, room)
  std::int64_t room;
  std::int64_t* found;
};

constexpr float kMostLevel = 253.0f;  // largest level of a cached column

// Similarity bounds of one query word with all words, as levels of a unit.
struct KeptColumn {
  const std::uint8_t* levels;
  float unit;
  int position;  // index among the query's words
};

// Rows that are needed soon, prefetched line by line between products: prefetching all together would fill the few
// slots for outstanding lines and stall.
struct Upcoming {
  const char* next = nullptr;         // next line to prefetch, up to `end` of its row
  const char* end = nullptr;          // end of the current row
  const float* const* row = nullptr;  // rows after this one, up to `last`
  const float* const* last = nullptr;
  std::size_t row_bytes = 0;  // a multiple of 128, as two lines are prefetched together
};

constexpr int kLargestTriangle = 64;  // most rows of triangle_maxima, most ids of first_positions

constexpr int kProductRows = 4, kProductColumns = 8;  // shape of a tile of products

struct Kernels {
  const char* name;
  bool pages;  // words stored as bytes are looked up many at a time, so that gaps in pages cost little

  // out[i * stride + j] = rows[i] . columns[j]. Each product is summed in one fixed order, whatever the block.
  void (*dot_block)(const float* const* rows, int row_count, const float* const* columns, int column_count, int padded,
                    float* out, int stride, Upcoming& upcoming);
  // As dot_block for a text with itself: writes only blocks that touch the upper triangle.
  void (*dot_triangle)(const float* const* rows, int row_count, int padded, float* out, int stride, Upcoming& upcoming);
  // Raises running maxima of rows and columns. Columns go up to stride; cells after the end of a row must be <= 0.
  void (*block_maxima)(const float* block, int row_count, int stride, float* row_maxima, float* column_maxima);
  // Maxima of each row of a symmetric block over the columns of one set and over those of another, at least 0. Only the
  // upper triangle must be filled; other cells must be filled or 0. in_first[j] is infinity if column j is in the first
  // set, else 0. count and stride are at most kLargestTriangle; cells after the end of a row are 0; all other arrays
  // are (stride,).
  void (*triangle_maxima)(const float* block, int count, int stride, const float* in_first, const float* in_second,
                          float* first, float* second);
  // Index of the first occurrence of each id. Up to kLargestTriangle ids, and that many must be readable.
  void (*first_positions)(const std::uint32_t* ids, int count, std::uint8_t* positions);
  // target = max(target, source)
  void (*raise)(const float* source, std::int64_t count, float* target);

  // Sums over fixed universes: w min, w max; w a b, w a a, w b b. weights may be null.
  void (*min_max_sums)(const float* left, const float* right, const float* weights, std::int64_t count, double* sums);
  void (*product_sums)(const float* left, const float* right, const float* weights, std::int64_t count, double* sums);

  // out[r * 8 + c] = rows[r] . column c of the panel (depth, 8), in double. Every sum runs from the first element to
  // the last, so that a product is the same in any tile and with left and right exchanged.
  void (*product_tile)(const double* const rows[kProductRows], const double* panel, std::int64_t depth, double* out);

  // Upper bounds, at least 0, of the similarities of 16 words with every query word: out (count, 16).
  void (*panel_similarities)(const WordPanel& panel, const QuantisedWords& query, const QueryFactors& factors,
                             float* out);
  // Similarity bounds from cached columns, for panels from word `first` on: out (panels, stride, 16).
  void (*column_similarities)(const KeptColumn* columns, int count, std::int64_t first, int panels, int stride,
                              float* out);
  // Levels of one word's similarities with 16 words for a cached column: rounded up, at least `least`, at most
  // kMostLevel.
  void (*column_levels)(const float* similarities, float units, float least, std::uint8_t* levels);
  // Bounds of panels from similarities (panels, stride, 16). Returns the largest linear bound.
  std::uint32_t (*panel_bounds)(const float* similarities, int stride, int panels, const BoundFactors& factors,
                                const BoundOutput& out);

  // Linear bounds times a factor, rounded up, at most 255. Reads and writes multiples of 16.
  void (*linear_levels)(const std::uint16_t* linear, std::int64_t count, float factor, std::uint8_t* levels);

  // highest[i] = max over words of rows[word * width + i]; width is a multiple of 16.
  void (*row_maxima)(const std::uint8_t* rows, std::size_t width, const std::uint32_t* words, std::int64_t length,
                     std::uint8_t* highest);

  // Finds documents whose linear bound reaches the line. Returns their number, or sets job.found.
  std::int64_t (*scan_short)(const ScanJob& job);
  std::int64_t (*scan_wide)(const ScanJob& job);
  // Finds only documents whose sums reach the line. Their numerators are those of the sums, without the share.
  std::int64_t (*scan_sums)(const ScanJob& job, const DocumentSums& sums);
  // Keeps those of the first `count` survivors whose linear bound reaches the line.
  std::int64_t (*keep_short)(const ScanJob& job, std::int64_t count);
  std::int64_t (*keep_wide)(const ScanJob& job, std::int64_t count);
  void (*scan_batch_short)(const BatchScanJob& job);
  void (*scan_batch_wide)(const BatchScanJob& job);

  // cross[i] = max over words of table[word * stride + i].
  void (*table_maxima)(const float* table, int stride, const std::uint32_t* words, std::int64_t length, float* cross);
};

const Kernels& portable_kernels();
#if defined(FUZZBOW_X86)
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
#elif defined(FUZZBOW_ARM64)
const Kernels& neon_kernels();
const Kernels& dotprod_kernels();
#endif

// The table in use: the best of this processor, or the one set by FUZZBOW_SIMD or choose_kernels.
const Kernels& kernels();
// Names of the instruction sets that run here, slowest first, ended by a null pointer.
const char* const* available_kernels();
bool choose_kernels(const char* name);  // returns false if the processor lacks it

}  // namespace fuzzbow
