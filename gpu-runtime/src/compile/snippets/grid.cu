// The barrier of the grid, whose idea is told in backend/cuda/cooperative.rs.

// Of the grid, in device memory, at a multiple of 16. All zero when a launch begins. Whoever waits reads all of it at once.
struct gr_grid {
  // How often the blocks that live have come to the barrier, all in all (GR_COMINGS), whether a thread has failed (GR_ABANDONED), and how
  // many blocks have no thread left (the high 16 bits).
  u64 blocks;
  // The call at which a block waits: its site and 1. Of every other barrier the first, so that nobody who goes on changes what others read.
  u32 calls[2];
};
#define GR_COMINGS 0x7fffffffffffull
#define GR_ABANDONED 0x800000000000ull

// Of a block.
struct gr_grid_block {
  gr_grid* grid;
  u32 live;
  u32 taken;
  // How often the barrier has opened for it.
  u32 passed;
  bool ends;
};
static __device__ gr_grid_block* gr_block_of_grid() {
  __shared__ gr_grid_block block;
  return &block;
}

// Whether all blocks that live have come to the barrier that opens after `passed` others. Those who were told so before may have come
// to the next one since.
static __device__ bool gr_all_have_come(u64 blocks, u32 passed) {
  const u32 live = gridDim.x * gridDim.y * gridDim.z - (u32)(blocks >> 48);
  return (blocks & GR_COMINGS) >= (passed + 1ull) * live;
}

// Counts this thread as ended, and its block with the last one. What the thread wrote is visible to those who then go on.
static __device__ __noinline__ void gr_leave_grid() {
  gr_grid_block* block = gr_block_of_grid();
  __threadfence();
  const u32 together = __activemask();
  __syncwarp(together);
  const u32 lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u;
  if (lane != (u32)__ffs((int)together) - 1u) return;
  const u32 leaving = (u32)__popc(together);
  if (atomicAdd(&block->live, 0u - leaving) != leaving) return;
  __threadfence();
  // The others wait for it no more, and its comings so far count no more.
  atomicAdd(&block->grid->blocks, (1ull << 48) - block->passed);
}

// Called before a failed thread ends: from now on, every block that reaches a grid barrier ends there.
static __device__ void gr_abandon_grid() {
  atomicOr(&gr_block_of_grid()->grid->blocks, GR_ABANDONED);
  gr_leave_grid();
}

// What a kernel begins with.
static __device__ void gr_begin_thread(gr_grid* grid) {
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0u) {
    gr_grid_block* block = gr_block_of_grid();
    block->grid = grid;
    block->live = blockDim.x * blockDim.y * blockDim.z;
    block->taken = 0u;
    block->passed = 0u;
  }
  __syncthreads();
}

// What stands around the condition under which a thread of a kernel does nothing but return: no call is left for the branch.
static __device__ __noinline__ bool gr_leaves(bool leaves) {
  if (leaves) gr_leave_grid();
  return leaves;
}

// What stands wherever else a thread of a kernel returns, each time with another number: the thread ends there and then. Were there one
// place to which all of them go on, those of a warp would wait there for the others, which may wait at a barrier for them.
template <u32 place> static __device__ __forceinline__ void gr_end_thread() {
  gr_leave_grid();
  asm volatile("exit; // %0" ::"n"(place));
  __builtin_unreachable();
}

// One thread of a block waits for the others. Whether the block has to end.
static __device__ bool gr_wait_for_grid(gr_grid_block* block, u32 site) {
  gr_grid* grid = block->grid;
  const u32 before = block->passed;
  block->passed = before + 1u;
  volatile u32* call_of_all = &grid->calls[before % 2u];
  *call_of_all = site + 1u;
  u64 blocks;
  u32 calls[2];
#ifdef __CUDACC_RTC__
  // What the block wrote is visible to whoever acquires this, and what others wrote to the block. Fences would say the same, and take
  // longer than all else here.
  asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(&grid->blocks) : "memory");
  do {
    u64 both;
    asm volatile("ld.acquire.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(blocks), "=l"(both) : "l"(grid) : "memory");
    calls[0] = (u32)both;
    calls[1] = (u32)(both >> 32);
  } while (!gr_all_have_come(blocks, before));
#else
  __threadfence();
  atomicAdd(&grid->blocks, 1ull);
  do {
    __nanosleep(20);
    blocks = *(volatile u64*)&grid->blocks;
    calls[before % 2u] = *call_of_all;
  } while (!gr_all_have_come(blocks, before));
  __threadfence();
#endif
  if (blocks & GR_ABANDONED) return true;
  // What was read of it may be from before. If it is not, a block has come to another call.
  const u32 call = calls[before % 2u] == site + 1u ? site + 1u : *call_of_all;
  if (call == site + 1u) return false;
  gr_report(site, call - 1u, 0ull);
  atomicOr(&grid->blocks, GR_ABANDONED);
  return true;
}

static __device__ __noinline__ void gr_sync_grid(u32 site) {
  gr_grid_block* block = gr_block_of_grid();
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  // Where threads have ended, whoever is first stands for the block.
  const bool all = (u32)__syncthreads_count(1) == threads;
  const bool chosen = all ? (threadIdx.x | threadIdx.y | threadIdx.z) == 0u : atomicExch(&block->taken, 1u) == 0u;
  if (chosen) block->ends = gr_wait_for_grid(block, site);
  __syncthreads();
  if (chosen) block->taken = 0u;
  if (block->ends) {
    gr_leave_grid();
    asm volatile("exit;");
    __builtin_unreachable();
  }
}
