// The trigonometric functions of f64, for values of a type parameter, which `trig` has for f32 (and `float` for both at once).
static __device__ __forceinline__ f64 gr_sin(f64 a) { return sin(a); }
static __device__ __forceinline__ f64 gr_cos(f64 a) { return cos(a); }
static __device__ __forceinline__ f64 gr_tan(f64 a) { return tan(a); }
