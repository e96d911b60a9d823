// Enough of CUDA for generated kernels to compile as C++17. No header is included: what generated code does not get from
// NVRTC it does not get here either, and no macro of the C library can collide with a name.
#pragma once

#define __global__ static
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

struct shim_coordinates {
  unsigned x, y, z;
};
extern shim_coordinates threadIdx, blockIdx, blockDim, gridDim;

// Switches to the block's next thread; returns when every thread has arrived.
void shim_barrier();
// Ends this thread.
[[noreturn]] void shim_exit();
// Calls `kernel(arguments)` once for every thread of the grid.
void shim_run(void (*kernel)(void**), void** arguments, const shim_coordinates* grid, const shim_coordinates* block);

#define __syncthreads() shim_barrier()

static inline void __threadfence_system() {}

static inline unsigned atomicCAS(unsigned* address, unsigned expected, unsigned desired) {
  const unsigned old = *address;
  if (old == expected) *address = desired;
  return old;
}

template <class T> static inline T atomicAdd(T* address, T value) {
  const T old = *address;
  *address = old + value;
  return old;
}

template <class To, class From> static inline To shim_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
static inline unsigned __float_as_uint(float a) { return shim_bits<unsigned>(a); }
static inline float __uint_as_float(unsigned a) { return shim_bits<float>(a); }
static inline long long __double_as_longlong(double a) { return shim_bits<long long>(a); }
static inline double __longlong_as_double(long long a) { return shim_bits<double>(a); }

static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
static inline int __ffsll(long long a) { return __builtin_ffsll(a); }
static inline unsigned long long __brevll(unsigned long long a) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; i++) reversed |= ((a >> i) & 1ull) << (63 - i);
  return reversed;
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned amount) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (amount & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned amount) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (amount & 31));
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selectors) {
  const unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) result |= (unsigned)(bytes >> 8 * (selectors >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }

#define SHIM_LOAD(name) template <class T> static inline T name(const T* address) { return *address; }
#define SHIM_STORE(name) template <class T> static inline void name(T* address, T value) { *address = value; }
SHIM_LOAD(__ldca) SHIM_LOAD(__ldcg) SHIM_LOAD(__ldcs) SHIM_LOAD(__ldlu) SHIM_LOAD(__ldcv)
SHIM_STORE(__stwb) SHIM_STORE(__stcg) SHIM_STORE(__stcs) SHIM_STORE(__stwt)
#undef SHIM_LOAD
#undef SHIM_STORE

// A clock that advances whenever somebody looks.
extern unsigned long long shim_time;
static inline long long clock64() { return (long long)++shim_time; }

#define SHIM_MATH1(name) float name##f(float); double name(double);
#define SHIM_MATH2(name) float name##f(float, float); double name(double, double);
extern "C" {
SHIM_MATH1(sin) SHIM_MATH1(cos) SHIM_MATH1(tan) SHIM_MATH1(asin) SHIM_MATH1(acos) SHIM_MATH1(atan)
SHIM_MATH1(sinh) SHIM_MATH1(cosh) SHIM_MATH1(tanh) SHIM_MATH1(asinh) SHIM_MATH1(acosh) SHIM_MATH1(atanh)
SHIM_MATH1(exp) SHIM_MATH1(exp2) SHIM_MATH1(expm1) SHIM_MATH1(log) SHIM_MATH1(log2) SHIM_MATH1(log10) SHIM_MATH1(log1p)
SHIM_MATH1(sqrt) SHIM_MATH1(cbrt) SHIM_MATH1(fabs)
SHIM_MATH1(floor) SHIM_MATH1(ceil) SHIM_MATH1(round) SHIM_MATH1(rint) SHIM_MATH1(trunc)
SHIM_MATH2(atan2) SHIM_MATH2(hypot) SHIM_MATH2(pow) SHIM_MATH2(fmod) SHIM_MATH2(fmin) SHIM_MATH2(fmax) SHIM_MATH2(copysign)
SHIM_MATH1(rsqrt) SHIM_MATH1(rcbrt) SHIM_MATH1(exp10) SHIM_MATH1(sinpi) SHIM_MATH1(cospi) SHIM_MATH1(erf) SHIM_MATH1(erfc)
SHIM_MATH1(erfinv) SHIM_MATH1(erfcinv) SHIM_MATH1(normcdf) SHIM_MATH1(normcdfinv) SHIM_MATH1(tgamma) SHIM_MATH1(lgamma)
SHIM_MATH1(j0) SHIM_MATH1(j1) SHIM_MATH1(y0) SHIM_MATH1(y1) SHIM_MATH1(logb)
SHIM_MATH2(rhypot) SHIM_MATH2(remainder) SHIM_MATH2(fdim)
float jnf(int, float); double jn(int, double); float ynf(int, float); double yn(int, double);
float ldexpf(float, int); double ldexp(double, int); float frexpf(float, int*); double frexp(double, int*);
int ilogbf(float); int ilogb(double);
void sincospif(float, float*, float*);
void sincospi(double, double*, double*);
float fmaf(float, float, float);
double fma(double, double, double);
void sincosf(float, float*, float*);
void sincos(double, double*, double*);
}
#undef SHIM_MATH1
#undef SHIM_MATH2

// Fast functions may be as accurate as they like.
static inline float __sinf(float a) { return sinf(a); }
static inline float __cosf(float a) { return cosf(a); }
static inline float __tanf(float a) { return tanf(a); }
static inline float __expf(float a) { return expf(a); }
static inline float __exp10f(float a) { return exp10f(a); }
static inline float __logf(float a) { return logf(a); }
static inline float __log2f(float a) { return log2f(a); }
static inline float __log10f(float a) { return log10f(a); }
static inline float __powf(float a, float b) { return powf(a, b); }
static inline float __fdividef(float a, float b) { return a / b; }

// Calls a kernel with arguments as the driver takes them: a pointer to each value.
template <unsigned... I> struct shim_indices {};
template <unsigned N, unsigned... I> struct shim_count : shim_count<N - 1, N - 1, I...> {};
template <unsigned... I> struct shim_count<0, I...> { typedef shim_indices<I...> type; };
template <class... P, unsigned... I> static inline void shim_apply(void (*kernel)(P...), void** arguments, shim_indices<I...>) {
  kernel(*(P*)arguments[I]...);
}
template <class... P> static inline void shim_call(void (*kernel)(P...), void** arguments) {
  shim_apply(kernel, arguments, typename shim_count<sizeof...(P)>::type());
}

// How a launch failed, for the tests: the first thread that did.
struct shim_failure {
  unsigned failed, site;
  unsigned long long values[2];
  unsigned block[3], thread[3];
};
template <class Record> static inline void shim_report(const Record& record, shim_failure* failure) {
  failure->failed = record.state;
  failure->site = record.site;
  for (int i = 0; i < 2; i++) failure->values[i] = record.values[i];
  for (int i = 0; i < 3; i++) failure->block[i] = record.block[i];
  for (int i = 0; i < 3; i++) failure->thread[i] = record.thread[i];
}
