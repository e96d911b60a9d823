  __shared__ gr_tiles tiles;
  // The first element of the tile. Neighbouring blocks are neighbours along the last axis.
  gr_coordinates first;
  u64 rest = blockIdx.x;
  u64 row_len = 1;
#pragma unroll
  for (u32 axis = RANK; axis-- > 0;) {
    const u32 size = axis == LAST ? GR_TILE_COLUMNS : axis == GR_TILE_AXIS ? GR_TILE_ROWS : 1;
    const u64 tiles_of_axis = (in.extents[axis] + size - 1) / size;
    // Of 64 bits only if there are so many elements: divisions of such take long.
    const u64 above = rest >> 32 | tiles_of_axis >> 32 ? rest / tiles_of_axis : (u32)rest / (u32)tiles_of_axis;
    first.at[axis] = (rest - above * tiles_of_axis) * size;
    rest = above;
    if (axis > GR_TILE_AXIS) row_len *= in.extents[axis];
  }
  u64 start = 0;
#pragma unroll
  for (u32 axis = 0; axis < RANK; ++axis) start = start * in.extents[axis] + first.at[axis];
  const u64 rows_left = in.extents[GR_TILE_AXIS] - first.at[GR_TILE_AXIS], columns_left = in.extents[LAST] - first.at[LAST];
  const u32 rows = rows_left < GR_TILE_ROWS ? (u32)rows_left : GR_TILE_ROWS;
  const u32 columns = columns_left < GR_TILE_COLUMNS ? (u32)columns_left : GR_TILE_COLUMNS;
  gr_fill(tiles, in, first, rows, columns);
  __syncthreads();
  const u32 row = threadIdx.x / GR_TILE_COLUMNS, column = threadIdx.x % GR_TILE_COLUMNS;
  const u32 apart = 256 / GR_TILE_COLUMNS;
  first.at[GR_TILE_AXIS] += row;
  first.at[LAST] += column;
  start += row * row_len + column;
  const bool is_whole = rows == GR_TILE_ROWS && columns == GR_TILE_COLUMNS;
#pragma unroll
  for (u32 group = 0; group < GR_TILE_ROWS * GR_TILE_COLUMNS / 1024; ++group) {
    gr_values x[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const u32 below = (group * 4 + k) * apart;
      gr_coordinates c = first;
      c.at[GR_TILE_AXIS] += below;
      if (is_whole || (row + below < rows && column < columns)) {
        x[k] = gr_load_of_tile(in, start + below * row_len, c, tiles, (row + below) * GR_ROW_LEN + column);
      }
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const u32 below = (group * 4 + k) * apart;
      if (is_whole || (row + below < rows && column < columns)) gr_store(in, start + below * row_len, gr_compute(in, x[k]), GR_OUTPUTS);
    }
  }
}
