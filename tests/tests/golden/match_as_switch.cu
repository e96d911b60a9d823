extern "C" __global__ void match_as_switch(const u8* __restrict__ a, usize a_len, i32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const u8 value = a[i];
    switch (value) {
      case (u8)43: {
        out[i] = gr_wrapping_add(out[i], 1);
        break;
      }
      case (u8)45: {
        out[i] = gr_wrapping_sub(out[i], 1);
        break;
      }
      case (u8)60: case (u8)62: {
        const i32 n = out[i];
        out[i] = gr_wrapping_mul(n, 2);
        break;
      }
      case (u8)0: {
        return;
      }
      default: {
        const u8 other = value;
        out[i] = (i32)other;
        break;
      }
    }
    out[i] = gr_wrapping_add(out[i], 1);
  }
}
