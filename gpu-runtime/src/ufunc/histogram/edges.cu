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

// The bin by comparison with the edges around a guess. All by value: the parameters of a kernel have no address in registers.
static __device__ __noinline__ u64 gr_search(
    const gr_real value, const gr_real guess, const i64 count, const f64 first, const f64 last, const f64 step) {
  const i64 most = count - 1;
  i64 bin = guess >= (gr_real)most ? most : guess > 0 ? (i64)guess : 0;
  while (bin > 0 && value < gr_edge(bin, count, first, last, step)) --bin;
  while (bin < most && value >= gr_edge(bin + 1, count, first, last, step)) ++bin;
  return (u64)bin;
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
  if (!(value >= bins.from && value <= bins.to)) return (gr_number)bins.count;
  const gr_real guess = (value - bins.from) * bins.scale;
#if GR_COUNTERS
  // Conversions of floats to integers, which are slow, are not needed for few bins.
  const gr_real sum = guess + gr_rounder(guess);
  const gr_real inside = guess - (sum - gr_rounder(guess));
  const u32 bin = (u32)(gr_last_bits(sum) - (inside < 0));
  // So far from the nearest edge that no rounding matters.
  if (fabs(inside) > bins.margin && bin < (u32)bins.count) return bin;
#else
  const i64 bin = (i64)guess;
  const gr_real inside = guess - (gr_real)bin;
  // So far from both edges that no rounding matters.
  if (inside > bins.margin && inside < 1 - bins.margin && bin < (i64)bins.count) return (u64)bin;
#endif
  return (gr_number)gr_search(value, guess, (i64)bins.count, bins.first, bins.last, bins.step);
}

