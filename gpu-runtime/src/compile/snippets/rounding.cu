// Arithmetic that rounds in a direction. The compiler fuses none of it.
#define GR_ROUNDING(DIRECTION, MODE) \
  static __device__ __forceinline__ f32 gr_add_##DIRECTION(f32 a, f32 b) { return __fadd_##MODE(a, b); } \
  static __device__ __forceinline__ f64 gr_add_##DIRECTION(f64 a, f64 b) { return __dadd_##MODE(a, b); } \
  static __device__ __forceinline__ f32 gr_sub_##DIRECTION(f32 a, f32 b) { return __fsub_##MODE(a, b); } \
  static __device__ __forceinline__ f64 gr_sub_##DIRECTION(f64 a, f64 b) { return __dsub_##MODE(a, b); } \
  static __device__ __forceinline__ f32 gr_mul_##DIRECTION(f32 a, f32 b) { return __fmul_##MODE(a, b); } \
  static __device__ __forceinline__ f64 gr_mul_##DIRECTION(f64 a, f64 b) { return __dmul_##MODE(a, b); } \
  static __device__ __forceinline__ f32 gr_mul_add_##DIRECTION(f32 a, f32 b, f32 c) { return __fmaf_##MODE(a, b, c); } \
  static __device__ __forceinline__ f64 gr_mul_add_##DIRECTION(f64 a, f64 b, f64 c) { return __fma_##MODE(a, b, c); } \
  static __device__ __forceinline__ f32 gr_div_##DIRECTION(f32 a, f32 b) { return __fdiv_##MODE(a, b); } \
  static __device__ __forceinline__ f64 gr_div_##DIRECTION(f64 a, f64 b) { return __ddiv_##MODE(a, b); } \
  static __device__ __forceinline__ f32 gr_recip_##DIRECTION(f32 a) { return __frcp_##MODE(a); } \
  static __device__ __forceinline__ f64 gr_recip_##DIRECTION(f64 a) { return __drcp_##MODE(a); } \
  static __device__ __forceinline__ f32 gr_sqrt_##DIRECTION(f32 a) { return __fsqrt_##MODE(a); } \
  static __device__ __forceinline__ f64 gr_sqrt_##DIRECTION(f64 a) { return __dsqrt_##MODE(a); }
GR_ROUNDING(round_nearest, rn)
GR_ROUNDING(round_up, ru)
GR_ROUNDING(round_down, rd)
GR_ROUNDING(round_to_zero, rz)
#undef GR_ROUNDING
