// The largest value of an index in a loop, or the largest number of all if that is not certain to be below it. `least`: the smallest value.
static __device__ __forceinline__ usize gr_most_sum(usize a, usize b) { return a + b < a ? ~0ull : a + b; }
static __device__ __forceinline__ usize gr_most_product(usize a, usize b) { return __umul64hi(a, b) != 0 ? ~0ull : a * b; }
static __device__ __forceinline__ usize gr_most_difference(usize a, usize least_a, usize b, usize least_b) {
  return a == ~0ull || least_a < b ? ~0ull : a - least_b;
}
