#include "words/word_learner.hpp"

#include <algorithm>
#include <cmath>

#include "text/lower_case.hpp"

namespace fuzzbow {

namespace {

constexpr float kWidest = 1099511627776.0f;         // 2^40: between the lengths of vectors that one scale serves
constexpr std::size_t kShortPrefix = 3;             // letters of a prefix that need not be in the list
constexpr const char* kAsciiSymbols = "$+<=>^`|~";  // the other signs of ASCII are punctuation

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_sign(char c) { return c > ' ' && c < 0x7F && !is_lower(c) && !is_upper(c) && !is_digit(c); }

template <class Test>
bool all_of(const std::string& text, Test test) {
  return std::all_of(text.begin(), text.end(), test);
}

bool is_letters(const std::string& text) {
  return !text.empty() && all_of(text, [](char c) { return is_lower(c) || is_upper(c); });
}

bool contains(const Vocabulary& words, const std::string& word) { return words.find(word.data(), word.size()) >= 0; }

// Returns whether a chunk is a number, and writes it without commas between thousands; a fraction must not be 0.
bool is_number(const std::string& chunk, bool whole, std::string& number) {
  if (all_of(chunk, is_digit)) {
    number = chunk;
    return true;
  }
  const std::size_t point = chunk.find('.');
  const std::string before = chunk.substr(0, point);
  const std::string fraction = point == std::string::npos ? "" : chunk.substr(point + 1);
  if (whole || before.empty() || !is_digit(before[0]) || !all_of(fraction, is_digit)) return false;
  if (point != std::string::npos && all_of(fraction, [](char c) { return c == '0'; })) return false;
  const std::size_t head = std::min(before.find(','), before.size());
  if (head < before.size() && (head > 3 || (before.size() - head) % 4 != 0)) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool comma = i >= head && (i - head) % 4 == 0;
    if (comma ? before[i] != ',' : !is_digit(before[i])) return false;
    if (!comma) number += before[i];
  }
  if (!fraction.empty()) number += "." + fraction;
  return true;
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
  if (contains(rules_.contrasted, lower)) word.first_traits |= kContrasted;
  word.second_traits = word.first_traits;
  return word;
}

// Returns whether a chunk of letters is certainly its own only word.
bool WordLearner::is_word(const std::string& letters, const WrittenWord& word) const {
  if (rules_.whole) return true;
  const std::string& lower = source_.lowercase() ? word.first : word.second;
  return !contains(rules_.changed, lower) &&
         (is_usual_case(letters) || source_.find(word.first) >= 0 || source_.find(word.second) >= 0);
}

bool WordLearner::add_piece(const std::string& letters, std::vector<WrittenWord>& words) const {
  words.push_back(written(letters));
  return is_word(letters, words.back());
}

// Splits words that are joined by one kind of sign, or that have a clitic. A chunk in the vocabulary is left to Python.
bool WordLearner::split_compound(const std::string& chunk, std::vector<WrittenWord>& words) const {
  const WrittenWord whole = written(chunk);
  if (source_.find(whole.first) >= 0 || source_.find(whole.second) >= 0) return false;
  const std::size_t apostrophe = chunk.find('\'');
  if (apostrophe != std::string::npos) {
    WrittenWord clitic = written(chunk.substr(apostrophe));
    clitic.first_traits = clitic.second_traits = 0;
    const std::string before = chunk.substr(0, apostrophe);
    if (!is_letters(before) || !contains(rules_.clitics, source_.lowercase() ? clitic.first : clitic.second) ||
        !add_piece(before, words))
      return false;
    words.push_back(clitic);
    return true;
  }
  const std::size_t sign = chunk.find_first_of("-/_");
  if (sign == std::string::npos) return false;
  std::string joined;
  for (std::size_t begin = 0; begin <= chunk.size();) {
    const std::size_t end = std::min(chunk.find(chunk[sign], begin), chunk.size());
    const std::string piece = chunk.substr(begin, end - begin);
    if (piece.size() < 2 || !is_letters(piece) || !add_piece(piece, words)) return false;
    joined += piece;
    begin = end + 1;
  }
  if (chunk[sign] != '-') return true;
  const WrittenWord& first = words[0];
  const bool is_prefix =
      first.first.size() <= kShortPrefix || contains(rules_.prefixes, source_.lowercase() ? first.first : first.second);
  const WrittenWord one = written(joined);
  return !is_prefix || (source_.find(one.first) < 0 && source_.find(one.second) < 0);
}

// Appends the words of a chunk of ASCII; returns false if they are not certain.
bool WordLearner::split(const std::string& chunk, std::vector<WrittenWord>& words) const {
  if (!rules_.certain) return false;
  if (is_letters(chunk)) return add_piece(chunk, words);
  std::string number;
  if (is_number(chunk, rules_.whole, number)) {
    std::uint8_t traits = kNumeric | kContrasted | kHasDigit;
    if (number.find('.') != std::string::npos) traits |= kDecimal;
    words.push_back({number, number, traits, traits});
    return true;
  }
  if (chunk.size() == 1 && is_sign(chunk[0])) {
    const bool punctuation = std::string(kAsciiSymbols).find(chunk[0]) == std::string::npos;
    const std::uint8_t traits = punctuation ? kSymbol | kPunctuation : kSymbol;
    words.push_back({chunk, chunk, traits, traits});
    return rules_.whole || !contains(rules_.changed, chunk);
  }
  return !rules_.whole && split_compound(chunk, words);
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
  bool is_first = true;
  std::int32_t id = source_.find(word.first);
  if (id < 0) {
    id = source_.find(word.second);
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

// Appends the entry of a chunk; returns false if a vector is damaged.
bool WordLearner::add_entry(const TextView& chunk, const WrittenWord* first, const WrittenWord* last) {
  const std::int64_t begin = static_cast<std::int64_t>(entry_rows_.size());
  for (; first < last; ++first)
    if (add_word(*first) == WordSource::Made::kDamaged) return false;
  entries_.push_back({chunk, begin, static_cast<std::int64_t>(entry_rows_.size()) - begin});
  return true;
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
  return fitting ? State::kDone : fail(State::kUnfit);
}

WordLearner::State WordLearner::learn(const std::vector<std::string>& chunks, std::vector<std::string>& rest) {
  if (failure_ != State::kDone) return failure_;
  if (full()) return State::kFull;
  std::vector<WrittenWord> words;
  for (const std::string& chunk : chunks) {
    if (lexicon_.find(chunk.data(), chunk.size()) != Lexicon::kMissing) continue;
    words.clear();
    if (!split(chunk, words)) {
      rest.push_back(chunk);
      continue;
    }
    if (!add_entry({chunk.data(), chunk.size()}, words.data(), words.data() + words.size()))
      return fail(State::kDamaged);
  }
  return commit();
}

WordLearner::State WordLearner::learn(const std::vector<TextView>& chunks, const std::vector<WrittenWord>& words,
                                      const std::vector<std::int64_t>& offsets) {
  if (failure_ != State::kDone) return failure_;
  if (full()) return State::kFull;
  for (std::size_t i = 0; i < chunks.size(); ++i)
    if (!add_entry(chunks[i], words.data() + offsets[i], words.data() + offsets[i + 1])) return fail(State::kDamaged);
  return commit();
}

}  // namespace fuzzbow
