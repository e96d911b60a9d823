static __device__ f32 row_total(const f32* a, gr_layout<2> a_layout, usize i) {
  f32 sum = 0.0f;
  const usize end = a_layout.shape[1];
  if (i < a_layout.shape[0]) {
    for (usize j = 0ull; j < end; j++) {
      sum = gr_wrapping_add(sum, a[a_layout.offset(i, j)]);
    }
  } else {
    #pragma unroll 1
    for (usize j = 0ull; j < end; j++) {
      if (i >= a_layout.shape[0]) gr_panic(0, i, a_layout.shape[0]);
      sum = gr_wrapping_add(sum, a[a_layout.offset(i, j)]);
    }
  }
  return sum;
}

extern "C" __global__ void views(const f32* __restrict__ a, gr_layout<2> a_layout, const u8* __restrict__ line, gr_layout<1> line_layout, f32* cube, gr_layout<3> cube_layout, f32* out, gr_layout<2> out_layout) {
  gr_wait_for_previous();
  const usize j = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize i = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  const usize rows = out_layout.shape[0];
  const usize columns = out_layout.shape[1];
  if (i < rows && j < columns) {
    const usize index = j + 1ull;
    if (i >= a_layout.shape[0]) gr_panic(0, i, a_layout.shape[0]); // unless proved
    if (index >= a_layout.shape[1]) gr_panic(1, index, a_layout.shape[1]); // unless proved
    const f32 value = a[a_layout.offset(i, index)];
    const f32 value_2 = row_total(a, a_layout, i);
    out[out_layout.offset(i, j)] = value + value_2;
    const usize index_2 = a_layout.len();
    if (index_2 >= line_layout.shape[0]) gr_panic(6, index_2, line_layout.shape[0]); // unless proved
    out[out_layout.offset(i, j)] *= (f32)line[line_layout.offset(index_2)];
    const usize end = cube_layout.shape[0];
    for (usize k = 0ull; k < end; k++) {
      if (i >= cube_layout.shape[1]) gr_panic(8, i, cube_layout.shape[1]); // unless proved
      if (j >= cube_layout.shape[2]) gr_panic(9, j, cube_layout.shape[2]); // unless proved
      cube[cube_layout.offset(k, i, j)] += out[out_layout.offset(i, j)];
    }
  }
  const gr_array<usize, 3> shape = gr_array<usize, 3>{{cube_layout.shape[0], cube_layout.shape[1], cube_layout.shape[2]}};
  if (out_layout.len() == 0 && shape[2ull] > 0ull) {
    {
      cube[cube_layout.offset(0ull, j, i)] = a[a_layout.offset(i, j)];
    }
  }
}
