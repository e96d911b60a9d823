extern "C" __global__ void __launch_bounds__(256) product_in_tf32(const f32* __restrict__ a, gr_layout<2> a_layout, const f32* __restrict__ b, gr_layout<2> b_layout, f32* __restrict__ c, gr_layout<2> c_layout) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 256);
  const usize i = (usize)blockIdx.y;
  const usize j = (usize)blockIdx.x;
  gr_tile<f32, 128, 256, 256> sum = gr_tile<f32, 128, 256, 256>::zeros();
  const usize end = gr_div_ceil(a_layout.shape[1], 32ull);
  gr_tile_add_dots(sum, 0ull, end, [&](const usize k) { return gr_tile_pair_of(gr_tile_tf32(gr_tile_at<128, 32, 256>(a, a_layout, i, k)), gr_tile_tf32(gr_tile_transpose(gr_tile_at<256, 32, 256>(b, b_layout, j, k)))); });
  gr_tile_store(gr_tile_at<128, 256, 256>(c, c_layout, i, j), sum);
}
typedef gr_tile_uses<gr_tile_dots_use<gr_tf32, 128, 32, 256, 256>, gr_tile_store_use<f32, 128, 256, 256>> gr_tile_uses_of_product_in_tf32;
extern "C" __device__ const u32 gr_tile_bytes_of_product_in_tf32 = gr_tile_uses_of_product_in_tf32::memory;
extern "C" __device__ const u32 gr_tile_products_of_product_in_tf32 = gr_tile_uses_of_product_in_tf32::kinds | gr_tile_uses_of_product_in_tf32::stages << 8;
