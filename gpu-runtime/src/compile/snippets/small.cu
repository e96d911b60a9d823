// Sums, differences and products that are below 2^31, as are their operands. The compiler knows that numbers with a sign do not wrap around, so it
// adds to addresses where it would multiply.
static __device__ __forceinline__ u32 gr_small_add(u32 a, u32 b) { return (u32)((i32)a + (i32)b); }
static __device__ __forceinline__ u32 gr_small_sub(u32 a, u32 b) { return (u32)((i32)a - (i32)b); }
static __device__ __forceinline__ u32 gr_small_mul(u32 a, u32 b) { return (u32)((i32)a * (i32)b); }
