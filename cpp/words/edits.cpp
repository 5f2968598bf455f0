#include "words/edits.hpp"

namespace fuzzbow {

void EditPattern::read(const std::uint32_t* letters, int length) {
  letters_ = letters;
  length_ = length;
  collides_ = false;
  positions_.fill(0);
  for (int i = 0; i < length; ++i) {
    const std::uint32_t slot = letters[i] % 64;
    collides_ = collides_ || (positions_[slot] != 0 && slot_letters_[slot] != letters[i]);
    slot_letters_[slot] = letters[i];
    positions_[slot] |= std::uint64_t{1} << i;
  }
}

std::uint64_t EditPattern::positions(std::uint32_t letter) const {
  if (!collides_) {
    const std::uint64_t found = positions_[letter % 64];
    return found != 0 && slot_letters_[letter % 64] == letter ? found : 0;
  }
  std::uint64_t found = 0;
  for (int i = 0; i < length_; ++i) found |= static_cast<std::uint64_t>(letters_[i] == letter) << i;
  return found;
}

// Computes the usual edit table column by column. A column is two bit masks: cells one more than the cell above, and
// cells one less (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003). Bit i
// belongs to letter i of the pattern. Each column takes a few operations; the value of its last cell is tracked.
int EditPattern::distance(const std::uint32_t* other, int other_length, int most) const {
  const std::uint64_t last = std::uint64_t{1} << (length_ - 1);
  std::uint64_t more = ~std::uint64_t{0}, less = 0;  // vertical differences
  std::uint64_t diagonal = 0;                        // cells equal to their diagonal neighbour
  std::uint64_t equal_before = 0;
  int distance = length_;
  for (int j = 0; j < other_length; ++j) {
    const std::uint64_t equal = positions(other[j]);
    const std::uint64_t swapped = ((~diagonal & equal) << 1) & equal_before;
    diagonal = (((equal & more) + more) ^ more) | equal | less | swapped;
    std::uint64_t right_more = less | ~(diagonal | more), right_less = diagonal & more;  // horizontal differences
    distance += (right_more & last) != 0;
    distance -= (right_less & last) != 0;
    const int columns_left = other_length - j - 1;
    if (distance - columns_left > most) return distance;  // each further column lowers the last cell by at most one
    right_more = right_more << 1 | 1;
    right_less <<= 1;
    more = right_less | ~(diagonal | right_more);
    less = right_more & diagonal;
    equal_before = equal;
  }
  return distance;
}

}  // namespace fuzzbow
