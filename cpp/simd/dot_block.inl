// Blocks of dot products. Included inside an anonymous namespace after `Lanes` is defined there.
// A product is accumulated lane by lane and folded in one tree, so its value does not depend on the block it is in.

FUZZBOW_INLINE void ask_for_lines(Upcoming& upcoming) {
  if (upcoming.next != upcoming.end) {
    FUZZBOW_PREFETCH_EARLY(upcoming.next);
    FUZZBOW_PREFETCH_EARLY(upcoming.next + 64);
    FUZZBOW_PREFETCH_EARLY(upcoming.next + 128);
    FUZZBOW_PREFETCH_EARLY(upcoming.next + 192);
    upcoming.next += 256;
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
    ask_for_lines(soon);
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

// Even shares: 11 columns as 4 + 4 + 3, 8 rows as 4 + 4 rather than 6 + 2.
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

void triangle_maxima(const float* block, int count, int stride, int first_end, int second_begin, float* first,
                     float* second) {
  alignas(64) float within_first[kLargestTriangle], within_second[kLargestTriangle];  // the least of it and a cell
  for (int j = 0; j < stride; ++j) {
    within_first[j] = j < first_end ? INFINITY : 0.0f;
    within_second[j] = j >= second_begin ? INFINITY : 0.0f;
    first[j] = second[j] = 0.0f;
  }
  for (int i = 0; i < count; ++i) {
    typename Lanes::Type best_first = Lanes::zero(), best_second = Lanes::zero();
    for (int j = i / Lanes::kWidth * Lanes::kWidth; j < stride; j += Lanes::kWidth) {
      const typename Lanes::Type value = Lanes::load(block + i * stride + j);
      best_first = Lanes::max(best_first, Lanes::min(value, Lanes::load(within_first + j)));
      best_second = Lanes::max(best_second, Lanes::min(value, Lanes::load(within_second + j)));
      if (i < first_end) Lanes::store(first + j, Lanes::max(Lanes::load(first + j), value));
      if (i >= second_begin) Lanes::store(second + j, Lanes::max(Lanes::load(second + j), value));
    }
    const float highest_first = Lanes::highest(best_first), highest_second = Lanes::highest(best_second);
    if (highest_first > first[i]) first[i] = highest_first;
    if (highest_second > second[i]) second[i] = highest_second;
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
