struct gr_partition {
  // The shape as [outer, reduced, inner].
  u64 outer;
  u64 reduced;
  u64 inner;
};

// Short columns: a thread folds one by itself, and neighbouring threads have neighbouring ones. There may be more columns than
// a grid has threads.
static __device__ __forceinline__ void gr_reduction(const gr_inputs& in, const gr_outputs& out, const gr_partition& part) {
  const u64 results = part.outer * part.inner, threads = (u64)gridDim.x * GR_BLOCK;
  for (u64 result = (u64)blockIdx.x * GR_BLOCK + threadIdx.x; result < results; result += threads) {
    // The quotient of 64 bits takes longer than to fold a few elements.
    const u64 number = part.outer == 1 ? 0 : result / part.inner;
    const u64 above = number * part.reduced, column = result - number * part.inner;
    gr_store(out, result, gr_fold(in, above * part.inner + column, part.inner, (above + part.reduced) * part.inner));
  }
}
