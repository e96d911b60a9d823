struct gr_bins {
  u64 count;
  f64 first, last, step, scale, margin;
};

// Where a bin begins. Not contracted, so that it is the edge that the CPU has.
static __device__ __noinline__ gr_real gr_edge(const gr_bins& bins, const i64 bin) {
  return (gr_real)(bin == (i64)bins.count ? bins.last : __dadd_rn(__dmul_rn((f64)bin, bins.step), bins.first));
}

// The bin by comparison with the edges around a guess.
static __device__ __noinline__ u64 gr_search(const gr_bins& bins, const gr_real value, const gr_real guess) {
  const i64 most = (i64)bins.count - 1;
  i64 bin = guess >= (gr_real)most ? most : guess > 0 ? (i64)guess : 0;
  while (bin > 0 && value < gr_edge(bins, bin)) --bin;
  while (bin < most && value >= gr_edge(bins, bin + 1)) ++bin;
  return (u64)bin;
}

// The bin of a value, or as many as there are bins for one in none.
static __device__ __forceinline__ u64 gr_bin(const gr_bins& bins, const gr_item item) {
  const gr_real value = (gr_real)item;
  if (!(value >= (gr_real)bins.first && value <= (gr_real)bins.last)) return bins.count;
  const gr_real guess = (value - (gr_real)bins.first) * (gr_real)bins.scale;
  const gr_real margin = (gr_real)bins.margin;
  const i64 bin = (i64)guess;
  const gr_real inside = guess - (gr_real)bin;
  // So far from both edges that no rounding matters.
  if (inside > margin && inside < 1 - margin && bin < (i64)bins.count) return (u64)bin;
  return gr_search(bins, value, guess);
}

