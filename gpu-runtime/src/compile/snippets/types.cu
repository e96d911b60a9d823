typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef long long isize;
typedef unsigned long long usize;
typedef float f32;
typedef double f64;

// Waits for the kernel before this one on the stream, which may not be done if this one was started early.
static __device__ __forceinline__ void gr_wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
