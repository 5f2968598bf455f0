// Holds every kernel of every instruction set that this processor has against the portable one. The arguments are the
// sets that there must be, slowest first: a processor that is not recognised is a failure, not a pass.
#include "checks.hpp"

namespace {

using namespace fuzzbow;

constexpr struct {
  const char* kernel;
  Test test;
} kTests[] = {
    {"dot_block", test_dot_block},
    {"dot_triangle", test_dot_triangle},
    {"maxima", test_maxima},
    {"first_positions", test_first_places},
    {"row_sums", test_row_sums},
    {"product_tile", test_product_tile},
    {"panel_similarities", test_panel_similarities},
    {"column_similarities", test_column_similarities},
    {"column_levels", test_column_levels},
    {"column_levels", test_kept_columns_are_bounds},
    {"kept columns", test_frequent_words_keep_their_columns},
    {"panel_bounds", test_panel_bounds},
    {"linear_levels", test_linear_levels},
    {"row_maxima", test_row_maxima},
    {"scan", test_scan},
    {"scan_batch", test_scan_batch},
};

static_assert(sizeof(Kernels) == 25 * sizeof(void*), "a kernel came or went: the tests above must follow");

bool are_there(int count, char** names) {
  const char* const* available = available_kernels();
  for (int i = 0; i < count; ++i)
    if (!available[i] || std::strcmp(available[i], names[i]) != 0) return false;
  return count == 0 || !available[count];
}

int failures_of(const char* name) {
  choose_kernels(name);
  Checks checks;
  for (const auto& entry : kTests)
    for (Numbers kind : {Numbers::kRough, Numbers::kEven}) {
      Source source(kind);
      checks.start(name, entry.kernel);
      entry.test(portable_kernels(), kernels(), source, checks);
    }
  std::printf("%s: %d checks, %d failed\n", name, checks.made(), checks.failed());
  return checks.failed();
}

}  // namespace

int main(int count, char** arguments) {
  int failures = 0;
  for (const char* const* name = available_kernels(); *name; ++name) failures += failures_of(*name);
  if (are_there(count - 1, arguments + 1)) return failures > 0;
  std::printf("needed exactly these instruction sets:");
  for (int i = 1; i < count; ++i) std::printf(" %s", arguments[i]);
  std::printf("\n");
  return 1;
}
