extern "C" __global__ void __launch_bounds__(128) products_of_all_elements(const f32* __restrict__ single, gr_layout<2> single_layout, const f64* __restrict__ double_, gr_layout<2> double__layout, const i8* __restrict__ small, gr_layout<2> small_layout, f32* __restrict__ c, gr_layout<2> c_layout, f64* __restrict__ d, gr_layout<2> d_layout, i32* __restrict__ e, gr_layout<2> e_layout) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 128);
  const usize i = (usize)blockIdx.y;
  const usize j = (usize)blockIdx.x;
  const gr_tile<f32, 64, 64, 128> single_2 = gr_tile_dot<gr_tile<f32, 64, 64, 128>>(gr_tile_tf32(gr_tile_at<64, 32, 128>(single, single_layout, i, 0ull)), gr_tile_tf32(gr_tile_at<32, 64, 128>(single, single_layout, 0ull, j)));
  gr_tile_store(gr_tile_at<64, 64, 128>(c, c_layout, i, j), single_2);
  const gr_tile<f64, 64, 64, 128> double__2 = gr_tile_dot<gr_tile<f64, 64, 64, 128>>(gr_tile_at<64, 32, 128>(double_, double__layout, i, 0ull), gr_tile_at<32, 64, 128>(double_, double__layout, 0ull, j));
  gr_tile_store(gr_tile_at<64, 64, 128>(d, d_layout, i, j), double__2);
  const gr_tile<i32, 64, 64, 128> product = gr_tile_dot<gr_tile<i32, 64, 64, 128>>(gr_tile_at<64, 16, 128>(small, small_layout, i, 0ull), gr_tile_at<16, 64, 128>(small, small_layout, 0ull, j));
  const gr_tile<i32, 64, 64, 128> value = gr_tile_dot<gr_tile<i32, 64, 64, 128>>(gr_tile_at<64, 32, 128>(small, small_layout, i, 0ull), gr_tile_transpose(gr_tile_at<64, 32, 128>(small, small_layout, j, 0ull)));
  const gr_tile<i32, 64, 64, 128> value_2 = gr_tile_map<gr_tile<i32, 64, 64, 128>>(gr_tile_plus(), product, value);
  gr_tile_store(gr_tile_at<64, 64, 128>(e, e_layout, i, j), value_2);
}
typedef gr_tile_uses<gr_tile_dot_use<gr_tf32, 64, 32, 64, 128>, gr_tile_store_use<f32, 64, 64, 128>, gr_tile_dot_use<f64, 64, 32, 64, 128>, gr_tile_store_use<f64, 64, 64, 128>, gr_tile_dot_use<i8, 64, 16, 64, 128>, gr_tile_store_use<i32, 64, 64, 128>, gr_tile_dot_use<i8, 64, 32, 64, 128>> gr_tile_uses_of_products_of_all_elements;
extern "C" __device__ const u32 gr_tile_bytes_of_products_of_all_elements = gr_tile_uses_of_products_of_all_elements::memory;
extern "C" __device__ const u32 gr_tile_products_of_products_of_all_elements = gr_tile_uses_of_products_of_all_elements::kinds | gr_tile_uses_of_products_of_all_elements::stages << 8;
