// What words of queries are to a corpus, as it is kept: bounds of similarities, and which words have room.
#include "search/word_columns.hpp"

#include "checks.hpp"

namespace fuzzbow {

namespace {

constexpr std::size_t kWords = 2 * kPanel;

// Room for so many columns of kWords words.
WordColumns room_for(int columns) { return WordColumns(columns * (kWords + sizeof(WordColumn))); }

// A query of these words; whether each was known, after which those that are worthy are kept.
std::vector<int> ask(WordColumns& columns, const std::vector<std::uint32_t>& words) {
  std::vector<int> known;
  const auto found = columns.find(1, kWords, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    known.push_back(found[i].column != nullptr);
    if (found[i].worthy) columns.keep(1, words[i], std::make_shared<WordColumn>(kWords, 1.0f, 0.5f));
  }
  return known;
}

}  // namespace

void test_column_levels(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (float least : {0.0f, 2.5f, kMostLevel})
    for (float units : {0.0f, 0.5f, 64.0f}) {
      const std::vector<float> similarities = source.numbers(kPanel, -1, 8);
      std::vector<std::uint8_t> expected(kPanel), got(kPanel);
      portable.column_levels(similarities.data(), units, least, expected.data());
      kernels.column_levels(similarities.data(), units, least, got.data());
      checks.equal(expected, got);
    }
}

// None is below the similarity that it stands for, and none a whole level above it.
void test_kept_columns_are_bounds(const Kernels&, const Kernels& kernels, Source& source, Checks& checks) {
  for (float highest : {8.0f, 1.0f, 3e-20f, 0.0f}) {
    WordColumn column(kWords, highest, 0.0f);
    std::vector<float> similarities(kWords), read(kWords);
    for (float& similarity : similarities) similarity = highest * source.number(-1, 1);
    similarities[3] = highest;
    for (std::size_t first = 0; first < kWords; first += kPanel) column.write(first, similarities.data() + first);
    const KeptColumn kept = column.at(0);
    kernels.column_similarities(&kept, 1, 0, 2, 1, read.data());
    std::vector<int> wrong(kWords);
    for (std::size_t i = 0; i < kWords; ++i)
      wrong[i] =
          read[i] < similarities[i] || read[i] > std::fmax(0.0f, similarities[i]) + 1.001f / kMostLevel * highest;
    checks.equal(std::vector<int>(kWords, 0), wrong);
  }
}

void test_frequent_words_keep_their_columns(const Kernels&, const Kernels&, Source&, Checks& checks) {
  WordColumns columns = room_for(2);
  checks.equal<int>({0, 0, 0}, ask(columns, {1, 2, 3}));
  checks.equal<int>({0, 0, 0}, ask(columns, {1, 2, 3}));  // the second time: now two are kept
  for (int turn = 0; turn < 20; ++turn) checks.equal<int>({1, 1, 0}, ask(columns, {1, 2, 3}));
  for (int turn = 0; turn < 50; ++turn) ask(columns, {1, 3});
  checks.equal<int>({1, 0, 1}, ask(columns, {1, 2, 3}));  // 3 came more than twice as often as 2
  // What was frequent long ago gives way.
  for (int turn = 0; turn < 200000; ++turn) ask(columns, {4, 5});
  checks.equal<int>({0, 1, 1}, ask(columns, {1, 4, 5}));
  // Of another corpus nothing is known.
  checks.equal<int>({0}, {columns.find(2, kWords, {4})[0].column != nullptr});
}

}  // namespace fuzzbow
