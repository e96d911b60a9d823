// Rust's [T; N]: an array that can be copied and returned.
template <class T, usize N> struct gr_array {
  typedef T element;
  static constexpr usize length = N;
  T data[N];
  __device__ __forceinline__ T& operator[](usize i) { return data[i]; }
  __device__ __forceinline__ const T& operator[](usize i) const { return data[i]; }
  static __device__ __forceinline__ gr_array repeat(const T& value) {
    gr_array result;
    for (usize i = 0; i < N; i++) result.data[i] = value;
    return result;
  }
  // What has another form in shared memory.
  template <class U> __device__ __forceinline__ gr_array& operator=(const gr_array<U, N>& other) {
    for (usize i = 0; i < N; i++) data[i] = other.data[i];
    return *this;
  }
  template <class U> __device__ __forceinline__ operator gr_array<U, N>() const {
    gr_array<U, N> result;
    for (usize i = 0; i < N; i++) result.data[i] = data[i];
    return result;
  }
};
template <class T> struct gr_array<T, 0> {
  typedef T element;
  static constexpr usize length = 0;
  T data[1];
  __device__ __forceinline__ T& operator[](usize i) { return data[i]; }
  __device__ __forceinline__ const T& operator[](usize i) const { return data[i]; }
  static __device__ __forceinline__ gr_array repeat(const T&) { return gr_array(); }
};
// The array behind a parameter. Its length is what the function is compiled for, unless safe code has written by hand what calls it.
template <class A, class T> static __device__ __forceinline__ A& gr_whole(T* elements, usize length) {
  if (length != A::length) __trap();
  return *(A*)elements;
}
// An array in shared memory that fills its last word: an atomic of 8 or 16 bits works on the word that it lies in.
template <class T> struct alignas(4) gr_whole_words : T {};
