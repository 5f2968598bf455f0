// The table of one instruction set. Included last inside an anonymous namespace: it names what stands there.
Kernels table_of(const char* name, bool pages) {
  return {name,
          pages,
          dot_block,
          dot_triangle,
          block_maxima,
          triangle_maxima,
          raise,
          min_max_sums,
          product_sums,
          product_tile,
          panel_similarities,
          column_similarities,
          column_levels,
          panel_bounds,
          row_maxima,
          scan<std::uint16_t>,
          scan<std::uint32_t>,
          scan_batch<std::uint16_t>,
          scan_batch<std::uint32_t>,
          table_maxima};
}
