// A value of any alignment, from the words that hold it.
template <class T> static __device__ __forceinline__ T gr_of_words(const u64* words) {
  T value;
  memcpy(&value, words, sizeof(T));
  return value;
}
