extern "C" __global__ void endless_loop(usize first, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x + first;
  while (true) {
    gr_round();
    if (i < out_len) {
      break;
    }
  }
  out[i] = 1.0f;
}
