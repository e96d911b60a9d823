// Sine, cosine and tangent of f32: the nearest multiple of a quarter turn is subtracted, and polynomials do the rest.
// CUDA's sinf and cosf are as accurate, but from 105615 on each reduces its argument in a slow loop. Here the angle is a
// value of its own, so that functions of one argument share it, and with it both polynomials.
//
// Every rounding is that of one operation or of an explicit fma, so contraction cannot change a bit.
struct gr_angle {
  f32 rest;      // what is left, within pi/4 and 0.006 beyond
  u32 quadrant;  // how many quarter turns were subtracted, in its two lowest bits
};
// By Cody and Waite: pi/2 is a sum of floats, each what those before it leave, rounded (down, as a product with a negative
// one would make 0 of -0). Adding 1.5 * 2^23 rounds to an integer and leaves it in the lowest bits. Below 2^17 the first
// step is exact: turns is 0, or a and the product are multiples of 2^-24 and less than 1 apart. Beyond, f64 does the same
// and is exact in this way up to 2^30. Many GPUs have little f64, so it stays behind a branch.
static __device__ __forceinline__ gr_angle gr_reduce(f32 a) {
  if (fabsf(a) < 0x1p17f) {
    const f32 shifted = fmaf(a, 0x1.45f306p-1f, 0x1.8p23f);
    const f32 turns = shifted - 0x1.8p23f;
    f32 rest = fmaf(-turns, 0x1.921fb4p+0f, a);
    rest = fmaf(-turns, 0x1.4442d0p-24f, rest);
    rest = fmaf(-turns, 0x1.84698ap-48f, rest);
    return {rest, __float_as_uint(shifted)};
  }
  const f64 shifted = fma((f64)a, 0x1.45f306dc9c883p-1, 0x1.8p52);
  const f64 turns = shifted - 0x1.8p52;
  f64 rest = fma(-turns, 0x1.921fb54442d18p+0, (f64)a);
  rest = fma(-turns, 0x1.1a62633145c07p-54, rest);
  return {(f32)rest, (u32)(u64)__double_as_longlong(shifted)};
}
// Minimax polynomials by Remez's algorithm, fitted anew to the rest after each coefficient that is rounded.
static __device__ __forceinline__ f32 gr_sin_near_zero(f32 a) {
  const f32 square = a * a;
  f32 sum = fmaf(2.826345e-06f, square, -0.00019852562f);
  sum = fmaf(sum, square, 0.0083333785f);
  sum = fmaf(sum, square, -0.16666667f);
  // + 0.0f: the cube of -0 must be 0 for its sine to be -0.
  return fmaf(sum, fmaf(a, square, 0.0f), a);
}
static __device__ __forceinline__ f32 gr_cos_near_zero(f32 a) {
  const f32 square = a * a;
  f32 sum = fmaf(2.443075e-05f, square, -0.0013887301f);
  sum = fmaf(sum, square, 0.041666646f);
  sum = fmaf(sum, square, -0.5f);
  return fmaf(sum, square, 1.0f);
}
// The sine of the angle and `turns` quarter turns more. Both polynomials cost less than a branch between them.
static __device__ __forceinline__ f32 gr_wave(gr_angle angle, u32 turns) {
  const f32 sine = gr_sin_near_zero(angle.rest);
  const f32 cosine = gr_cos_near_zero(angle.rest);
  const u32 quadrant = angle.quadrant + turns;
  const f32 size = (quadrant & 1) != 0 ? cosine : sine;
  return __uint_as_float(__float_as_uint(size) ^ (quadrant & 2) << 30);
}
static __device__ __forceinline__ f32 gr_slope(gr_angle angle) {
  const f32 sine = gr_sin_near_zero(angle.rest);
  const f32 cosine = gr_cos_near_zero(angle.rest);
  const bool odd = (angle.quadrant & 1) != 0;
  return (odd ? cosine : sine) / (odd ? -sine : cosine);
}
// Of numbers that gr_reduce does not reach, infinities and NaN, CUDA's functions. With fast math of all numbers: then they are
// the hardware's.
#ifdef GR_FAST_MATH
static __device__ __forceinline__ bool gr_reaches(f32) { return false; }
#else
static __device__ __forceinline__ bool gr_reaches(f32 a) { return fabsf(a) < 0x1p30f; }
#endif
static __device__ __forceinline__ f32 gr_sin(f32 a, gr_angle angle) {
  f32 result = gr_wave(angle, 0);
  if (!gr_reaches(a)) result = sinf(a);
  return result;
}
static __device__ __forceinline__ f32 gr_cos(f32 a, gr_angle angle) {
  f32 result = gr_wave(angle, 1);
  if (!gr_reaches(a)) result = cosf(a);
  return result;
}
static __device__ __forceinline__ f32 gr_tan(f32 a, gr_angle angle) {
  f32 result = gr_slope(angle);
  if (!gr_reaches(a)) result = tanf(a);
  return result;
}
static __device__ __forceinline__ gr_tuple2<f32, f32> gr_sin_cos(f32 a, gr_angle angle) {
  gr_tuple2<f32, f32> result = {gr_wave(angle, 0), gr_wave(angle, 1)};
  if (!gr_reaches(a)) sincosf(a, &result._0, &result._1);
  return result;
}
static __device__ __forceinline__ f32 gr_sin(f32 a) { return gr_sin(a, gr_reduce(a)); }
static __device__ __forceinline__ f32 gr_cos(f32 a) { return gr_cos(a, gr_reduce(a)); }
static __device__ __forceinline__ f32 gr_tan(f32 a) { return gr_tan(a, gr_reduce(a)); }
static __device__ __forceinline__ gr_tuple2<f32, f32> gr_sin_cos(f32 a) { return gr_sin_cos(a, gr_reduce(a)); }
