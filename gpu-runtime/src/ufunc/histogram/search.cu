// The bin by comparison with the edges around a guess. All by value: the parameters of a kernel have no address in registers.
static __device__ __noinline__ u64 gr_search(
    const gr_real value, const gr_real guess, const i64 count, const f64 first, const f64 last, const f64 step) {
  const i64 most = count - 1;
  i64 bin = guess >= (gr_real)most ? most : guess > 0 ? (i64)guess : 0;
  while (bin > 0 && value < gr_edge(bin, count, first, last, step)) --bin;
  while (bin < most && value >= gr_edge(bin + 1, count, first, last, step)) ++bin;
  return (u64)bin;
}

// The bin of a value, or as many as there are bins for one in none.
static __device__ __forceinline__ gr_number gr_bin(const gr_bins& bins, const gr_edges&, const gr_item item) {
  const gr_real value = (gr_real)item;
  if (!(value >= bins.from && value <= bins.to)) return (gr_number)bins.count;
  const gr_real guess = (value - bins.from) * bins.scale;
  const i64 bin = (i64)guess;
  const gr_real inside = guess - (gr_real)bin;
  // So far from both edges that no rounding matters.
  if (inside > bins.margin && inside < 1 - bins.margin && bin < (i64)bins.count) return (gr_number)bin;
  return (gr_number)gr_search(value, guess, (i64)bins.count, bins.first, bins.last, bins.step);
}

