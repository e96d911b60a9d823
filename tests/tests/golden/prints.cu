extern "C" __global__ void prints(const f32* __restrict__ x, usize x_len, u8 small, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    const f32 value = x[i] * 2.0f;
    gr_print(1, (u8)(gr_wrapping_add(small, (u8)1)), (bool)(value > 1.0f), (f64)(0.5), (usize)(i), (f32)(value));
    out[i] = value;
    gr_print(3);
  }
}
