// Few bins, and guesses that are wrong by less than half a bin. Conversions of floats to integers, which are slow, are not needed.

// A number whose sum with a small one has the nearest integer in its last bits.
static __device__ __forceinline__ f32 gr_rounder(const f32) { return 12582912.0f; }
static __device__ __forceinline__ f64 gr_rounder(const f64) { return 6755399441055744.0; }
static __device__ __forceinline__ u32 gr_last_bits(const f32 sum) { return (u32)__float_as_int(sum) - 0x4b400000u; }
static __device__ __forceinline__ u32 gr_last_bits(const f64 sum) { return (u32)__double2loint(sum); }

// Where bins begin, and then a number that no value reaches, because the last bin includes its end. In shared memory.
typedef gr_real gr_edges[GR_COUNTERS + 1];

static __device__ __forceinline__ void gr_fill_edges(gr_edges& edges, const gr_bins& bins) {
  for (u32 bin = threadIdx.x; bin < bins.count; bin += 256) edges[bin] = gr_edge(bin, bins.count, bins.first, bins.last, bins.step);
  if (threadIdx.x == 0) edges[bins.count] = (gr_real)(1.0 / 0.0);
}

// The bin of a value, or as many as there are bins for one in none. Without branches: the threads of a warp stay together.
static __device__ __forceinline__ gr_number gr_bin(const gr_bins& bins, const gr_edges& edges, const gr_item item) {
  const gr_real value = (gr_real)item;
  const bool is_inside = value >= bins.from && value <= bins.to;
  const gr_real guess = (value - bins.from) * bins.scale;
  const gr_real sum = guess + gr_rounder(guess);
  const gr_real beyond = guess - (sum - gr_rounder(guess));
  const u32 count = (u32)bins.count, nearest = is_inside ? min(gr_last_bits(sum), count) : count;
  bool is_before = beyond < 0;
  // So close to an edge that rounding matters.
  if (fabs(beyond) <= bins.margin) is_before = value < edges[nearest];
  return is_inside ? nearest - is_before : count;
}

