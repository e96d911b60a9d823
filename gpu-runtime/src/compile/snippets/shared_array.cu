// Shared memory is not initialized. A compiler that sees that nothing has been written yet may take each use of what is read for another
// value: an index would be checked, and another one used. So it is told that something else may have written to the array.
template <class T> static __device__ __forceinline__ void gr_any_bytes(T& array) {
  asm volatile("" ::"l"(&array) : "memory");
}
