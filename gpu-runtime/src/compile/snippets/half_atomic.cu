// Atomics of floats of 16 bits: by the words that they lie in, but for the additions that the hardware has.
template <class F> struct gr_atomic_narrow<gr_half<F>> {
  static __device__ __forceinline__ gr_half<F> of(u16 bits) { return gr_half<F>::of(bits); }
  static __device__ __forceinline__ u16 bits(gr_half<F> value) { return value.bits; }
};
#ifdef __CUDACC_RTC__
#define GR_ADD(TYPE) \
  if constexpr (S == gr_block) asm volatile("atom.cta.add.noftz." TYPE " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.bits) : "memory"); \
  else if constexpr (S == gr_device) asm volatile("atom.gpu.add.noftz." TYPE " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.bits) : "memory"); \
  else asm volatile("atom.sys.add.noftz." TYPE " %0, [%1], %2;" : "=h"(old) : "l"(p), "h"(v.bits) : "memory"); \
  return gr_half<F>::of(old);
#endif
template <gr_scope S = gr_device, class F>
static __device__ __forceinline__ gr_half<F> gr_atomic_add(gr_half<F>* p, gr_atomic_value<gr_half<F>> v) {
#ifdef __CUDACC_RTC__
  u16 old;
#if __CUDA_ARCH__ >= 700
  if constexpr (F::exponent_bits == 5) { GR_ADD("f16") }
#endif
#if __CUDA_ARCH__ >= 900
  if constexpr (F::exponent_bits == 8) { GR_ADD("bf16") }
#endif
#endif
  return gr_atomic_update<S>(p, [=](gr_half<F> old) { return old + v; });
}
#ifdef __CUDACC_RTC__
#undef GR_ADD
#endif
template <gr_scope S = gr_device, class F>
static __device__ __forceinline__ gr_half<F> gr_atomic_sub(gr_half<F>* p, gr_atomic_value<gr_half<F>> v) {
  return gr_atomic_add<S>(p, -v);
}
template <gr_scope S = gr_device, class F>
static __device__ __forceinline__ gr_half<F> gr_atomic_min(gr_half<F>* p, gr_atomic_value<gr_half<F>> v) {
  return gr_atomic_update<S>(p, [=](gr_half<F> old) { return gr_min(old, v); });
}
template <gr_scope S = gr_device, class F>
static __device__ __forceinline__ gr_half<F> gr_atomic_max(gr_half<F>* p, gr_atomic_value<gr_half<F>> v) {
  return gr_atomic_update<S>(p, [=](gr_half<F> old) { return gr_max(old, v); });
}
