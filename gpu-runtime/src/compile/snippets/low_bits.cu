// Whether the bits of `mask` are the same in both: one instruction that sets a predicate. Of a comparison that it can follow, the compiler makes
// two or three that wait for each other.
static __device__ __forceinline__ bool gr_equal_bits(u32 a, u32 b, u32 mask) {
  u32 different = (a ^ b) & mask;
  asm("" : "+r"(different));
  return different == 0u;
}
