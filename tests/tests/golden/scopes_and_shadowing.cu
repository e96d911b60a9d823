extern "C" __global__ void scopes_and_shadowing(const f32* __restrict__ a, usize a_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= a_len) gr_panic(0, i, a_len); // unless proved
    const f32 x = a[i];
    const f32 x_2 = x * 2.0f;
    {
      const i32 x_3 = gr_cast<i32>(x_2);
      const usize i_2 = i + 1ull;
      out[i_2 - 1ull] = (f32)gr_wrapping_add(x_3, (i32)i_2);
    }
    f32 late;
    late = x_2;
    f32 low = late;
    const f32 high = x_2;
    low -= 1.0f;
    out[i] += low + high;
  }
}
