// Lets the threads go on that this one waits for.
static __device__ __forceinline__ void gr_spin_loop() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(20);
#endif
}
