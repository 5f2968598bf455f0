// From bytes to bounds: similarities of quantised words, and the tables made of them.
#include "checks.hpp"

namespace fuzzbow {

namespace {

struct Query {
  std::vector<std::uint32_t> bytes;
  std::vector<std::int16_t> shorts;
  std::vector<float> scales, errors, norms;
  int count, stride, quads;

  Query(Source& source, int words, int quads, int largest) : count(words), stride(words + 3), quads(quads) {
    for (int i = 0; i < quads * stride; ++i) {
      std::uint32_t packed = 0;
      for (int t = 0; t < 4; ++t) {
        const int value =
            source.integer(0, 9) == 0 ? (source.integer(0, 1) ? largest : -largest) : source.integer(-largest, largest);
        shorts.push_back(static_cast<std::int16_t>(value));
        packed |= static_cast<std::uint32_t>(value + 128) << (8 * t);
      }
      bytes.push_back(packed);
    }
    scales = source.numbers(words, 0, 1);
    errors = source.numbers(words, 0, 1);
    norms = source.numbers(words, 0, 2);
  }
  QuantisedWords words() const { return {bytes.data(), shorts.data(), count, stride, quads}; }
  QueryFactors factors() const { return {scales.data(), errors.data(), norms.data()}; }
};

struct Panel {
  std::vector<std::int8_t> values;
  std::vector<std::int32_t> sums;
  std::vector<float> scales, errors, norms;

  Panel(Source& source, int quads, int largest)
      : values(source.integers<std::int8_t>(quads * 64, -largest, largest)),
        sums(kPanel),
        scales(source.numbers(kPanel, 0, 1)),
        errors(source.numbers(kPanel, 0, 1)),
        norms(source.numbers(kPanel, 0, 2)) {
    for (std::size_t i = 0; i < values.size(); ++i) sums[i / 4 % kPanel] += values[i];
  }
  WordPanel panel() const { return {values.data(), sums.data(), scales.data(), errors.data(), norms.data()}; }
};

std::vector<float> similarities(const Kernels& kernels, const Panel& panel, const Query& query) {
  std::vector<float> out(query.count * kPanel, -1.0f);
  kernels.panel_similarities(panel.panel(), query.words(), query.factors(), out.data());
  return out;
}

}  // namespace

void test_panel_similarities(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int quads : {1, 2, 3, 13, 75})
    for (int count = 1; count <= 26; ++count) {
      const Query query(source, count, quads, 127);
      const Panel panel(source, quads, 127);
      // Sums reach 127 * 127 * 300, where float32 rounds to halves.
      checks.near(similarities(portable, panel, query), similarities(kernels, panel, query), 2.0);
      const Query small(source, count, quads, 7);
      checks.agree(source.kind(), similarities(portable, panel, small), similarities(kernels, panel, small), 0.1);
    }
  // Every byte as large as can be, of either sign: no sum on the way may overflow.
  for (int quads : {2, 75})
    for (int sign : {-1, 1}) {
      Query query(source, 5, quads, 127);
      Panel panel(source, quads, 127);
      for (std::uint32_t& bytes : query.bytes) bytes = 0xFFFFFFFFu;
      for (std::int16_t& value : query.shorts) value = 127;
      for (std::int8_t& value : panel.values) value = static_cast<std::int8_t>(127 * sign);
      for (std::int32_t& sum : panel.sums) sum = 127 * sign * 4 * quads;
      for (std::vector<float>* ones : {&query.scales, &panel.scales}) ones->assign(ones->size(), 1.0f);
      for (std::vector<float>* zeros : {&query.errors, &panel.errors}) zeros->assign(zeros->size(), 0.0f);
      const float product = sign > 0 ? 127.0f * 127.0f * 4 * static_cast<float>(quads) : 0.0f;
      checks.equal(std::vector<float>(5 * kPanel, product), similarities(kernels, panel, query));
    }
}

void test_column_similarities(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  const auto levels = source.integers<std::uint8_t>(8 * kPanel, 0, 255);
  const KeptColumn columns[] = {{levels.data(), source.number(0, 1), 2},
                                {levels.data() + kPanel, source.number(0, 1), 0}};
  for (int panels : {0, 1, 5}) {
    std::vector<float> expected(panels * 3 * kPanel, -1.0f), got(expected);
    portable.column_similarities(columns, 2, kPanel, panels, 3, expected.data());
    kernels.column_similarities(columns, 2, kPanel, panels, 3, got.data());
    checks.equal(expected, got);
  }
}

void test_panel_bounds(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  constexpr int kPanels = 3, kLines = 70;
  for (int count : {1, 2, 15, 16, 17, 64})
    for (bool with_rows : {false, true})
      for (float unit : {16.0f, 65536.0f}) {  // with the second, bounds reach the end of 16 bits
        const std::vector<float> seen = source.numbers(kPanels * kLines * kPanel, 0, 1);
        const auto columns = source.integers<int>(count, 0, kLines - 1);
        const std::vector<float> clips = source.numbers(count, 0, 1), betas = source.numbers(count, 0, 1);
        const std::vector<float> weights = source.numbers(count, 0, 1);
        // Up to 510 units at a similarity of 1, so that bytes are cut at 255.
        const std::vector<float> row_units = source.numbers(count, 0, 510);
        const std::vector<float> limits = source.numbers(kPanels * kPanel, 0, 1);
        const std::vector<float> multipliers = source.numbers(kPanels * kPanel, 0, 1);
        const BoundFactors factors = {
            columns.data(), clips.data(),       betas.data(), weights.data(), row_units.data(),
            limits.data(),  multipliers.data(), 0.875f,       unit,           count};
        struct Tables {
          std::vector<std::uint16_t> linear = std::vector<std::uint16_t>(kPanels * kPanel);
          std::vector<float> document_side = std::vector<float>(kPanels * kPanel);
          std::vector<std::uint8_t> rows = std::vector<std::uint8_t>(kPanels * kPanel * kLongestRow, 77);
          std::vector<std::uint32_t> peak;
        } expected, got;
        for (auto* tables : {&expected, &got}) {
          const BoundOutput out = {tables->linear.data(), tables->document_side.data(),
                                   with_rows ? tables->rows.data() : nullptr,
                                   static_cast<std::size_t>((count + 15) / 16 * 16)};
          tables->peak = {
              (tables == &got ? kernels : portable).panel_bounds(seen.data(), kLines, kPanels, factors, out)};
        }
        checks.agree(source.kind(), expected.linear, got.linear, 1);
        checks.agree(source.kind(), expected.peak, got.peak, 1);
        checks.equal(expected.document_side, got.document_side);
        checks.equal(expected.rows, got.rows);
      }
}

void test_linear_levels(const Kernels&, const Kernels& kernels, Source& source, Checks& checks) {
  for (int count : {0, 1, 16, 17, 255, 1024})
    for (int peak : {1, 300, 65535}) {
      const int room = (count + 15) / 16 * 16;
      const auto linear = source.integers<std::uint16_t>(room, 0, peak);
      const float factor = 254.9f / static_cast<float>(peak);
      std::vector<std::uint8_t> expected(count), levels(room);
      for (int i = 0; i < count; ++i) expected[i] = static_cast<std::uint8_t>(std::ceil(linear[i] * factor));
      kernels.linear_levels(linear.data(), count, factor, levels.data());
      levels.resize(count);
      checks.equal(expected, levels);
    }
}

void test_row_maxima(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks) {
  for (int width : {16, 32, 64})
    for (int length : {0, 1, 2, 20}) {
      const auto rows = source.integers<std::uint8_t>(100 * width, 0, 255);
      const auto words = source.integers<std::uint32_t>(length, 0, 99);
      std::vector<std::uint8_t> expected(width, 9), highest(width, 9);
      portable.row_maxima(rows.data(), width, words.data(), length, expected.data());
      kernels.row_maxima(rows.data(), width, words.data(), length, highest.data());
      checks.equal(expected, highest);
    }
}

}  // namespace fuzzbow
