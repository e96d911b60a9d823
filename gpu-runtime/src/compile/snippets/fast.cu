// Functions of a few instructions, for f32. There are none for f64, which has the accurate ones.
static __device__ __forceinline__ f32 gr_fast_sin(f32 a) { return __sinf(a); }
static __device__ __forceinline__ f64 gr_fast_sin(f64 a) { return sin(a); }
static __device__ __forceinline__ f32 gr_fast_cos(f32 a) { return __cosf(a); }
static __device__ __forceinline__ f64 gr_fast_cos(f64 a) { return cos(a); }
static __device__ __forceinline__ f32 gr_fast_tan(f32 a) { return __tanf(a); }
static __device__ __forceinline__ f64 gr_fast_tan(f64 a) { return tan(a); }
static __device__ __forceinline__ f32 gr_fast_exp(f32 a) { return __expf(a); }
static __device__ __forceinline__ f64 gr_fast_exp(f64 a) { return exp(a); }
// CUDA has no function for this instruction.
static __device__ __forceinline__ f32 gr_fast_exp2(f32 a) {
  f32 power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(a));
  return power;
}
static __device__ __forceinline__ f64 gr_fast_exp2(f64 a) { return exp2(a); }
static __device__ __forceinline__ f32 gr_fast_exp10(f32 a) { return __exp10f(a); }
static __device__ __forceinline__ f64 gr_fast_exp10(f64 a) { return exp10(a); }
static __device__ __forceinline__ f32 gr_fast_ln(f32 a) { return __logf(a); }
static __device__ __forceinline__ f64 gr_fast_ln(f64 a) { return log(a); }
static __device__ __forceinline__ f32 gr_fast_log2(f32 a) { return __log2f(a); }
static __device__ __forceinline__ f64 gr_fast_log2(f64 a) { return log2(a); }
static __device__ __forceinline__ f32 gr_fast_log10(f32 a) { return __log10f(a); }
static __device__ __forceinline__ f64 gr_fast_log10(f64 a) { return log10(a); }
static __device__ __forceinline__ f32 gr_fast_powf(f32 a, f32 b) { return __powf(a, b); }
static __device__ __forceinline__ f64 gr_fast_powf(f64 a, f64 b) { return pow(a, b); }
static __device__ __forceinline__ f32 gr_fast_div(f32 a, f32 b) { return __fdividef(a, b); }
static __device__ __forceinline__ f64 gr_fast_div(f64 a, f64 b) { return a / b; }
// Nor for this one.
static __device__ __forceinline__ f32 gr_fast_sqrt(f32 a) {
  f32 root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(a));
  return root;
}
static __device__ __forceinline__ f64 gr_fast_sqrt(f64 a) { return sqrt(a); }
