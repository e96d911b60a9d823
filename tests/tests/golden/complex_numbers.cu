static __device__ __forceinline__ gr_complex<f64> Complex_new(f64 re, f64 im) {
  return gr_complex_of(re, im);
}

static __device__ __forceinline__ f32 Complex_norm_sqr(gr_complex<f32> z) {
  return gr_norm_sqr(z);
}

extern "C" __global__ void complex_numbers(const gr_complex<f32>* __restrict__ z, usize z_len, gr_complex<f64> c, f64 s, gr_complex<f64>* out, usize out_len, f32* norms, usize norms_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len && i < norms_len && i < z_len) {
    decltype(gr_output(Complex_new)) w = Complex_new(0.0, s);
    w.re = gr_wrapping_add(w.re, gr_float<f64>(0.1f, 0.1));
    out[i] = gr_wrapping_add(gr_wrapping_mul((f64)2.0, gr_wrapping_sub(gr_wrapping_mul(w, c), gr_divide(s, c))), gr_float<f64>(0.1f, 0.1));
    out[i] = gr_wrapping_mul(out[i], s);
    const decltype(gr_complex<f32>::im) value = gr_powi(gr_wrapping_mul(z[i], z[i]), 3).im;
    const decltype(gr_output(Complex_norm_sqr)) value_2 = Complex_norm_sqr(z[i]);
    norms[i] = gr_wrapping_add(value, value_2);
  }
}
