#include "words/word_learner.hpp"

#include <algorithm>
#include <cmath>

#include "text/lower_case.hpp"

namespace fuzzbow {

namespace {

constexpr float kWidest = 1099511627776.0f;         // 2^40: between the lengths of vectors that one scale serves
constexpr std::size_t kFewestOfPhone = 7;           // FEWEST_OF_PHONE of fuzzbow.text.forms
constexpr const char* kAsciiSymbols = "$+<=>^`|~";  // the other signs of ASCII are punctuation

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_sign(char c) { return c > ' ' && c < 0x7F && !is_lower(c) && !is_upper(c) && !is_digit(c); }

template <class Test>
bool all_of(const std::string& text, Test test) {
  return std::all_of(text.begin(), text.end(), test);
}

// True if letters are in lower case, in upper case or capitalised.
bool is_usual_case(const std::string& letters) {
  const std::string rest = letters.substr(1);
  return all_of(rest, is_lower) || all_of(letters, is_upper);
}

}  // namespace

WrittenWord WordLearner::written(const std::string& letters) const {
  WrittenWord word{letters, letters, kLettersOnly, kLettersOnly};
  std::string& lower = source_.lowercase() ? word.first : word.second;
  std::transform(lower.begin(), lower.end(), lower.begin(), ascii_lower);
  if (rules_.contrasted.find(lower.data(), lower.size()) >= 0) word.first_traits |= kContrasted;
  word.second_traits = word.first_traits;
  return word;
}

// Fills in the word of a chunk that is certainly one word of ASCII; returns false for other chunks.
bool WordLearner::is_word(const std::string& chunk, WrittenWord& word) const {
  if (!rules_.certain) return false;
  word = written(chunk);
  const std::string& lower = source_.lowercase() ? word.first : word.second;
  if (!rules_.whole && rules_.changed.find(lower.data(), lower.size()) >= 0) return false;
  if (all_of(chunk, is_digit) && (rules_.whole || chunk.size() < kFewestOfPhone)) {
    word.first_traits = word.second_traits = kNumeric | kContrasted | kHasDigit;
    return true;
  }
  if (chunk.size() == 1 && is_sign(chunk[0])) {
    const bool punctuation = std::string(kAsciiSymbols).find(chunk[0]) == std::string::npos;
    word.first_traits = word.second_traits = punctuation ? kSymbol | kPunctuation : kSymbol;
    return true;
  }
  if (!all_of(chunk, [](char c) { return is_lower(c) || is_upper(c); })) return false;
  const Vocabulary& vocabulary = source_.vocabulary();
  return rules_.whole || is_usual_case(chunk) || vocabulary.find(word.first.data(), word.first.size()) >= 0 ||
         vocabulary.find(word.second.data(), word.second.size()) >= 0;
}

std::uint32_t WordLearner::corpus_word(std::int32_t id, const std::string& word) const {
  std::int32_t row = -1;
  if (id >= 0) {
    row = corpus_rows_[id];
  } else {
    const std::int32_t number = corpus_others_.find(word.data(), word.size());
    if (number >= 0) row = corpus_other_rows_[number];
  }
  return row < 0 ? kNoWord : static_cast<std::uint32_t>(row);
}

// Appends the row of a word to the entry at hand, unless the measure drops the word.
WordSource::Made WordLearner::add_word(const WrittenWord& word) {
  const Vocabulary& vocabulary = source_.vocabulary();
  bool is_first = true;
  std::int32_t id = vocabulary.find(word.first.data(), word.first.size());
  if (id < 0) {
    id = vocabulary.find(word.second.data(), word.second.size());
    is_first = id < 0;
  }
  const std::string& spelled = is_first ? word.first : word.second;
  std::uint32_t* row = nullptr;
  bool is_new = false;
  if (id >= 0) {
    const auto [place, added] = known_.try_emplace(id, kNoWord);
    row = &place->second, is_new = added;
  } else {
    const std::uint64_t hash = hash_of(word.first.data(), word.first.size());
    const std::uint32_t number = unknown_.number_of(word.first.data(), word.first.size(), hash);
    is_new = number == unknown_rows_.size();
    if (is_new) unknown_rows_.push_back(kNoWord);
    row = &unknown_rows_[number];
  }
  if (is_new) {
    const std::uint8_t traits = is_first ? word.first_traits : word.second_traits;
    const WordSource::Made made = source_.make(id, spelled.data(), spelled.size(), traits, trigrams_, rows_);
    if (made == WordSource::Made::kDamaged) return made;
    if (made == WordSource::Made::kRow) {
      *row = static_cast<std::uint32_t>(table_.size() + rows_.size() - 1);
      if (corpus_rows_) corpus_ids_.push_back(corpus_word(id, spelled));
    }
  }
  if (*row == kNoWord) return WordSource::Made::kDropped;
  entry_rows_.push_back(*row);
  return WordSource::Made::kRow;
}

// Returns whether the table can store the new vectors on the scale of the others.
bool WordLearner::fits() {
  if (source_.has_rules()) return true;
  const TableRows rows = rows_.rows();
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const float* vector = rows.vectors + i * table_.dimension();
    float largest = 0.0f;
    for (std::int64_t t = 0; t < table_.dimension(); ++t) largest = std::max(largest, std::fabs(vector[t]));
    if (largest == 0.0f) continue;
    if (length_ == 0.0f) length_ = largest;
    if (!(largest > length_ / kWidest && largest < length_ * kWidest)) return false;
  }
  return true;
}

WordLearner::State WordLearner::commit() {
  const bool fitting = fits();
  if (fitting) {
    if (rows_.size()) table_.append(rows_.rows());
    for (std::uint32_t id : corpus_ids_) lexicon_.identify(id);
    for (const Entry& entry : entries_) lexicon_.add(entry.chunk, entry_rows_.data() + entry.first, entry.count);
  }
  rows_.clear();
  entries_.clear();
  entry_rows_.clear();
  corpus_ids_.clear();
  return fitting ? State::kDone : State::kUnfit;
}

WordLearner::State WordLearner::learn(const std::vector<std::string>& chunks, std::vector<std::string>& rest) {
  if (full()) return State::kFull;
  WrittenWord word;
  for (const std::string& chunk : chunks) {
    if (lexicon_.find(chunk.data(), chunk.size()) != Lexicon::kMissing) continue;
    if (!is_word(chunk, word)) {
      rest.push_back(chunk);
      continue;
    }
    const std::int64_t first = static_cast<std::int64_t>(entry_rows_.size());
    if (add_word(word) == WordSource::Made::kDamaged) return State::kDamaged;
    entries_.push_back({{chunk.data(), chunk.size()}, first, static_cast<std::int64_t>(entry_rows_.size()) - first});
  }
  return commit();
}

WordLearner::State WordLearner::learn(const std::vector<TextView>& chunks, const std::vector<WrittenWord>& words,
                                      const std::vector<std::int64_t>& offsets) {
  if (full()) return State::kFull;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(entry_rows_.size());
    for (std::int64_t word = offsets[i]; word < offsets[i + 1]; ++word)
      if (add_word(words[word]) == WordSource::Made::kDamaged) return State::kDamaged;
    entries_.push_back({chunks[i], first, static_cast<std::int64_t>(entry_rows_.size()) - first});
  }
  return commit();
}

}  // namespace fuzzbow
