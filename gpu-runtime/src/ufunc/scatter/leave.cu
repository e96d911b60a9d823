// Leaves a key without a value. The next launch trusts the keys, so they are there before anything can end the thread: then the values are
// missing, and each run is still a run.
static __device__ __forceinline__ void gr_leave_key(const gr_partials& partials, const u64 place, const gr_key key) {
  partials.keys[place] = key;
  partials.there[place] = 0;
}

// Leaves a value, of the key at this place.
static __device__ __forceinline__ void gr_leave(const gr_partials& partials, const u64 place, const gr_value& value) {
  partials.values[place] = value;
  partials.there[place] = 1;
}

