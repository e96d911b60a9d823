// Enough of CUDA for generated kernels to compile as C++17. No header is included: what generated code does not get from
// NVRTC it does not get here either, and no macro of the C library can collide with a name.
#pragma once

#define __global__ static
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __CUDA_ARCH__ 900

// Which NVRTC knows without a header.
typedef __SIZE_TYPE__ size_t;

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

#define SHIM_MATH1(name) float name##f(float); double name(double);
#define SHIM_MATH2(name) float name##f(float, float); double name(double, double);
extern "C" {
SHIM_MATH1(sin) SHIM_MATH1(cos) SHIM_MATH1(tan) SHIM_MATH1(asin) SHIM_MATH1(acos) SHIM_MATH1(atan)
SHIM_MATH1(sinh) SHIM_MATH1(cosh) SHIM_MATH1(tanh) SHIM_MATH1(asinh) SHIM_MATH1(acosh) SHIM_MATH1(atanh)
SHIM_MATH1(exp) SHIM_MATH1(exp2) SHIM_MATH1(expm1) SHIM_MATH1(log) SHIM_MATH1(log2) SHIM_MATH1(log10) SHIM_MATH1(log1p)
SHIM_MATH1(sqrt) SHIM_MATH1(cbrt) SHIM_MATH1(fabs)
SHIM_MATH1(floor) SHIM_MATH1(ceil) SHIM_MATH1(round) SHIM_MATH1(rint) SHIM_MATH1(trunc)
SHIM_MATH2(atan2) SHIM_MATH2(hypot) SHIM_MATH2(pow) SHIM_MATH2(fmod) SHIM_MATH2(fmin) SHIM_MATH2(fmax) SHIM_MATH2(copysign)
float fmaf(float, float, float);
double fma(double, double, double);
void sincosf(float, float*, float*);
void sincos(double, double*, double*);
}
#undef SHIM_MATH1
#undef SHIM_MATH2

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
