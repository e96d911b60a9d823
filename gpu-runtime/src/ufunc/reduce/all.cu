struct gr_partition {
  u64 len;
  // One item a block.
  gr_item* partials;
  // How many blocks have stored theirs; zero before and after the launch.
  u32* stored;
  // Where the host looks: two words for each component, then the number of the launch.
  volatile u64* result;
  u64 launch;
};

// Everything, in one launch: the block that is last to store its partial result folds them all, in the order of the
// blocks, whichever it is. Each block has at least one element.
static __device__ __forceinline__ void gr_reduction(const gr_inputs& in, const gr_partition& part) {
  const u64 before = (u64)blockIdx.x * GR_BLOCK;
  const u64 first = before + threadIdx.x;
  gr_item value;
  if (first < part.len) value = gr_fold(in, first, (u64)gridDim.x * GR_BLOCK, part.len);
  value = gr_fold_block(value, part.len - before < GR_BLOCK ? (u32)(part.len - before) : GR_BLOCK);

  if (gridDim.x > 1) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
      part.partials[blockIdx.x] = value;
      // The partial result is seen by whoever sees the count.
      __threadfence();
      is_last = atomicAdd(part.stored, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    if (threadIdx.x < gridDim.x) {
      value = part.partials[threadIdx.x];
      for (u32 block = threadIdx.x + GR_BLOCK; block < gridDim.x; block += GR_BLOCK) value = gr_combine(value, part.partials[block]);
    }
    value = gr_fold_block(value, gridDim.x < GR_BLOCK ? gridDim.x : GR_BLOCK);
    if (threadIdx.x == 0) *part.stored = 0;
  }
  if (threadIdx.x == 0) {
    gr_report(part.result, value);
    part.result[8] = part.launch;
  }
}

