extern "C" __global__ void failures(const i32* __restrict__ x, usize x_len, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    if (!(x[i] != 3)) gr_panic(1, 0, 0);
    if (!(x[i] > 0 && x[i] < 100)) gr_panic(4, 0, 0);
    if (!(x[i] % 2 == 0)) gr_panic(7, 0, 0);
    if (true) {
      if (!(x[i] < 50)) gr_panic(9, 0, 0);
    }
    i32 value;
    if (x[i] == 8) {
      gr_panic(11, 0, 0);
    } else {
      value = x[i];
    }
    out[i] = value;
    if (x[i] > 90) {
      gr_panic(15, 0, 0);
    }
  }
}
