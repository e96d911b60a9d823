// Clocks, and waiting by them.
static __device__ __forceinline__ void gr_nanosleep(u32 duration) {
#if __CUDA_ARCH__ >= 700
  __nanosleep(duration);
#else
  (void)duration;
#endif
}
static __device__ __forceinline__ u64 gr_clock_cycles() { return (u64)clock64(); }
static __device__ __forceinline__ u64 gr_global_timer_ns() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
