// The thread's place in its block, whose threads are numbered with x running fastest, and in its warp.
static __device__ __forceinline__ u32 gr_thread_number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
static __device__ __forceinline__ usize gr_lane_id() { return gr_thread_number() % 32; }
static __device__ __forceinline__ usize gr_warp_id() { return gr_thread_number() / 32; }
static __device__ __forceinline__ u32 gr_lane_mask_lt() { return (1u << (gr_thread_number() % 32)) - 1; }
