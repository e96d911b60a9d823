extern "C" __global__ void special_functions(const f32* __restrict__ x, usize x_len, i32 n, f32* __restrict__ out, usize out_len, i32* __restrict__ exponents, usize exponents_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len); // unless proved
    const f32 a = x[i];
    const gr_tuple2<f32, i32> value = gr_frexp(a);
    const f32 mantissa = value._0;
    const i32 exponent = value._1;
    if (i >= exponents_len) gr_panic(1, i, exponents_len); // unless proved
    exponents[i] = exponent;
    out[i] = gr_erf(a) + gr_rsqrt(gr_ldexp(mantissa, n)) * gr_next_up(a);
    out[i] += gr_fast_div(gr_fast_exp(a), gr_next_after(a, 2.0f)) - gr_sin_pi(a);
  }
}
