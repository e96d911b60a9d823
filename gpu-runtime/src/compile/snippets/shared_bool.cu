// A bool in shared memory. Nothing initialises shared memory, so the byte may hold anything: what is read from it is a bool
// all the same.
struct gr_shared_bool {
  u8 byte;
  __device__ __forceinline__ operator bool() const { return byte != 0; }
  __device__ __forceinline__ gr_shared_bool& operator=(bool value) {
    byte = value;
    return *this;
  }
};
