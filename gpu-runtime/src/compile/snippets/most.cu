// The largest value of an index in a loop, or the largest number of all if that is not certain to be below it. `least`: the smallest value.
static __device__ __forceinline__ usize gr_most_sum(usize a, usize b) { return a + b < a ? ~0ull : a + b; }
// By halves, of which the compiler sees that the product of two words of 32 bits fits.
static __device__ __forceinline__ usize gr_most_product(usize a, usize b) {
  const usize high_a = a >> 32, high_b = b >> 32, low = (usize)(u32)a * (u32)b;
  const bool fits = (high_a == 0 || high_b == 0) && (high_a * (u32)b + high_b * (u32)a + (low >> 32)) >> 32 == 0;
  return fits ? a * b : ~0ull;
}
static __device__ __forceinline__ usize gr_most_difference(usize a, usize least_a, usize b, usize least_b) {
  return a == ~0ull || least_a < b ? ~0ull : a - least_b;
}
