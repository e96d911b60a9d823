static __device__ f32 gelu(f32 x) {
  return 0.5f * x * (1.0f + tanhf(0.7978846f * (x + 0.044715f * x * x * x)));
}

extern "C" __global__ void __launch_bounds__(256) product_of_tiles(const gr_bf16* __restrict__ a, gr_layout<2> a_layout, const gr_bf16* __restrict__ b, gr_layout<2> b_layout, gr_bf16* c, gr_layout<2> c_layout) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 256);
  const usize i = (usize)blockIdx.y;
  const usize j = (usize)blockIdx.x;
  gr_tile<f32, 128, 256, 256> sum = gr_tile<f32, 128, 256, 256>::zeros();
  const usize end = gr_div_ceil(a_layout.shape[1], 64ull);
  gr_tile_add_dots(sum, 0ull, end, [&](const usize k) { return gr_tile_pair_of(gr_tile_at<128, 64, 256>(a, a_layout, i, k), gr_tile_at<64, 256, 256>(b, b_layout, k, j)); });
  const auto closure = [&](const f32 x) -> f32 {
    return gelu(x);
  };
  const gr_tile<f32, 128, 256, 256> value = gr_tile_map<gr_tile<f32, 128, 256, 256>>(closure, sum);
  const gr_tile<gr_bf16, 128, 256, 256> value_2 = gr_tile_map<gr_tile<gr_bf16, 128, 256, 256>>(gr_tile_cast<gr_bf16>(), value);
  gr_tile_store(gr_tile_at<128, 256, 256>(c, c_layout, i, j), value_2);
}
typedef gr_tile_uses<gr_tile_dots_use<gr_bf16, 128, 64, 256, 256>, gr_tile_store_use<gr_bf16, 128, 256, 256>> gr_tile_uses_of_product_of_tiles;
extern "C" __device__ const u32 gr_tile_bytes_of_product_of_tiles = gr_tile_uses_of_product_of_tiles::memory;
extern "C" __device__ const u32 gr_tile_products_of_product_of_tiles = gr_tile_uses_of_product_of_tiles::kinds | gr_tile_uses_of_product_of_tiles::stages << 8;
