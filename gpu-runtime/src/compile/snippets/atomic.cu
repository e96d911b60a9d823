// Atomics, all relaxed: the orderings are fences around them. CUDA's own functions where there is one, because the compiler knows
// the memory that those work on; else a loop. Elements of 8 and 16 bits change with the aligned word that they lie in, but are loaded and
// stored alone: memory exchanges a word in one step, and a store of some of its bytes is before that or after it.
enum gr_scope { gr_block, gr_device, gr_system };
template <class T> struct gr_atomic_value_of { typedef T type; };
template <class T> using gr_atomic_value = typename gr_atomic_value_of<T>::type;
template <u32 SIZE> struct gr_atomic_bits_of { typedef u8 type; };
template <> struct gr_atomic_bits_of<2> { typedef u16 type; };
template <> struct gr_atomic_bits_of<4> { typedef u32 type; };
template <> struct gr_atomic_bits_of<8> { typedef u64 type; };
template <class T> using gr_atomic_bits = typename gr_atomic_bits_of<sizeof(T)>::type;
template <class T> struct gr_atomic_is_float { static const bool value = false; };
template <> struct gr_atomic_is_float<f32> { static const bool value = true; };
template <> struct gr_atomic_is_float<f64> { static const bool value = true; };
#define GR_SCOPED(function, ...) \
  (S == gr_block ? function##_block(__VA_ARGS__) : S == gr_system ? function##_system(__VA_ARGS__) : function(__VA_ARGS__))
#define GR_ATOMIC template <gr_scope S = gr_device, class T> static __device__ __forceinline__

// Orders what the thread does before it and after it.
template <gr_scope S> static __device__ __forceinline__ void gr_fence() {
#if __CUDA_ARCH__ >= 700
  if constexpr (S == gr_block) asm volatile("fence.acq_rel.cta;" ::: "memory");
  else if constexpr (S == gr_device) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  else asm volatile("fence.acq_rel.sys;" ::: "memory");
#else
  if constexpr (S == gr_block) __threadfence_block();
  else if constexpr (S == gr_device) __threadfence();
  else __threadfence_system();
#endif
}
// The same, in one order that all threads agree on: CUDA's own fence.
template <gr_scope S> static __device__ __forceinline__ void gr_fence_sc() {
  if constexpr (S == gr_block) __threadfence_block();
  else if constexpr (S == gr_device) __threadfence();
  else __threadfence_system();
}

template <class To, class From> static __device__ __forceinline__ To gr_atomic_reinterpret(From from) {
  if constexpr (sizeof(From) == 8) {
    if constexpr (gr_atomic_is_float<From>::value) return (To)__double_as_longlong(from);
    else if constexpr (gr_atomic_is_float<To>::value) return __longlong_as_double((i64)from);
    else return (To)from;
  } else {
    if constexpr (gr_atomic_is_float<From>::value) return (To)__float_as_uint(from);
    else if constexpr (gr_atomic_is_float<To>::value) return __uint_as_float((u32)from);
    else return (To)from;
  }
}
// The bits of an element of 8 or 16 bits.
template <class T> struct gr_atomic_narrow {
  static __device__ __forceinline__ T of(gr_atomic_bits<T> bits) { return (T)bits; }
  static __device__ __forceinline__ gr_atomic_bits<T> bits(T value) { return (gr_atomic_bits<T>)value; }
};
template <class T> static __device__ __forceinline__ bool gr_atomic_is_same(T a, T b) {
  return gr_atomic_narrow<T>::bits(a) == gr_atomic_narrow<T>::bits(b);
}
// The word that such an element lies in, and where.
template <class T> struct gr_atomic_place {
  u32* word;
  u32 shift;
  __device__ __forceinline__ explicit gr_atomic_place(T* p) : word((u32*)((usize)p & ~(usize)3)), shift((u32)((usize)p & 3) * 8) {}
  __device__ __forceinline__ T get(u32 all) const { return gr_atomic_narrow<T>::of((gr_atomic_bits<T>)(all >> shift)); }
  __device__ __forceinline__ u32 with(u32 all, T value) const {
    return (all & ~((u32)(gr_atomic_bits<T>)~0u << shift)) | ((u32)gr_atomic_narrow<T>::bits(value) << shift);
  }
};

GR_ATOMIC T gr_atomic_load(T* p) {
  if constexpr (sizeof(T) < 4) return gr_atomic_narrow<T>::of(*(volatile gr_atomic_bits<T>*)p);
  else return *(volatile T*)p;
}
// Replaces the value by that of `next` for it, whatever others do meanwhile. The old value.
template <gr_scope S, class T, class F> static __device__ __forceinline__ T gr_atomic_update(T* p, F next) {
  if constexpr (sizeof(T) < 4) {
    const gr_atomic_place<T> place(p);
    u32 seen = *(volatile u32*)place.word;
    while (true) {
      const u32 found = GR_SCOPED(atomicCAS, place.word, seen, place.with(seen, next(place.get(seen))));
      if (found == seen) return place.get(seen);
      seen = found;
    }
  } else {
    gr_atomic_bits<T>* const bits = (gr_atomic_bits<T>*)p;
    gr_atomic_bits<T> seen = *(volatile gr_atomic_bits<T>*)bits;
    while (true) {
      const T old = gr_atomic_reinterpret<T>(seen);
      const gr_atomic_bits<T> found = GR_SCOPED(atomicCAS, bits, seen, gr_atomic_reinterpret<gr_atomic_bits<T>>(next(old)));
      if (found == seen) return old;
      seen = found;
    }
  }
}
GR_ATOMIC void gr_atomic_store(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) < 4) *(volatile gr_atomic_bits<T>*)p = gr_atomic_narrow<T>::bits(v);
  else *(volatile T*)p = v;
}
GR_ATOMIC T gr_atomic_swap(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) < 4) return gr_atomic_update<S>(p, [=](T) { return v; });
  else return gr_atomic_reinterpret<T>(GR_SCOPED(atomicExch, (gr_atomic_bits<T>*)p, gr_atomic_reinterpret<gr_atomic_bits<T>>(v)));
}
// What was there; `desired` is there now if that was `current`, bit for bit.
GR_ATOMIC T gr_atomic_cas(T* p, gr_atomic_value<T> current, gr_atomic_value<T> desired) {
  if constexpr (sizeof(T) < 4) return gr_atomic_update<S>(p, [=](T old) { return gr_atomic_is_same<T>(old, current) ? desired : old; });
  else return gr_atomic_reinterpret<T>(GR_SCOPED(atomicCAS, (gr_atomic_bits<T>*)p, gr_atomic_reinterpret<gr_atomic_bits<T>>(current), gr_atomic_reinterpret<gr_atomic_bits<T>>(desired)));
}
GR_ATOMIC bool gr_atomic_compare_exchange(T* p, gr_atomic_value<T> current, gr_atomic_value<T> desired) {
  const T found = gr_atomic_cas<S>(p, current, desired);
  if constexpr (sizeof(T) < 4) return gr_atomic_is_same<T>(found, current);
  else return gr_atomic_reinterpret<gr_atomic_bits<T>>(found) == gr_atomic_reinterpret<gr_atomic_bits<T>>(current);
}
// The same with the value before.
GR_ATOMIC gr_result<T, T> gr_atomic_exchange_result(T* p, gr_atomic_value<T> current, gr_atomic_value<T> desired) {
  const T found = gr_atomic_cas<S>(p, current, desired);
  if constexpr (sizeof(T) < 4) return {found, found, gr_atomic_is_same<T>(found, current)};
  else return {found, found, gr_atomic_reinterpret<gr_atomic_bits<T>>(found) == gr_atomic_reinterpret<gr_atomic_bits<T>>(current)};
}
GR_ATOMIC T gr_atomic_add(T* p, gr_atomic_value<T> v) {
  if constexpr (gr_atomic_is_float<T>::value) return GR_SCOPED(atomicAdd, p, v);
  else if constexpr (sizeof(T) >= 4) return (T)GR_SCOPED(atomicAdd, (gr_atomic_bits<T>*)p, (gr_atomic_bits<T>)v);
  else return gr_atomic_update<S>(p, [=](T old) { return (T)((u32)old + (u32)v); });
}
GR_ATOMIC T gr_atomic_sub(T* p, gr_atomic_value<T> v) {
  if constexpr (gr_atomic_is_float<T>::value) return gr_atomic_add<S>(p, -v);
  else return gr_atomic_add<S>(p, (T)((gr_atomic_bits<T>)0 - (gr_atomic_bits<T>)v));
}
GR_ATOMIC T gr_atomic_and(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) >= 4) return (T)GR_SCOPED(atomicAnd, (gr_atomic_bits<T>*)p, (gr_atomic_bits<T>)v);
  else return gr_atomic_update<S>(p, [=](T old) { return (T)(old & v); });
}
GR_ATOMIC T gr_atomic_or(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) >= 4) return (T)GR_SCOPED(atomicOr, (gr_atomic_bits<T>*)p, (gr_atomic_bits<T>)v);
  else return gr_atomic_update<S>(p, [=](T old) { return (T)(old | v); });
}
GR_ATOMIC T gr_atomic_xor(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) >= 4) return (T)GR_SCOPED(atomicXor, (gr_atomic_bits<T>*)p, (gr_atomic_bits<T>)v);
  else return gr_atomic_update<S>(p, [=](T old) { return (T)(old ^ v); });
}
static __device__ __forceinline__ bool gr_atomic_complement(bool a) { return !a; }
template <class T> static __device__ __forceinline__ T gr_atomic_complement(T a) { return (T)~a; }
GR_ATOMIC T gr_atomic_nand(T* p, gr_atomic_value<T> v) {
  return gr_atomic_update<S>(p, [=](T old) { return gr_atomic_complement((T)(old & v)); });
}
static __device__ __forceinline__ f32 gr_atomic_least(f32 a, f32 b) { return fminf(a, b); }
static __device__ __forceinline__ f64 gr_atomic_least(f64 a, f64 b) { return fmin(a, b); }
template <class T> static __device__ __forceinline__ T gr_atomic_least(T a, T b) { return b < a ? b : a; }
static __device__ __forceinline__ f32 gr_atomic_greatest(f32 a, f32 b) { return fmaxf(a, b); }
static __device__ __forceinline__ f64 gr_atomic_greatest(f64 a, f64 b) { return fmax(a, b); }
template <class T> static __device__ __forceinline__ T gr_atomic_greatest(T a, T b) { return b > a ? b : a; }
GR_ATOMIC T gr_atomic_min(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) >= 4 && !gr_atomic_is_float<T>::value) return GR_SCOPED(atomicMin, p, v);
  else return gr_atomic_update<S>(p, [=](T old) { return gr_atomic_least(old, (T)v); });
}
GR_ATOMIC T gr_atomic_max(T* p, gr_atomic_value<T> v) {
  if constexpr (sizeof(T) >= 4 && !gr_atomic_is_float<T>::value) return GR_SCOPED(atomicMax, p, v);
  else return gr_atomic_update<S>(p, [=](T old) { return gr_atomic_greatest(old, (T)v); });
}
// Counts up to `limit` and goes on from 0.
GR_ATOMIC T gr_atomic_inc(T* p, gr_atomic_value<T> limit) {
  if constexpr (sizeof(T) == 4) return GR_SCOPED(atomicInc, p, limit);
  else return gr_atomic_update<S>(p, [=](T old) { return old >= limit ? (T)0 : (T)(old + 1); });
}
// Counts down to 0 and goes on from `limit`.
GR_ATOMIC T gr_atomic_dec(T* p, gr_atomic_value<T> limit) {
  if constexpr (sizeof(T) == 4) return GR_SCOPED(atomicDec, p, limit);
  else return gr_atomic_update<S>(p, [=](T old) { return old == 0 || old > limit ? limit : (T)(old - 1); });
}
#undef GR_ATOMIC
#undef GR_SCOPED
