// Rust's ().
struct gr_unit {};
static __device__ __forceinline__ bool operator==(gr_unit, gr_unit) { return true; }
static __device__ __forceinline__ bool operator<(gr_unit, gr_unit) { return false; }
