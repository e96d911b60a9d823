struct gr_bins {
  u64 count;
  f64 first, last, step, scale, margin;
};

// Where a bin begins. Not contracted, so that it is the edge that the CPU has.
static __device__ __forceinline__ gr_real gr_edge(const gr_bins& bins, const i64 bin) {
  return (gr_real)(bin == (i64)bins.count ? bins.last : __dadd_rn(__dmul_rn((f64)bin, bins.step), bins.first));
}

// The bin by comparison with the edges around a guess.
static __device__ __noinline__ gr_number gr_search(const gr_bins& bins, const gr_real value, const gr_real guess) {
  const i64 most = (i64)bins.count - 1;
  i64 bin = guess >= (gr_real)most ? most : guess > 0 ? (i64)guess : 0;
  while (bin > 0 && value < gr_edge(bins, bin)) --bin;
  while (bin < most && value >= gr_edge(bins, bin + 1)) ++bin;
  return (gr_number)bin;
}

#if GR_COUNTERS
// A number whose sum with a small one has the nearest integer in its last bits.
static __device__ __forceinline__ f32 gr_rounder(const f32) { return 12582912.0f; }
static __device__ __forceinline__ f64 gr_rounder(const f64) { return 6755399441055744.0; }
static __device__ __forceinline__ i32 gr_last_bits(const f32 sum) { return __float_as_int(sum) - 0x4b400000; }
static __device__ __forceinline__ i32 gr_last_bits(const f64 sum) { return __double2loint(sum); }
#endif

// The bin of a value, or as many as there are bins for one in none.
static __device__ __forceinline__ gr_number gr_bin(const gr_bins& bins, const gr_item item) {
  const gr_real value = (gr_real)item;
  if (!(value >= (gr_real)bins.first && value <= (gr_real)bins.last)) return (gr_number)bins.count;
  const gr_real guess = (value - (gr_real)bins.first) * (gr_real)bins.scale;
  const gr_real margin = (gr_real)bins.margin;
#if GR_COUNTERS
  // Conversions of floats to integers, which are slow, are not needed for few bins.
  const gr_real sum = guess + gr_rounder(guess);
  const gr_real inside = guess - (sum - gr_rounder(guess));
  const u32 bin = (u32)(gr_last_bits(sum) - (inside < 0));
  // So far from the nearest edge that no rounding matters; else the comparison with that edge decides, and every other edge is farther.
  if (fabs(inside) > margin && bin < (u32)bins.count) return bin;
  if (margin < (gr_real)0.25) {
    const i32 edge = gr_last_bits(sum);
    const i32 exact = edge - (value < gr_edge(bins, edge));
    return exact < (i32)bins.count ? (u32)exact : (u32)bins.count - 1;
  }
#else
  const i64 bin = (i64)guess;
  const gr_real inside = guess - (gr_real)bin;
  // So far from both edges that no rounding matters.
  if (inside > margin && inside < 1 - margin && bin < (i64)bins.count) return (u64)bin;
#endif
  return gr_search(bins, value, guess);
}

