typedef gr_tile_loop<3, gr_tile_uses<gr_tile_left_use<gr_bf16, 64, 64, 128>, gr_tile_rows_use<f32, 64, 64, 128>>, gr_tile_product_of_kept<gr_bf16, 64, 64, 64, 128>, gr_tile_product_of_computed<gr_bf16, 64, 64, 64, 128>> gr_tile_loop_of_attention_of_tiles;
extern "C" __global__ void __launch_bounds__(128) attention_of_tiles(const gr_bf16* __restrict__ q, gr_layout<2> q_layout, const gr_bf16* __restrict__ keys, gr_layout<2> keys_layout, const gr_bf16* __restrict__ v, gr_layout<2> v_layout, f32 scale, f32* __restrict__ out, gr_layout<2> out_layout) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 128);
  const usize i = (usize)blockIdx.x;
  const auto query = gr_tile_at<64, 64, 128>(q, q_layout, i, 0ull);
  gr_column<f32, 64, 128> largest = gr_column<f32, 64, 128>::splat(__uint_as_float(0xff800000u));
  gr_column<f32, 64, 128> total = gr_column<f32, 64, 128>::zeros();
  gr_tile<f32, 64, 64, 128> sum = gr_tile<f32, 64, 64, 128>::zeros();
  const usize end = i + 1ull;
  const auto keys_at = [&](const usize j) {
    return gr_tile_transpose(gr_tile_at<64, 64, 128>(keys, keys_layout, j, 0ull));
  };
  const auto v_at = [&](const usize j) {
    return gr_tile_at<64, 64, 128>(v, v_layout, j, 0ull);
  };
  const auto step = [&](const usize j, const gr_tile<f32, 64, 64, 128>& scores) {
    const auto closure = [&](const usize row, const usize column, const f32 x) -> f32 {
      return j * 64ull + column <= i * 64ull + row ? x * scale : __uint_as_float(0xff800000u);
    };
    const gr_tile<f32, 64, 64, 128> scores_2 = gr_tile_map_at<gr_tile<f32, 64, 64, 128>>(closure, scores);
    const gr_column<f32, 64, 128> value = gr_tile_rows<gr_column<f32, 64, 128>>(gr_tile_larger(), scores_2);
    const auto closure_2 = [&](const f32 a, const f32 b) -> f32 {
      return fmaxf(a, b);
    };
    const gr_column<f32, 64, 128> larger = gr_tile_map<gr_column<f32, 64, 128>>(closure_2, largest, value);
    const gr_tile<f32, 64, 64, 128> value_2 = gr_tile_map<gr_tile<f32, 64, 64, 128>>(gr_tile_minus(), scores_2, larger);
    const auto closure_3 = [&](const f32 x_2) -> f32 {
      return expf(x_2);
    };
    const gr_tile<f32, 64, 64, 128> weights = gr_tile_map<gr_tile<f32, 64, 64, 128>>(closure_3, value_2);
    const gr_column<f32, 64, 128> value_3 = gr_tile_map<gr_column<f32, 64, 128>>(gr_tile_minus(), largest, larger);
    const auto closure_4 = [&](const f32 x_3) -> f32 {
      return expf(x_3);
    };
    const gr_column<f32, 64, 128> kept = gr_tile_map<gr_column<f32, 64, 128>>(closure_4, value_3);
    const gr_column<f32, 64, 128> value_4 = gr_tile_map<gr_column<f32, 64, 128>>(gr_tile_times(), total, kept);
    const gr_column<f32, 64, 128> value_5 = gr_tile_rows<gr_column<f32, 64, 128>>(gr_tile_plus(), weights);
    total = gr_tile_map<gr_column<f32, 64, 128>>(gr_tile_plus(), value_4, value_5);
    gr_tile_end_sum<gr_tile_loop_of_attention_of_tiles, gr_bf16>(sum, total);
    sum = gr_tile_map<gr_tile<f32, 64, 64, 128>>(gr_tile_times(), sum, kept);
    const gr_tile<gr_bf16, 64, 64, 128> value_6 = gr_tile_map<gr_tile<gr_bf16, 64, 64, 128>>(gr_tile_cast<gr_bf16>(), weights);
    largest = larger;
    return value_6;
  };
  gr_tile_for_each<gr_tile_loop_of_attention_of_tiles, gr_tile<f32, 64, 64, 128>>(0ull, end, query, keys_at, sum, v_at, step);
  const gr_tile<f32, 64, 64, 128> value_7 = gr_tile_map<gr_tile<f32, 64, 64, 128>>(gr_tile_quotient(), sum, total);
  gr_tile_store(gr_tile_at<64, 64, 128>(out, out_layout, i, 0ull), value_7);
}
typedef gr_tile_uses<gr_tile_left_use<gr_bf16, 64, 64, 128>, gr_tile_rows_use<f32, 64, 64, 128>, gr_tile_store_use<f32, 64, 64, 128>, gr_tile_loop_of_attention_of_tiles> gr_tile_uses_of_attention_of_tiles;
extern "C" __device__ const u32 gr_tile_bytes_of_attention_of_tiles = gr_tile_uses_of_attention_of_tiles::memory;
extern "C" __device__ const u32 gr_tile_products_of_attention_of_tiles = gr_tile_uses_of_attention_of_tiles::kinds | gr_tile_uses_of_attention_of_tiles::stages << 8;
