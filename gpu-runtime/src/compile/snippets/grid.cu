// The barrier of the grid, whose idea is told in backend/cuda/cooperative.rs.

// Of the grid, in device memory. All zero when a launch begins.
struct gr_grid {
  // How many blocks wait (low half), and how many have no thread left (high half).
  u64 blocks;
  // How often the barrier has opened (low half), and for which call: its site and 1, or 0 where a block that ended opened it.
  u64 opened;
  // Not 0 after a failure.
  u32 abandoned;
};

// Of a block.
struct gr_grid_block {
  gr_grid* grid;
  u32 live;
  u32 taken;
  bool ends;
};
static __device__ gr_grid_block* gr_block_of_grid() {
  __shared__ gr_grid_block block;
  return &block;
}

static __device__ bool gr_all_wait(u64 blocks) {
  const u32 waiting = (u32)blocks, ended = (u32)(blocks >> 32);
  return waiting > 0u && waiting + ended == gridDim.x * gridDim.y * gridDim.z;
}

// Lets those go on who wait. All blocks do, so nobody else changes either number.
static __device__ void gr_open_grid(gr_grid* grid, u64 blocks, u32 call) {
  const u32 opened = (u32)*(volatile u64*)&grid->opened;
  atomicAdd(&grid->blocks, 0ull - (u32)blocks);
  __threadfence();
  *(volatile u64*)&grid->opened = (u64)call << 32 | (opened + 1u);
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
  const u64 blocks = atomicAdd(&block->grid->blocks, 1ull << 32) + (1ull << 32);
  if (gr_all_wait(blocks)) gr_open_grid(block->grid, blocks, 0u);
}

// Before a thread ends that failed: every block that comes to a barrier from now on ends there.
static __device__ void gr_abandon_grid() {
  *(volatile u32*)&gr_block_of_grid()->grid->abandoned = 1u;
  gr_leave_grid();
}

// What a kernel begins with.
static __device__ void gr_begin_thread(gr_grid* grid) {
  if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0u) {
    gr_grid_block* block = gr_block_of_grid();
    block->grid = grid;
    block->live = blockDim.x * blockDim.y * blockDim.z;
    block->taken = 0u;
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
static __device__ bool gr_wait_for_grid(gr_grid* grid, u32 site) {
  const u32 before = (u32)*(volatile u64*)&grid->opened;
  __threadfence();
  const u64 blocks = atomicAdd(&grid->blocks, 1ull) + 1ull;
  if (gr_all_wait(blocks)) {
    gr_open_grid(grid, blocks, site + 1u);
  } else {
    u64 opened;
    while ((u32)(opened = *(volatile u64*)&grid->opened) == before) {
#if __CUDA_ARCH__ >= 700
      __nanosleep(20);
#endif
    }
    __threadfence();
    const u32 call = (u32)(opened >> 32);
    if (call != 0u && call != site + 1u) {
      gr_report(site, call - 1u, 0ull);
      *(volatile u32*)&grid->abandoned = 1u;
      return true;
    }
  }
  return *(volatile u32*)&grid->abandoned != 0u;
}

static __device__ __noinline__ void gr_sync_grid(u32 site) {
  gr_grid_block* block = gr_block_of_grid();
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  // Where threads have ended, whoever is first stands for the block.
  const bool all = (u32)__syncthreads_count(1) == threads;
  const bool chosen = all ? (threadIdx.x | threadIdx.y | threadIdx.z) == 0u : atomicExch(&block->taken, 1u) == 0u;
  if (chosen) block->ends = gr_wait_for_grid(block->grid, site);
  __syncthreads();
  if (chosen) block->taken = 0u;
  if (block->ends) {
    gr_leave_grid();
    asm volatile("exit;");
    __builtin_unreachable();
  }
}
