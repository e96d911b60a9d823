extern "C" __global__ void image_2d(const u8* __restrict__ image, usize image_len, usize width, usize height, u8* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize x = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize y = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    const usize index = y * width + x;
    if (index >= image_len) gr_panic(0, index, image_len); // unless proved
    const usize index_2 = y * width + x;
    if (index_2 >= out_len) gr_panic(1, index_2, out_len); // unless proved
    out[index_2] = gr_wrapping_sub((u8)255, image[index]);
  }
}
