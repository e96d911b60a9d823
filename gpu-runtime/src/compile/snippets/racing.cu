// An element of a shared array that another thread may write to at the same time: it is read and written once.
template <typename T> __device__ __forceinline__ volatile T& gr_racing(T& element) {
  return element;
}
// The same of any type: each of its words is read once.
template <u64 ALIGN> struct gr_word { typedef u64 type; };
template <> struct gr_word<1> { typedef u8 type; };
template <> struct gr_word<2> { typedef u16 type; };
template <> struct gr_word<4> { typedef u32 type; };
template <class T> static __device__ __forceinline__ T gr_racing_copy(const T& element) {
  typedef typename gr_word<alignof(T)>::type word;
  T copy;
  for (u32 i = 0; i < sizeof(T) / sizeof(word); i++) ((word*)&copy)[i] = ((const volatile word*)&element)[i];
  return copy;
}
// Such an element for a function that takes S, a reference or a value: a copy. What the function may have changed is written back.
template <class S> struct gr_taken { static constexpr bool by_reference = false, gr_changes = false; };
template <class T> struct gr_taken<T&> { static constexpr bool by_reference = true, gr_changes = true; };
template <class T> struct gr_taken<const T&> { static constexpr bool by_reference = true, gr_changes = false; };
template <class T, bool CHANGES> struct gr_racing_lent {
  T& element;
  T copy;
  __device__ __forceinline__ ~gr_racing_lent() {
    if constexpr (CHANGES) element = copy;
  }
  __device__ __forceinline__ T& get() { return copy; }
};
template <class S = int&, class T>
static __device__ __forceinline__ gr_racing_lent<T, gr_taken<S>::gr_changes && gr_taken<T&>::gr_changes> gr_racing_loan(T& element) {
  return {element, gr_racing_copy(element)};
}
template <class S, class T> static __device__ __forceinline__ S gr_racing_taken(T& element) {
  if constexpr (gr_taken<S>::by_reference) return element;
  else return gr_racing_copy(element);
}
