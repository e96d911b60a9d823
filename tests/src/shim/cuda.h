// Enough of CUDA for generated kernels to compile as C++17. No header is included: what generated code does not get from
// NVRTC it does not get here either, and no macro of the C library can collide with a name.
#pragma once

#define __global__ static
#define __device__
// Where the blocks of a grid wait for each other, each has an OS thread, and only one of those runs at a time.
#define __shared__ static thread_local
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __CUDA_ARCH__ 750
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_trap())

// Which NVRTC knows without a header.
inline void __trap() { __builtin_trap(); }
typedef __SIZE_TYPE__ size_t;

struct shim_coordinates {
  unsigned x, y, z;
};
extern shim_coordinates threadIdx, blockIdx, blockDim, gridDim;

// Switches to the block's next thread; returns when every thread has arrived.
void shim_barrier();
// The same with a condition. How many threads came, and for how many it held, is what it leaves in `shim_votes`.
struct shim_count_of_votes {
  int cast, held;
};
extern shim_count_of_votes shim_votes;
void shim_vote(bool held);
// Brings `bits` to where the threads of the warp meet whose bits `lanes` has; exited ones do not count. What each of them brought, and
// which came, is in `shim_met` until the next call.
struct shim_meeting {
  unsigned lane, lanes;
  unsigned long long values[32];
};
extern shim_meeting shim_met;
void shim_meet(unsigned lanes, unsigned long long bits);
// Ends this thread.
[[noreturn]] void shim_exit();
// Calls `kernel(arguments)` once for every thread of the grid: block after block, or where they are `together`, with all of them
// there until the last has ended.
void shim_run(void (*kernel)(void**), void** arguments, const shim_coordinates* grid, const shim_coordinates* block, bool together);

#define __syncthreads() shim_barrier()
static inline int __syncthreads_count(int held) { return shim_vote(held != 0), shim_votes.held; }
static inline int __syncthreads_and(int held) { return shim_vote(held != 0), shim_votes.held == shim_votes.cast; }
static inline int __syncthreads_or(int held) { return shim_vote(held != 0), shim_votes.held > 0; }

// Gives way to the block's other threads, past no barrier.
void shim_give_way();
static inline void __nanosleep(unsigned) { shim_give_way(); }

static inline void __threadfence_block() {}
static inline void __threadfence() {}
static inline void __threadfence_system() {}
static inline void shim_fence(const char*) {}

// CUDA's atomics, of the types that CUDA has them for. Only one thread runs at a time.
#define SHIM_ATOMIC(T, name, next) \
  static inline T name(T* address, T value) { \
    const T old = *address; \
    *address = next; \
    return old; \
  } \
  static inline T name##_block(T* address, T value) { return name(address, value); } \
  static inline T name##_system(T* address, T value) { return name(address, value); }
#define SHIM_ATOMIC_CAS(T, name) \
  static inline T name(T* address, T expected, T desired) { \
    const T old = *address; \
    if (old == expected) *address = desired; \
    return old; \
  }
#define SHIM_ATOMIC_BITS(T) \
  SHIM_ATOMIC(T, atomicAdd, old + value) SHIM_ATOMIC(T, atomicExch, value) \
  SHIM_ATOMIC(T, atomicAnd, old & value) SHIM_ATOMIC(T, atomicOr, old | value) SHIM_ATOMIC(T, atomicXor, old ^ value) \
  SHIM_ATOMIC_CAS(T, atomicCAS) SHIM_ATOMIC_CAS(T, atomicCAS_block) SHIM_ATOMIC_CAS(T, atomicCAS_system)
#define SHIM_ATOMIC_ORDER(T) \
  SHIM_ATOMIC(T, atomicMin, value < old ? value : old) SHIM_ATOMIC(T, atomicMax, value > old ? value : old)
SHIM_ATOMIC_BITS(unsigned)
SHIM_ATOMIC_BITS(unsigned long long)
SHIM_ATOMIC_ORDER(int)
SHIM_ATOMIC_ORDER(unsigned)
SHIM_ATOMIC_ORDER(long long)
SHIM_ATOMIC_ORDER(unsigned long long)
SHIM_ATOMIC(float, atomicAdd, old + value)
SHIM_ATOMIC(double, atomicAdd, old + value)
SHIM_ATOMIC(unsigned, atomicInc, old >= value ? 0 : old + 1)
SHIM_ATOMIC(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
#undef SHIM_ATOMIC
#undef SHIM_ATOMIC_CAS
#undef SHIM_ATOMIC_BITS
#undef SHIM_ATOMIC_ORDER

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

// Arithmetic that rounds in a direction, by the processor: `rounding.cpp` sets its mode.
#define SHIM_ROUNDED(MODE) \
  float __fadd_##MODE(float, float); double __dadd_##MODE(double, double); \
  float __fsub_##MODE(float, float); double __dsub_##MODE(double, double); \
  float __fmul_##MODE(float, float); double __dmul_##MODE(double, double); \
  float __fdiv_##MODE(float, float); double __ddiv_##MODE(double, double); \
  float __fmaf_##MODE(float, float, float); double __fma_##MODE(double, double, double); \
  float __frcp_##MODE(float); double __drcp_##MODE(double); \
  float __fsqrt_##MODE(float); double __dsqrt_##MODE(double);
extern "C" {
SHIM_ROUNDED(rn) SHIM_ROUNDED(ru) SHIM_ROUNDED(rd) SHIM_ROUNDED(rz)
}
#undef SHIM_ROUNDED
static inline float __saturatef(float a) { return a > 0.0f ? a < 1.0f ? a : 1.0f : 0.0f; }

template <class T> static inline unsigned long long shim_bits_of(T value) {
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
// What the thread with this lane brought; the own value if it did not come.
template <class T> static inline T shim_from(unsigned lane, T own) {
  if (lane > 31 || (shim_met.lanes >> lane & 1) == 0) return own;
  T value;
  __builtin_memcpy(&value, &shim_met.values[lane], sizeof value);
  return value;
}
template <class T> static inline T __shfl_sync(unsigned lanes, T value, int lane) {
  shim_meet(lanes, shim_bits_of(value));
  return shim_from((unsigned)lane % 32, value);
}
template <class T> static inline T __shfl_up_sync(unsigned lanes, T value, unsigned delta) {
  shim_meet(lanes, shim_bits_of(value));
  return shim_from(shim_met.lane - delta, value);
}
template <class T> static inline T __shfl_down_sync(unsigned lanes, T value, unsigned delta) {
  shim_meet(lanes, shim_bits_of(value));
  return shim_from(shim_met.lane + delta, value);
}
template <class T> static inline T __shfl_xor_sync(unsigned lanes, T value, int bits) {
  shim_meet(lanes, shim_bits_of(value));
  return shim_from(shim_met.lane ^ (unsigned)bits, value);
}
// The lanes that brought these bits.
static inline unsigned shim_equals(unsigned lanes, unsigned long long bits, unsigned long long sought) {
  shim_meet(lanes, bits);
  unsigned equal = 0;
  for (unsigned lane = 0; lane < 32; lane++) equal |= (unsigned)((shim_met.lanes >> lane & 1) && shim_met.values[lane] == sought) << lane;
  return equal;
}
static inline unsigned __ballot_sync(unsigned lanes, int held) { return shim_equals(lanes, held != 0, 1); }
static inline int __all_sync(unsigned lanes, int held) { return shim_equals(lanes, held != 0, 0) == 0; }
static inline int __any_sync(unsigned lanes, int held) { return shim_equals(lanes, held != 0, 1) != 0; }
static inline int __uni_sync(unsigned lanes, int held) { return shim_equals(lanes, held != 0, held != 0) == shim_met.lanes; }
template <class T> static inline unsigned __match_any_sync(unsigned lanes, T value) {
  return shim_equals(lanes, shim_bits_of(value), shim_bits_of(value));
}
template <class T> static inline unsigned __match_all_sync(unsigned lanes, T value, int* same) {
  *same = __match_any_sync(lanes, value) == shim_met.lanes;
  return *same ? shim_met.lanes : 0;
}
static inline void __syncwarp(unsigned lanes = 0xffffffffu) { shim_meet(lanes, 0); }
static inline unsigned __activemask() {
  return 1u << (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
static inline int __mul24(int a, int b) { return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int __ffs(int a) { return __builtin_ffs(a); }
static inline int __popc(unsigned a) { return __builtin_popcount(a); }

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
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int byte = 0; byte < 4; byte++) sum += (a >> 8 * byte & 0xff) * (b >> 8 * byte & 0xff);
  return sum;
}
inline int __dp4a(int a, int b, int sum) {
  unsigned total = unsigned(sum);
  for (int byte = 0; byte < 4; byte++) total += unsigned(int((signed char)(a >> 8 * byte)) * int((signed char)(b >> 8 * byte)));
  return int(total);
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
SHIM_MATH1(erfcx) SHIM_MATH1(cyl_bessel_i0) SHIM_MATH1(cyl_bessel_i1)
float norm3df(float, float, float); double norm3d(double, double, double);
float rnorm3df(float, float, float); double rnorm3d(double, double, double);
float norm4df(float, float, float, float); double norm4d(double, double, double, double);
float rnorm4df(float, float, float, float); double rnorm4d(double, double, double, double);
float remquof(float, float, int*); double remquo(double, double, int*);
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
