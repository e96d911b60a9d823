// A table without values. The next launch trusts that, so it is there before anything can end the thread: then values are missing.
static __device__ __forceinline__ void gr_leave_none(const gr_partials& partials, const u64 table, const u32 place, const gr_key bucket) {
  if (place == 0) partials.keys[table] = bucket;
  partials.there[table * GR_TABLE + place] = 0;
}

static __device__ __forceinline__ void gr_leave(const gr_partials& partials, const u64 table, const u32 place, const gr_value& value) {
  partials.values[table * GR_TABLE + place] = value;
  partials.there[table * GR_TABLE + place] = 1;
}

