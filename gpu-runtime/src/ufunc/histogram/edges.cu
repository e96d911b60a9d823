struct gr_bins {
  u64 count;
  f64 first, last, step;
  // The first two in the precision of the elements, the number of bins in one unit of the value, and the largest error of a guess.
  alignas(8) gr_real from;
  alignas(8) gr_real to;
  alignas(8) gr_real scale;
  alignas(8) gr_real margin;
};

// Where a bin begins. Not contracted, so that it is the edge that the CPU has.
static __device__ __forceinline__ gr_real gr_edge(const i64 bin, const i64 count, const f64 first, const f64 last, const f64 step) {
  return (gr_real)(bin == count ? last : __dadd_rn(__dmul_rn((f64)bin, step), first));
}

