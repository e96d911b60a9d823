extern "C" __global__ void names(const f32* __restrict__ int_, usize int__len, usize double_, f32 threadIdx_, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize while_ = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize gruf6udfe = double_;
  if (while_ < out_len) {
    if (while_ >= int__len) gr_panic(0, while_, int__len); // unless proved
    const f32 float_ = int_[while_];
    const f32 sqrtf_ = sqrtf(float_);
    const f32 v_u_shared_u_ = sqrtf_ + threadIdx_;
    const f32 auto_ = (f32)gruf6udfe;
    out[while_] = v_u_shared_u_ + auto_;
  }
}
