extern "C" __global__ void branches(const i32* __restrict__ a, usize a_len, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    if (a[i] > 10) {
      out[i] = 1;
    } else if (a[i] > 5) {
      out[i] = 2;
    } else {
      out[i] = 3;
    }
  }
}
