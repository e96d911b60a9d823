extern "C" __global__ void assembly(const u32* __restrict__ x, usize x_len, u64* out, usize out_len) {
  gr_wait_for_previous();
  __builtin_assume(threadIdx.x < 128);
  const usize i = (usize)blockIdx.x * (usize)128 + threadIdx.x;
  if (i < x_len && i < out_len) {
    u32 y;
    {
      u32 result;
      asm("brev.b32 %0, %1;" : "=r"(result) : "r"(x[i]));
      y = result;
    }
    gr_tuple2<u32, u32> value;
    {
      u32 result_2;
      u32 result_3;
      asm volatile("mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3;" : "=r"(result_2), "=r"(result_3) : "r"(y), "r"(7u) : "memory");
      value = gr_tuple2<u32, u32>{result_2, result_3};
    }
    const u32 low = value._0;
    const u32 high = value._1;
    {
      asm volatile("membar.gl; // 100%%" :  :  : "memory");
    }
    out[i] = ((u64)high << 32) | (u64)low;
  }
}
