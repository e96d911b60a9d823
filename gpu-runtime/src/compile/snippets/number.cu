// What integers and floats have under one name, picked by the type of the operands: for values of a type parameter.
static __device__ __forceinline__ f32 gr_min(f32 a, f32 b) { return fminf(a, b); }
static __device__ __forceinline__ f64 gr_min(f64 a, f64 b) { return fmin(a, b); }
static __device__ __forceinline__ f32 gr_max(f32 a, f32 b) { return fmaxf(a, b); }
static __device__ __forceinline__ f64 gr_max(f64 a, f64 b) { return fmax(a, b); }
template <class T> static __device__ __forceinline__ T gr_abs(T a) { return gr_wrapping_abs(a); }
static __device__ __forceinline__ f32 gr_abs(f32 a) { return fabsf(a); }
static __device__ __forceinline__ f64 gr_abs(f64 a) { return fabs(a); }
