// The low half of an index below 2^32. The compiler must not know what it is the half of: it would shift and mask 64 bits for the address, in
// four instructions, which takes one that multiplies 32.
static __device__ __forceinline__ u32 gr_low_half(usize index) {
  u32 low = (u32)index;
  asm("" : "+r"(low));
  return low;
}
