// Counts of a piece of work, listed with their names in kCounts of their struct.
#pragma once

namespace fuzzbow {

template <class Counts>
void add_counts(Counts& sum, const Counts& other) {
  for (const auto& [name, count] : Counts::kCounts) sum.*count += other.*count;
}

}  // namespace fuzzbow
