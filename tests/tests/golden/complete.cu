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

// The host maps this record into device memory and reads it at the next synchronising call.
struct gr_record {
  u32 state;
  u32 kernel;
  u32 site;
  u32 pad;
  u64 values[2];
  u32 block[3];
  u32 thread[3];
};

// Where to report, filled by the host when it loads the module, which it does for each queue. In device memory: whether a thread has
// reported, and how many have failed.
struct gr_panic_target {
  gr_record* record;
  u32* flags;
  u32 kernel;
};

extern "C" {
__device__ gr_panic_target gr_target;
}

// Hands the record to the host: whoever reads the state, and then the rest, sees all that this thread wrote before. The release
// orders those writes in front of this one, for the whole system, and nothing here reads or writes afterwards, so no fence is needed.
// A fence would order all memory accesses of the thread: the compiler then makes each atomic of the kernel whose result is unused an
// `ATOM`, which returns a result, instead of a faster `RED`.
static __device__ __forceinline__ void gr_publish(volatile gr_record* record) {
#if __CUDA_ARCH__ >= 700
  asm volatile("st.release.sys.global.u32 [%0], 1;" ::"l"(&record->state) : "memory");
#else
  // These architectures have no release stores.
  __threadfence_system();
  record->state = 1u;
#endif
}

// The first thread of all reports why it failed. The plain read keeps the rest away from the atomic, so that millions of failing
// threads stay cheap. They are counted without waiting for a result, and a warp counts once.
static __device__ void gr_report(u32 site, u64 a, u64 b) {
  u32* flags = gr_target.flags;
  atomicAdd(&flags[1], 1u);
  if (*(volatile u32*)flags == 0u && atomicCAS(flags, 0u, 1u) == 0u) {
    volatile gr_record* record = gr_target.record;
    record->kernel = gr_target.kernel;
    record->site = site;
    record->values[0] = a;
    record->values[1] = b;
    record->block[0] = blockIdx.x;
    record->block[1] = blockIdx.y;
    record->block[2] = blockIdx.z;
    record->thread[0] = threadIdx.x;
    record->thread[1] = threadIdx.y;
    record->thread[2] = threadIdx.z;
    gr_publish(record);
  }
}

#ifdef GR_COOPERATIVE
static __device__ void gr_abandon_grid();
#endif
// Reports, and ends this thread. NVRTC's optimizer finds out by itself that it never returns, but late: a loop behind a failure that is
// certain then overflows its stack.
[[noreturn]] static __device__ __noinline__ void gr_panic(u32 site, u64 a, u64 b) {
  gr_report(site, a, b);
#ifdef GR_COOPERATIVE
  gr_abandon_grid();
#endif
  asm volatile("exit;");
  __builtin_unreachable();
}


extern "C" __global__ void vector_add(const f32* __restrict__ x, usize x_len, const f32* __restrict__ y, usize y_len, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= x_len) gr_panic(0, i, x_len);  // unless proved
    if (i >= y_len) gr_panic(1, i, y_len);  // unless proved
    out[i] = x[i] + y[i];
  }
}
