// Which bits of the address of a T are 0 where the compiler may load neighbouring parts of it at once: below the largest power of two, up to 16,
// that divides its size. A launch compares them. (Of an assumption within a function, NVRTC would see nothing.)
template <class T> static constexpr usize gr_lowest_bits = (sizeof(T) % 16 == 0 ? 16 : sizeof(T) & (~sizeof(T) + 1)) - 1;
// An element of a shared array, which begins at a multiple of 16 bytes. NVRTC unrolls a loop more often in which it is one load.
template <class T> static __device__ __forceinline__ T gr_in_one_piece(const T& element) {
  return *(const T*)__builtin_assume_aligned(&element, gr_lowest_bits<T> + 1);
}
