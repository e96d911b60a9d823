// CUDA's arithmetic that rounds in a direction, by the processor.
#include <cfenv>

extern "C" float sqrtf(float);
extern "C" double sqrt(double);
extern "C" float fmaf(float, float, float);
extern "C" double fma(double, double, double);

// No compiler may move the operation over a change of the mode: its operands are read, and its result is written, in between.
template <class T, class F> static T in_mode(int mode, F operation, T a, T b = 0, T c = 0) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T result = operation((T)x, (T)y, (T)z);
  std::fesetround(FE_TONEAREST);
  return result;
}

#define SHIM_OPERATIONS(T, D, FMA, FUSED, ROOT, MODE, DIRECTION) \
  extern "C" T __##D##add_##MODE(T a, T b) { return in_mode<T>(DIRECTION, [](T x, T y, T) { return x + y; }, a, b); } \
  extern "C" T __##D##sub_##MODE(T a, T b) { return in_mode<T>(DIRECTION, [](T x, T y, T) { return x - y; }, a, b); } \
  extern "C" T __##D##mul_##MODE(T a, T b) { return in_mode<T>(DIRECTION, [](T x, T y, T) { return x * y; }, a, b); } \
  extern "C" T __##D##div_##MODE(T a, T b) { return in_mode<T>(DIRECTION, [](T x, T y, T) { return x / y; }, a, b); } \
  extern "C" T FMA##_##MODE(T a, T b, T c) { return in_mode<T>(DIRECTION, [](T x, T y, T z) { return FUSED(x, y, z); }, a, b, c); } \
  extern "C" T __##D##rcp_##MODE(T a) { return in_mode<T>(DIRECTION, [](T x, T, T) { return 1 / x; }, a); } \
  extern "C" T __##D##sqrt_##MODE(T a) { return in_mode<T>(DIRECTION, [](T x, T, T) { return ROOT(x); }, a); }
#define SHIM_MODE(MODE, DIRECTION) \
  SHIM_OPERATIONS(float, f, __fmaf, fmaf, sqrtf, MODE, DIRECTION) \
  SHIM_OPERATIONS(double, d, __fma, fma, sqrt, MODE, DIRECTION)

SHIM_MODE(rn, FE_TONEAREST)
SHIM_MODE(ru, FE_UPWARD)
SHIM_MODE(rd, FE_DOWNWARD)
SHIM_MODE(rz, FE_TOWARDZERO)
