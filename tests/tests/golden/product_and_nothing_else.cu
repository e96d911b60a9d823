extern "C" __global__ void __launch_bounds__(256) product_and_nothing_else(const gr_bf16* __restrict__ a, gr_layout<2> a_layout, const gr_bf16* __restrict__ b, gr_layout<2> b_layout, gr_bf16* __restrict__ c, gr_layout<2> c_layout, const gr_tile_grid gr_launch) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 256);
  gr_tile_run_tasks(gr_launch, gr_div_ceil(a_layout.shape[1], 64ull), [&](const gr_tile_grid blockIdx, const usize k) {
    const usize i = (usize)blockIdx.y;
    const usize j = (usize)blockIdx.x;
    return gr_tile_task_of(gr_tile_at<128, 64, 256>(a, a_layout, i, k), gr_tile_at<64, 256, 256>(b, b_layout, k, j), gr_tile_at<128, 256, 256>(c, c_layout, i, j));
  });
}
typedef gr_tile_uses<gr_tile_tasks_use<gr_bf16, 128, 64, 256, 256>> gr_tile_uses_of_product_and_nothing_else;
extern "C" __device__ const u32 gr_tile_bytes_of_product_and_nothing_else = gr_tile_uses_of_product_and_nothing_else::memory;
extern "C" __device__ const u32 gr_tile_products_of_product_and_nothing_else = gr_tile_uses_of_product_and_nothing_else::kinds | gr_tile_uses_of_product_and_nothing_else::stages << 8;
extern "C" __device__ const u32 gr_tile_tasks_of_product_and_nothing_else = gr_tile_uses_of_product_and_nothing_else::runs_on;
