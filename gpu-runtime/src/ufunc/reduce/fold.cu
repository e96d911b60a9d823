// What folds elements in every kernel of a reduction, given `gr_item`, `gr_load_from`, `gr_compute`, `gr_combine` and
// `gr_read`.

// Folds elements as a tree into the first.
static __device__ __forceinline__ void gr_fold_tree(gr_item (&items)[GR_AT_A_TIME]) {
#pragma unroll
  for (u32 width = GR_AT_A_TIME / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) items[k] = gr_combine(items[k], items[k + width]);
  }
}

// As many elements from `i` on as a thread folds at a time. All are on their way from memory before the first is computed.
static __device__ __forceinline__ gr_item gr_fold_some(const gr_inputs& in, const gr_start& start, const u64 i, const u64 stride) {
  gr_values x[GR_AT_A_TIME];
#pragma unroll
  for (u32 k = 0; k < GR_AT_A_TIME; ++k) x[k] = gr_load_from(in, start, i + k * stride);
  gr_item items[GR_AT_A_TIME];
#pragma unroll
  for (u32 k = 0; k < GR_AT_A_TIME; ++k) items[k] = gr_compute(in, x[k]);
  gr_fold_tree(items);
  return items[0];
}

// The elements from `first` on that are `stride` apart and before `end`; there is at least one.
//
// Several are on their way from memory at a time, and are folded as a tree, so that neither loads nor operations wait for
// each other.
static __device__ __forceinline__ gr_item gr_fold(const gr_inputs& in, const u64 first, const u64 stride, const u64 end) {
  const gr_start start = gr_start_of(in, first);
  const u64 all = (GR_AT_A_TIME - 1) * stride, step = GR_AT_A_TIME * stride;
  u64 i = first;
  gr_item value;
  const bool any = i + all < end;
  if (any) {
    value = gr_fold_some(in, start, i, stride);
    for (i += step; i + all < end; i += step) value = gr_combine(value, gr_fold_some(in, start, i, stride));
  }
  if (i < end) {
    gr_values x[GR_AT_A_TIME - 1];
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME - 1; ++k) {
      if (i + k * stride < end) x[k] = gr_load_from(in, start, i + k * stride);
    }
#pragma unroll
    for (u32 k = 0; k < GR_AT_A_TIME - 1; ++k) {
      if (i + k * stride < end) {
        const gr_item item = gr_compute(in, x[k]);
        value = any || k > 0 ? gr_combine(value, item) : item;
      }
    }
  }
  return value;
}

// The values of `width` neighbouring threads of a warp, of which the first `count` have one: for the first of them. Every
// thread of the warp must call it. A thread that failed has exited, and shuffles do not wait for those.
static __device__ __forceinline__ gr_item gr_fold_warp(gr_item value, const u32 at, const u32 count, const u32 width) {
  for (u32 distance = width / 2; distance > 0; distance /= 2) {
    const gr_item other = gr_shuffle_down(value, distance);
    if (at + distance < count && at < distance) value = gr_combine(value, other);
  }
  return value;
}

// The values of the first `count` threads of the block: for thread 0. Every thread must call it, and after another call
// there must have been a barrier.
static __device__ __forceinline__ gr_item gr_fold_block(gr_item value, const u32 count) {
  __shared__ gr_item of_warps[GR_BLOCK / 32];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 before = 32 * warp;
  value = gr_fold_warp(value, lane, count > before ? count - before : 0, 32);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  if (warp == 0) {
    if (lane < GR_BLOCK / 32) value = gr_read(of_warps[lane]);
    value = gr_fold_warp(value, lane, (count + 31) / 32, GR_BLOCK / 32);
  }
  return value;
}

