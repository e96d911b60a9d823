typedef gr_tile_loop<2, gr_tile_no_product, gr_tile_product_of_moving<gr_bf16, 64, 64, 64, 128>, gr_tile_product_of_shared<gr_tile_product_of_kept<gr_bf16, 64, 64, 64, 128>, false, true>> gr_tile_loop_of_steps_of_tiles;
extern "C" __global__ void __launch_bounds__(128) steps_of_tiles(const gr_bf16* __restrict__ a, gr_layout<2> a_layout, const gr_bf16* __restrict__ weights, gr_layout<2> weights_layout, const gr_bf16* __restrict__ b, gr_layout<2> b_layout, f32* __restrict__ c, gr_layout<2> c_layout) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 128);
  const usize i = (usize)blockIdx.y;
  const usize j = (usize)blockIdx.x;
  gr_tile<f32, 64, 64, 128> sum = gr_tile<f32, 64, 64, 128>::zeros();
  const usize end = gr_div_ceil(a_layout.shape[1], 64ull);
  __syncthreads();
  const auto weights_kept = gr_tile_keep<gr_tile_loop_of_steps_of_tiles, 0>(0ull, end, gr_tile_at<64, 64, 128>(weights, weights_layout, i, 0ull));
  const auto a_at = [&](const usize k) {
    return gr_tile_at<64, 64, 128>(a, a_layout, i, k);
  };
  auto a_tiles = gr_tile_stream_of<gr_tile_loop_of_steps_of_tiles, 0, false>(0ull, end, a_at);
  const auto b_at = [&](const usize k) {
    return gr_tile_at<64, 64, 128>(b, b_layout, k, j);
  };
  auto b_tiles = gr_tile_stream_of<gr_tile_loop_of_steps_of_tiles, decltype(a_tiles)::after, true>(0ull, end, b_at);
  const auto b_at_2 = [&](const usize k) {
    return gr_tile_at<64, 64, 128>(b, b_layout, k, j);
  };
  auto b_tiles_2 = gr_tile_stream_again<true>(b_tiles, b_at_2);
  for (usize k = 0ull; k < end; k++) {
    gr_tile_begin_step<gr_tile_loop_of_steps_of_tiles>(a_tiles, b_tiles);
    gr_tile<f32, 64, 64, 128> product;
    auto product_2 = gr_tile_begin_dot<false>(product, a_tiles, b_tiles);
    gr_tile_end_dot<0>(product, product_2);
    const gr_tile<f32, 64, 64, 128> value = gr_tile_dot<gr_tile<f32, 64, 64, 128>>(weights_kept, b_tiles_2);
    const gr_tile<f32, 64, 64, 128> value_2 = gr_tile_map<gr_tile<f32, 64, 64, 128>>(gr_tile_times(), product, sum);
    sum = gr_tile_map<gr_tile<f32, 64, 64, 128>>(gr_tile_plus(), value, value_2);
    gr_tile_end_step<gr_tile_loop_of_steps_of_tiles>(a_tiles, b_tiles);
  }
  gr_tile_store(gr_tile_at<64, 64, 128>(c, c_layout, i, j), sum);
}
typedef gr_tile_uses<gr_tile_store_use<f32, 64, 64, 128>, gr_tile_loop_of_steps_of_tiles> gr_tile_uses_of_steps_of_tiles;
extern "C" __device__ const u32 gr_tile_bytes_of_steps_of_tiles = gr_tile_uses_of_steps_of_tiles::memory;
extern "C" __device__ const u32 gr_tile_products_of_steps_of_tiles = gr_tile_uses_of_steps_of_tiles::kinds | gr_tile_uses_of_steps_of_tiles::stages << 8;
