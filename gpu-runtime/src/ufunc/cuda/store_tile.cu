  enum : u32 { APART = 256 / GR_TILE_COLUMNS };
  gr_fill<WHOLE>(tiles, in, first, rows, columns);
  __syncthreads();
  const u32 row = threadIdx.x / GR_TILE_COLUMNS, column = threadIdx.x % GR_TILE_COLUMNS;
  gr_coordinates c = first;
  c.at[GR_TILE_AXIS] += row;
  c.at[sizeof(c.at) / sizeof(c.at[0]) - 1] += column;
  u64 i = start + row * row_len + column;
  const u64 jump = APART * row_len;
#pragma unroll
  for (u32 group = 0; group < GR_TILE_ROWS * GR_TILE_COLUMNS / 1024; ++group) {
    gr_values x[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const u32 below = (group * 4 + k) * APART;
      gr_coordinates of_element = c;
      of_element.at[GR_TILE_AXIS] += below;
      if (WHOLE || (row + below < rows && column < columns)) {
        x[k] = gr_load_of_tile(in, i + k * jump, of_element, tiles, (row + below) * GR_ROW_LEN + column);
      }
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const u32 below = (group * 4 + k) * APART;
      if (WHOLE || (row + below < rows && column < columns)) gr_store(in, i + k * jump, gr_compute(in, x[k]), GR_OUTPUTS);
    }
    i += 4 * jump;
  }
}

