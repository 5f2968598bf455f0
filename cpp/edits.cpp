#include "edits.hpp"

namespace fuzzbow {

// One column of the usual table after another, each in two words of bits: where a cell is one more than the cell above
// it, and where it is one less (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances",
// 2003). Bit i belongs to letter i of `a`. One column takes a few operations, and its last cell is counted along.
int edit_distance(const std::uint32_t* a, int a_length, const std::uint32_t* b, int b_length) {
  if (a_length == 0) return b_length;
  const std::uint64_t last = std::uint64_t{1} << (a_length - 1);
  std::uint64_t more = ~std::uint64_t{0}, less = 0;  // down the column
  std::uint64_t diagonal = 0;                        // where a cell equals the one before and above it
  std::uint64_t equal_before = 0;
  int distance = a_length;
  for (int j = 0; j < b_length; ++j) {
    std::uint64_t equal = 0;  // letters of a that are this letter of b
    for (int i = 0; i < a_length; ++i) equal |= static_cast<std::uint64_t>(a[i] == b[j]) << i;
    const std::uint64_t swapped = ((~diagonal & equal) << 1) & equal_before;
    diagonal = (((equal & more) + more) ^ more) | equal | less | swapped;
    std::uint64_t right_more = less | ~(diagonal | more), right_less = diagonal & more;  // along the row
    distance += (right_more & last) != 0;
    distance -= (right_less & last) != 0;
    right_more = right_more << 1 | 1;
    right_less <<= 1;
    more = right_less | ~(diagonal | right_more);
    less = right_more & diagonal;
    equal_before = equal;
  }
  return distance;
}

}  // namespace fuzzbow
