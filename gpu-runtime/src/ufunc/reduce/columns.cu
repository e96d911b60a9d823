struct gr_partition {
  // The shape as [outer, reduced, inner].
  u64 reduced;
  u64 inner;
  // Into how many parts the reduced axis is split, of how many rows; the last may be shorter, and none is empty.
  u64 parts;
  u64 chunk;
  // How many neighbouring columns a block folds: a power of two.
  u64 width;
};

// Columns: neighbouring threads read neighbouring columns, and the threads that have the same one share its rows.
static __device__ __forceinline__ void gr_reduction(const gr_inputs& in, const gr_outputs& out, const gr_partition& part) {
  const u32 width = (u32)part.width, height = GR_BLOCK / width;
  const u32 x = threadIdx.x % width, y = threadIdx.x / width;
  const u64 tiles = (part.inner + width - 1) / width;
  const u64 column = blockIdx.x % tiles * width + x;
  // Counts parts over all of the outer axis.
  const u64 task = blockIdx.x / tiles;
  const u64 begin = task % part.parts * part.chunk;
  const u64 left = part.reduced - begin;
  const u64 len = left < part.chunk ? left : part.chunk;
  const u64 first = task / part.parts * part.reduced + begin;
  gr_item value;
  if (column < part.inner && y < len) {
    value = gr_fold(in, (first + y) * part.inner + column, (u64)height * part.inner, (first + len) * part.inner);
  }
  if (height > 1) {
    __shared__ gr_item of_threads[GR_BLOCK];
    of_threads[threadIdx.x] = value;
    u32 count = len < height ? (u32)len : height;
    for (u32 distance = height / 2; distance > 0; distance /= 2) {
      __syncthreads();
      if (column < part.inner && y < distance && y + distance < count) {
        value = gr_combine(value, gr_read(of_threads[threadIdx.x + distance * width]));
        of_threads[threadIdx.x] = value;
      }
      count = count < distance ? count : distance;
    }
  }
  if (column < part.inner && y == 0) gr_store(out, task * part.inner + column, value);
}

