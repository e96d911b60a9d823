  __shared__ gr_tiles tiles;
  // The first element of the tile. Neighbouring blocks are neighbours along the last axis.
  gr_coordinates first;
  u32 rest = blockIdx.x;
  u64 row_len = 1;
#pragma unroll
  for (u32 k = 0; k < RANK; ++k) {
    const u32 axis = LAST - k;
    const u32 above = axis == 0 ? 0 : gr_quotient(rest, grid.tiles[axis], grid.dividers[axis]);
    first.at[axis] = (rest - above * grid.tiles[axis]) * (axis == LAST ? GR_TILE_COLUMNS : axis == GR_TILE_AXIS ? GR_TILE_ROWS : 1);
    rest = above;
    if (axis > GR_TILE_AXIS) row_len *= in.extents[axis];
  }
  u64 start = 0;
#pragma unroll
  for (u32 axis = 0; axis < RANK; ++axis) start = start * in.extents[axis] + first.at[axis];
  const u64 rows = in.extents[GR_TILE_AXIS] - first.at[GR_TILE_AXIS], columns = in.extents[LAST] - first.at[LAST];
  if (rows >= GR_TILE_ROWS && columns >= GR_TILE_COLUMNS) {
    gr_store_tile<true>(in, tiles, first, start, row_len, GR_TILE_ROWS, GR_TILE_COLUMNS, GR_OUTPUTS);
  } else {
    gr_store_tile<false>(in, tiles, first, start, row_len, rows, columns, GR_OUTPUTS);
  }
}
