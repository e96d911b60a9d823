// A round of a loop that may never end. C++ may assume that each loop ends which has no visible effect; this is one, and costs nothing.
static __device__ __forceinline__ void gr_round() { asm volatile(""); }
