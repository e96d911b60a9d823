// The thread's place in its warp. A block's threads are numbered with x running fastest.
static __device__ __forceinline__ usize gr_lane_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % warpSize;
}
