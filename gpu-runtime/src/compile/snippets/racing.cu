// An element of a shared array that another thread may write to at the same time: it is read and written once.
template <typename T> __device__ __forceinline__ volatile T& gr_racing(T& element) {
  return element;
}
