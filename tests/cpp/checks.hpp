// What the tests of an instruction set need: numbers to work on, and checks that say where they failed.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "simd/kernels.hpp"

namespace fuzzbow {

// Rough numbers are rounded by every operation, so that instruction sets agree only nearly. Even numbers are small
// multiples of 1/8, whose sums and products are exact in whatever order: there all must agree to the last bit.
enum class Numbers { kRough, kEven };

class Source {
 public:
  explicit Source(Numbers kind) : kind_(kind) {}

  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  float number(int low, int high) {
    if (kind_ == Numbers::kEven) return static_cast<float>(integer(8 * low, 8 * high)) / 8;
    return std::uniform_real_distribution<float>(static_cast<float>(low), static_cast<float>(high))(engine_);
  }
  std::vector<float> numbers(std::size_t count, int low, int high) {
    std::vector<float> values(count);
    for (float& value : values) value = number(low, high);
    return values;
  }
  template <class Integer>
  std::vector<Integer> integers(std::size_t count, int low, int high) {
    std::vector<Integer> values(count);
    for (Integer& value : values) value = static_cast<Integer>(integer(low, high));
    return values;
  }
  Numbers kind() const { return kind_; }

 private:
  Numbers kind_;
  std::mt19937 engine_{20260101};
};

class Checks {
 public:
  void start(const char* instruction_set, const char* kernel) {
    instruction_set_ = instruction_set;
    kernel_ = kernel;
  }
  int made() const { return made_; }
  int failed() const { return failed_; }

  // By value: the sign of a zero is nobody's.
  template <class Value>
  void equal(const std::vector<Value>& expected, const std::vector<Value>& got) {
    ++made_;
    if (expected.size() != got.size()) return fail(0, expected.size(), got.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!(expected[i] == got[i])) return fail(i, expected[i], got[i]);
  }

  template <class Value>
  void near(const std::vector<Value>& expected, const std::vector<Value>& got, double tolerance) {
    ++made_;
    if (expected.size() != got.size()) return fail(0, expected.size(), got.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!(std::fabs(static_cast<double>(expected[i]) - static_cast<double>(got[i])) <= tolerance))
        return fail(i, expected[i], got[i]);
  }

  template <class Value>
  void agree(Numbers kind, const std::vector<Value>& expected, const std::vector<Value>& got, double tolerance) {
    if (kind == Numbers::kEven)
      equal(expected, got);
    else
      near(expected, got, tolerance);
  }

 private:
  template <class Value>
  void fail(std::size_t place, Value expected, Value got) {
    ++failed_;
    std::printf("%s, %s: at %zu %.9g was needed, got %.9g\n", instruction_set_, kernel_, place,
                static_cast<double>(expected), static_cast<double>(got));
  }

  const char *instruction_set_ = "", *kernel_ = "";
  int made_ = 0, failed_ = 0;
};

// One test: kernels of an instruction set against the portable ones.
using Test = void (*)(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);

void test_dot_block(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_first_places(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_linear_levels(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_dot_triangle(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_maxima(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_row_sums(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_product_tile(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_panel_similarities(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_column_similarities(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_column_levels(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_kept_columns_are_bounds(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_frequent_words_keep_their_columns(const Kernels& portable, const Kernels& kernels, Source& source,
                                            Checks& checks);
void test_panel_bounds(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_row_maxima(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_scan(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);
void test_scan_batch(const Kernels& portable, const Kernels& kernels, Source& source, Checks& checks);

}  // namespace fuzzbow
