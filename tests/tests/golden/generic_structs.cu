static __device__ f32 Pair_total(Pair self) {
  return gr_wrapping_add(self.a, self.b);
}

static __device__ u8 Pair_total(Pair self) {
  return gr_wrapping_add(self.a, self.b);
}

extern "C" __global__ void generic_structs(const Pair* __restrict__ x, usize x_len, Pair* n, usize n_len, Pair* tagged, usize tagged_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < x_len && i < n_len && i < tagged_len) {
    const decltype(gr_output(Pair_total)) value_2 = Pair_total(x[i]);
    const decltype(gr_output(Pair_total)) value_3 = Pair_total(n[i]);
    Pair value;
    value.a = gr_cast<u8>(value_2);
    value.b = value_3;
    n[i] = value;
    tagged[i] = Pair{gr_tuple2<u8, u64>{(u8)1, 2ull}, gr_tuple2<u8, u64>{(u8)3, 4ull}};
    tagged[i].b._0 = gr_wrapping_add(tagged[i].b._0, n[i].a);
  }
}
