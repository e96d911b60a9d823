extern "C" __global__ void failures(const i32* __restrict__ x, usize x_len, i32* __restrict__ out, usize out_len) {
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    if (!(x[i] != 3)) gr_panic(1, 0, 0);
    if (i >= x_len) gr_panic(2, i, x_len); // unless proved
    bool condition = x[i] > 0;
    if (condition) {
      if (i >= x_len) gr_panic(3, i, x_len); // unless proved
      condition = x[i] < 100;
    }
    if (!condition) gr_panic(4, 0, 0);
    if (i >= x_len) gr_panic(5, i, x_len); // unless proved
    if (!(x[i] % 2 == 0)) gr_panic(7, 0, 0);
    if (true) {
      if (i >= x_len) gr_panic(8, i, x_len); // unless proved
      if (!(x[i] < 50)) gr_panic(9, 0, 0);
    }
    i32 value;
    if (i >= x_len) gr_panic(10, i, x_len); // unless proved
    if (x[i] == 8) {
      gr_panic(11, 0, 0);
    } else {
      if (i >= x_len) gr_panic(12, i, x_len); // unless proved
      value = x[i];
    }
    out[i] = value;
    if (i >= x_len) gr_panic(14, i, x_len); // unless proved
    if (x[i] > 90) {
      gr_panic(15, 0, 0);
    }
  }
}
