struct gr_inputs {
  const gr_bf16* p0;
  const f32* p1;
  const gr_bf16* p2;
  u64 extents[6];
  i64 s1[3];
  i64 s2[3];
  i64 t0[3];
  u64 end;
};

typedef gr_bf16 gr_item;

struct gr_values {
  gr_bf16 v0;
  f32 v1;
  gr_bf16 v2;
};

static __device__ __forceinline__ void gr_load_piece(const gr_inputs& in, const gr_coordinates& c, gr_values (&x)[8]) {
  {
    const gr_tile_values<f32, 8> piece = *(const gr_tile_values<f32, 8>*)(in.p1 + ((i64)c.at[2]));
#pragma unroll
    for (u32 k = 0; k < 8; k++) x[k].v1 = piece.values[k];
  }
  {
    const gr_tile_values<gr_bf16, 8> piece = *(const gr_tile_values<gr_bf16, 8>*)(in.p2 + ((i64)c.at[1] * in.s2[1] + (i64)c.at[2]));
#pragma unroll
    for (u32 k = 0; k < 8; k++) x[k].v2 = piece.values[k];
  }
}

static __device__ __forceinline__ gr_values gr_load_at(const gr_inputs& in, const u64 i, const gr_coordinates& c) {
  gr_values x;
  x.v1 = in.p1[(i64)c.at[2]];
  x.v2 = in.p2[(i64)c.at[1] * in.s2[1] + (i64)c.at[2]];
  return x;
}

static __device__ __forceinline__ gr_values gr_load(const gr_inputs& in, const u64 i) {
  return gr_load_at(in, i, gr_coordinates_of(i, in.extents));
}

static __device__ __forceinline__ gr_item gr_compute(const gr_inputs& in, const gr_values& x) {
  const auto r0 = cast(x.v0);
  const auto r1 = add(r0, x.v1);
  const auto r2 = cast_2(r1);
  const auto r3 = mul(r2, x.v2);
  return r3;
}

static __device__ __forceinline__ gr_item gr_element(const gr_inputs& in, const u64 i) {
  return gr_compute(in, gr_load(in, i));
}

// What becomes of the elements of a tile of the product.
struct gr_following {
  const gr_inputs& in;
  gr_coordinates first;
  __device__ __forceinline__ gr_coordinates at(u32 row, u32 column) const {
    gr_coordinates c = first;
    c.at[1] += row;
    c.at[2] += column;
    return c;
  }
  // What a piece of a row is computed from, besides the product.
  struct beside {
    gr_values x[8];
  };
  __device__ __forceinline__ void load(u32 row, u32 column, beside& piece) const { gr_load_piece(in, at(row, column), piece.x); }
  __device__ __forceinline__ void of_piece(beside& piece, const gr_bf16* product, gr_bf16* results) const {
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
      piece.x[k].v0 = product[k];
      results[k] = gr_compute(in, piece.x[k]);
    }
  }
  __device__ __forceinline__ gr_bf16 of_element(u32 row, u32 column, gr_bf16 product) const {
    gr_values x = gr_load_at(in, 0, at(row, column));
    x.v0 = product;
    return gr_compute(in, x);
  }
};

typedef gr_tile_chain<gr_bf16, gr_bf16, 128, 64, 256, 256, false> gr_chain;

extern "C" __global__ void __launch_bounds__(256)
product_mul(const gr_bf16* __restrict__ a, gr_layout<3> a_layout, const gr_bf16* __restrict__ b, gr_layout<3> b_layout, const gr_inputs in, gr_bf16* __restrict__ c, gr_layout<3> c_layout) {
  gr_wait_for_previous();
  const gr_tile_order order(c_layout.shape[1], c_layout.shape[2], 128, 256);
  const auto pair = [&](const usize number, const usize k) {
    const auto [matrix, i, j] = order.at(number);
    return gr_tile_pair_of(gr_tile_at<128, 64, 256>(a, a_layout, matrix, i, k), gr_tile_at<64, 256, 256>(b, b_layout, matrix, k, j));
  };
  const auto finish = [&](const usize number, const gr_tile<f32, 128, 256, 256>& sum) {
    const auto [matrix, i, j] = order.at(number);
    gr_following following = {in};
    following.first.at[0] = matrix, following.first.at[1] = i * 128, following.first.at[2] = j * 256;
    gr_tile_store_each<gr_chain>(gr_tile_at<128, 256, 256>(c, c_layout, matrix, i, j), gr_tile_map<gr_tile<gr_bf16, 128, 256, 256>>(gr_tile_cast<gr_bf16>(), sum), following);
  };
  gr_tile_run_chain(gr_chain(), order.count(c_layout.shape[0]), a_layout.shape[2], pair, finish);
}
extern "C" __device__ const u32 gr_tile_bytes_of_product_mul = gr_chain::memory;
