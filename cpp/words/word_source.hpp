// Rows of a model's words, made from its stored vectors when a word first occurs.
//
// Idea: a word needs one lookup in the vocabulary and one row of the mapped table, so it is prepared where it is met,
// without a batch of Python. Invariant: every row has the bits that Python's makers of words (measures/words) give it;
// sums therefore run in NumPy's order (pairwise, in eight accumulators). Complexity: one pass over the dimension; with
// whitening one product with a (d, d) matrix.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "text/stored_vocabulary.hpp"
#include "text/vocabulary.hpp"
#include "words/table.hpp"

namespace fuzzbow {

// Features of a word's characters; fuzzbow.text.features has the same bits.
enum Trait : std::uint8_t {
  kNumeric = 1,     // digits, and signs between them
  kContrasted = 2,  // like nothing but itself: a number, a month, a currency
  kHasDigit = 4,
  kSymbol = 8,  // neither letters nor digits
  kPunctuation = 16,
  kLettersOnly = 32,
  kCompound = 64,  // letters, or parts of a time or a day
  kDecimal = 128,  // a number with a point
};

enum class StoredAs { kFloat32, kFloat16, kInt8, kInt4 };

// Vectors by id, in memory that the caller keeps.
struct StoredRows {
  StoredAs type = StoredAs::kFloat32;
  const void* values = nullptr;
  const float* scales = nullptr;         // (rows,) or null
  const std::int64_t* row_of = nullptr;  // (words,) row of each word, or null
  std::int64_t dimension = 0;
  std::int64_t row_stride = 0, column_stride = 1;  // in stored values

  // Reads a vector; returns false if it is damaged.
  bool read(std::int64_t word, float* out) const;
};

enum class RowForm {
  kPlain,       // as stored, with `normalise` and `scale`
  kLengthened,  // unit vectors times the root of their weight
  kWeighted,    // unit vectors and weights, with rules
};

// Rules by which words become rows: fields of fuzzbow.engine.RowRules.
struct RowRules {
  RowForm form = RowForm::kWeighted;
  bool normalise = false, preweighted = false;
  bool numbers = true, unknown = true, punctuation = true, codes = false;
  double number_weight = 1.0, symbol_weight = 1.0, unknown_weight = 1.0, smallest_weight = 0.0;
  double code_weight = 1.0, decimal_weight = 1.0;
  const double* factors = nullptr;  // (words,) factor of each vector or weight, or null
  const double* mean = nullptr;     // (d,) of whitening
  const double* matrix = nullptr;   // (d, d) of whitening, transposed
  double mean_length = 1.0;
};

// Numbers of trigrams, by code points; those of a corpus come first and do not change.
class TrigramNumbers {
 public:
  void begin_with(const std::uint64_t* trigrams, std::int64_t count);
  std::uint32_t number_of(std::uint64_t trigram) {
    return numbers_.try_emplace(trigram, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

// Rows to be appended to a table together.
class NewRows {
 public:
  explicit NewRows(bool rules) : rules_(rules) {}
  TableRows rows() const;
  std::int64_t size() const { return count_; }
  void clear();

 private:
  friend class WordSource;
  bool rules_;
  std::int64_t count_ = 0;
  std::vector<float> vectors_, weights_;
  std::vector<std::uint8_t> kinds_;
  std::vector<std::int64_t> trigram_offsets_{0}, letter_offsets_{0};
  std::vector<std::uint32_t> trigrams_, letters_;
  std::vector<double> exact_;  // scratch
};

class WordSource {
 public:
  enum class Made { kRow, kDropped, kDamaged };

  // All memory must outlive the source.
  WordSource(const Vocabulary& vocabulary, const StoredRows& rows, const RowRules& rules, bool lowercase)
      : vocabulary_(&vocabulary), rows_(rows), rules_(rules), lowercase_(lowercase) {}
  WordSource(const StoredVocabulary& vocabulary, const StoredRows& rows, const RowRules& rules, bool lowercase)
      : stored_(vocabulary), rows_(rows), rules_(rules), lowercase_(lowercase) {}

  // Id of a word, or -1.
  std::int32_t find(const std::string& word) const {
    return vocabulary_ ? vocabulary_->find(word.data(), word.size()) : stored_.find(word.data(), word.size());
  }
  std::int64_t size() const { return vocabulary_ ? vocabulary_->size() : stored_.size; }
  bool lowercase() const { return lowercase_; }
  std::int64_t dimension() const { return rows_.dimension; }
  bool has_rules() const { return rules_.form == RowForm::kWeighted; }

  // Appends the row of a word, by its id or -1; a word that the measure drops has none.
  Made make(std::int32_t id, const char* word, std::size_t length, std::uint8_t traits, TrigramNumbers& trigrams,
            NewRows& rows) const;

 private:
  bool read_vector(std::int32_t id, std::vector<double>& exact, float* out, double& weight) const;
  void append_spelling(const char* word, std::size_t length, std::uint8_t traits, bool code, TrigramNumbers& trigrams,
                       NewRows& rows) const;

  const Vocabulary* vocabulary_ = nullptr;  // null: the stored one
  StoredVocabulary stored_;
  StoredRows rows_;
  RowRules rules_;
  bool lowercase_;
};

}  // namespace fuzzbow
