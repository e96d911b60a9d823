extern "C" __global__ void labels(const i32* __restrict__ a, usize a_len, usize n, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    i32 count = 0;
    for (usize row = 0ull; row < n; row++) {
      {
        for (usize column = 0ull; column < n; column++) {
          const usize index = row * n + column;
          if (index >= a_len) gr_panic(0, index, a_len); // unless proved
          if (a[index] == 0) {
            goto rows_continue;
          }
          if (a[row * n + column] < 0) {
            goto rows_break;
          }
        }
        count = gr_wrapping_add(count, 1);
      }
    rows_continue:;
    }
  rows_break:;
    i32 found;
    {
      for (usize k = 0ull; k < n; k++) {
        if (k >= a_len) gr_panic(2, k, a_len); // unless proved
        if (a[k] == count) {
          found = (i32)k;
          goto search_break;
        }
      }
      found = (-1);
    }
  search_break:;
    out[i] = gr_wrapping_add(count, found);
  }
}
