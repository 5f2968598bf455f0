// Blocks of dot products. Included inside an anonymous namespace after `Lanes`. A product is accumulated lane by lane
// and folded in one tree, so its value does not depend on its block.

FUZZBOW_INLINE void prefetch_lines(Upcoming& upcoming) {
  if (upcoming.next != upcoming.end) {
    FUZZBOW_PREFETCH_EARLY(upcoming.next);
    FUZZBOW_PREFETCH_EARLY(upcoming.next + 64);
    upcoming.next += 128;
  } else if (upcoming.row != upcoming.last) {
    upcoming.next = reinterpret_cast<const char*>(*upcoming.row++);
    upcoming.end = upcoming.next + upcoming.row_bytes;
  }
}

template <int kRows, int kColumns>
FUZZBOW_INLINE void dot_tile(const float* const* rows, const float* const* columns, int padded, float* out, int stride,
                             Upcoming& upcoming) {
  Upcoming soon = upcoming;
  typename Lanes::Type sums[kRows][4];
  FUZZBOW_UNROLL
  for (int i = 0; i < kRows; ++i) {
    FUZZBOW_UNROLL
    for (int j = 0; j < 4; ++j) sums[i][j] = Lanes::zero();
  }
  for (int t = 0; t < padded; t += Lanes::kWidth) {
    prefetch_lines(soon);
    typename Lanes::Type row[kRows];
    FUZZBOW_UNROLL
    for (int i = 0; i < kRows; ++i) {
      row[i] = Lanes::load(rows[i] + t);
      Lanes::hold(row[i]);
    }
    FUZZBOW_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      const typename Lanes::Type column = Lanes::load(columns[j] + t);
      FUZZBOW_UNROLL
      for (int i = 0; i < kRows; ++i) sums[i][j] = Lanes::multiply_add(row[i], column, sums[i][j]);
    }
  }
  FUZZBOW_UNROLL
  for (int i = 0; i < kRows; ++i) Lanes::store_sums(sums[i], out + i * stride);
  upcoming = soon;
}

template <int kRows>
FUZZBOW_INLINE void dot_columns(int columns_left, const float* const* rows, const float* const* columns, int padded,
                                float* out, int stride, Upcoming& upcoming) {
  switch (columns_left) {
    case 1:
      dot_tile<kRows, 1>(rows, columns, padded, out, stride, upcoming);
      break;
    case 2:
      dot_tile<kRows, 2>(rows, columns, padded, out, stride, upcoming);
      break;
    case 3:
      dot_tile<kRows, 3>(rows, columns, padded, out, stride, upcoming);
      break;
    default:
      dot_tile<kRows, 4>(rows, columns, padded, out, stride, upcoming);
      break;
  }
}

void dot_any(int row_count, int column_count, const float* const* rows, const float* const* columns, int padded,
             float* out, int stride, Upcoming& upcoming) {
  switch (row_count) {
    case 1:
      dot_columns<1>(column_count, rows, columns, padded, out, stride, upcoming);
      break;
    case 2:
      dot_columns<2>(column_count, rows, columns, padded, out, stride, upcoming);
      break;
#if FUZZBOW_TILE_ROWS >= 3
    case 3:
      dot_columns<3>(column_count, rows, columns, padded, out, stride, upcoming);
      break;
#endif
#if FUZZBOW_TILE_ROWS >= 6
    case 4:
      dot_columns<4>(column_count, rows, columns, padded, out, stride, upcoming);
      break;
    case 5:
      dot_columns<5>(column_count, rows, columns, padded, out, stride, upcoming);
      break;
    case 6:
      dot_columns<6>(column_count, rows, columns, padded, out, stride, upcoming);
      break;
#endif
    default:
      break;
  }
}

// Even shares: 11 columns as 4 + 4 + 3, 8 rows as 4 + 4 instead of 6 + 2.
inline int even_share(int left, int tiles_left) { return (left + tiles_left - 1) / tiles_left; }

void dot_block(const float* const* rows, int row_count, const float* const* columns, int column_count, int padded,
               float* out, int stride, Upcoming& upcoming) {
  int column_tiles = (column_count + 3) / 4;
  for (int j = 0; j < column_count; --column_tiles) {
    const int width = even_share(column_count - j, column_tiles);
    int row_tiles = (row_count + FUZZBOW_TILE_ROWS - 1) / FUZZBOW_TILE_ROWS;
    for (int i = 0; i < row_count; --row_tiles) {
      const int height = even_share(row_count - i, row_tiles);
      dot_any(height, width, rows + i, columns + j, padded, out + i * stride + j, stride, upcoming);
      i += height;
    }
    j += width;
  }
}

void dot_triangle(const float* const* rows, int row_count, int padded, float* out, int stride, Upcoming& upcoming) {
  int column_tiles = (row_count + 3) / 4;
  for (int j = 0; j < row_count; --column_tiles) {
    const int width = even_share(row_count - j, column_tiles);
    const int reached = j + width;  // rows below are covered by symmetry
    int row_tiles = (reached + FUZZBOW_TILE_ROWS - 1) / FUZZBOW_TILE_ROWS;
    for (int i = 0; i < reached; --row_tiles) {
      const int height = even_share(reached - i, row_tiles);
      dot_any(height, width, rows + i, rows + j, padded, out + i * stride + j, stride, upcoming);
      i += height;
    }
    j += width;
  }
}

// stride is a multiple of 16, so of every lane width.
void block_maxima(const float* block, int row_count, int stride, float* row_maxima, float* column_maxima) {
  for (int i = 0; i < row_count; ++i) {
    const float* line = block + i * stride;
    typename Lanes::Type best = Lanes::zero();
    for (int j = 0; j < stride; j += Lanes::kWidth) {
      const typename Lanes::Type value = Lanes::load(line + j);
      best = Lanes::max(best, value);
      Lanes::store(column_maxima + j, Lanes::max(Lanes::load(column_maxima + j), value));
    }
    const float highest = Lanes::highest(best);
    if (highest > row_maxima[i]) row_maxima[i] = highest;
  }
}

void triangle_maxima(const float* block, int count, int stride, const float* in_first, const float* in_second,
                     float* first, float* second) {
  typename Lanes::Type best_first[kLargestTriangle], best_second[kLargestTriangle];  // by row, lane by lane
  const int rows = (count + 3) / 4 * 4;
  for (int i = 0; i < rows; ++i) best_first[i] = best_second[i] = Lanes::zero();
  for (int j = 0; j < stride; j += Lanes::kWidth) {
    const typename Lanes::Type within_first = Lanes::load(in_first + j), within_second = Lanes::load(in_second + j);
    typename Lanes::Type down_first = Lanes::zero(), down_second = Lanes::zero();
    const int reached = count < j + Lanes::kWidth ? count : j + Lanes::kWidth;
    for (int i = 0; i < reached; ++i) {
      const typename Lanes::Type value = Lanes::load(block + i * stride + j);
      best_first[i] = Lanes::max(best_first[i], Lanes::min(value, within_first));
      best_second[i] = Lanes::max(best_second[i], Lanes::min(value, within_second));
      down_first = Lanes::max(down_first, Lanes::min(value, Lanes::spread(in_first[i])));
      down_second = Lanes::max(down_second, Lanes::min(value, Lanes::spread(in_second[i])));
    }
    Lanes::store(first + j, down_first);
    Lanes::store(second + j, down_second);
  }
  alignas(64) float across[2][kLargestTriangle];
  for (int i = 0; i < rows; i += 4) {
    Lanes::store_maxima(best_first + i, across[0] + i);
    Lanes::store_maxima(best_second + i, across[1] + i);
  }
  for (int i = 0; i < count; ++i) {
    first[i] = across[0][i] > first[i] ? across[0][i] : first[i];
    second[i] = across[1][i] > second[i] ? across[1][i] : second[i];
  }
}

void first_positions(const std::uint32_t* ids, int count, std::uint8_t* positions) {
  for (int i = 0; i < count; ++i) {
    std::uint64_t same = 0;
    for (int j = 0; j <= i; j += Lanes::kWidth) same |= static_cast<std::uint64_t>(Lanes::equals(ids + j, ids[i])) << j;
    positions[i] = static_cast<std::uint8_t>(FUZZBOW_LOWEST_BIT(same));
  }
}

void raise(const float* source, std::int64_t count, float* target) {
  std::int64_t i = 0;
  for (; i + Lanes::kWidth <= count; i += Lanes::kWidth)
    Lanes::store(target + i, Lanes::max(Lanes::load(target + i), Lanes::load(source + i)));
  for (; i < count; ++i) target[i] = source[i] > target[i] ? source[i] : target[i];
}

void table_maxima(const float* table, int stride, const std::uint32_t* words, std::int64_t length, float* cross) {
  for (int i = 0; i < stride; i += Lanes::kWidth) {
    typename Lanes::Type best = Lanes::zero();
    for (std::int64_t j = 0; j < length; ++j)
      best = Lanes::max(best, Lanes::load(table + static_cast<std::size_t>(words[j]) * stride + i));
    Lanes::store(cross + i, best);
  }
}
