// The work of the benchmark `scans` as one writes it for speed: 16-byte accesses, arrays aligned and of a length that four
// divides.
#define BLOCK 256

// The sum of `x` over the threads before this one; `total` gets that of all.
__device__ float block_scan(float x, float* warps, float* total) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float upto = x;
  for (int d = 1; d < 32; d *= 2) {
    float other = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += other;
  }
  __syncthreads();
  if (lane == 31) warps[warp] = upto;
  __syncthreads();
  float before = 0, all = 0;
  for (int w = 0; w < BLOCK / 32; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  *total = all;
  return before + upto - x;
}

extern "C" __global__ void chunk_sums(const float4* __restrict__ x, float* __restrict__ sums, size_t fours, size_t chunk) {
  __shared__ float warps[BLOCK / 32];
  float sum = 0, total;
  size_t end = min(fours, (blockIdx.x + 1) * chunk);
  for (size_t i = blockIdx.x * chunk + threadIdx.x; i < end; i += BLOCK) {
    float4 v = x[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  block_scan(sum, warps, &total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

extern "C" __global__ void chunk_scans(const float4* __restrict__ x, const float* __restrict__ sums, float4* __restrict__ out, size_t fours,
                                       size_t chunk) {
  __shared__ float warps[BLOCK / 32];
  float carry = 0, total;
  for (int c = threadIdx.x; c < blockIdx.x; c += BLOCK) carry += sums[c];
  block_scan(carry, warps, &total);
  carry = total;
  size_t end = min(fours, (blockIdx.x + 1) * chunk);
  for (size_t base = blockIdx.x * chunk; base < end; base += BLOCK) {
    size_t i = base + threadIdx.x;
    float4 v = i < end ? x[i] : make_float4(0, 0, 0, 0);
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    float before = carry + block_scan(v.w, warps, &total);
    if (i < end) out[i] = make_float4(before + v.x, before + v.y, before + v.z, before + v.w);
    carry += total;
  }
}

// Values from 0 to below 1, in 256 bins. No edge is compared: the bins are a power of two.
extern "C" __global__ void histogram(const float4* __restrict__ x, unsigned long long* __restrict__ counts, size_t fours) {
  __shared__ unsigned counters[BLOCK / 32][256];
  unsigned* mine = counters[threadIdx.x / 32];
  for (int i = threadIdx.x; i < BLOCK / 32 * 256; i += BLOCK) counters[0][i] = 0;
  __syncthreads();
  for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < fours; i += gridDim.x * (size_t)BLOCK) {
    float4 v = x[i];
    atomicAdd(&mine[(int)(v.x * 256)], 1);
    atomicAdd(&mine[(int)(v.y * 256)], 1);
    atomicAdd(&mine[(int)(v.z * 256)], 1);
    atomicAdd(&mine[(int)(v.w * 256)], 1);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int w = 0; w < BLOCK / 32; ++w) sum += counters[w][threadIdx.x];
  atomicAdd(&counts[threadIdx.x], (unsigned long long)sum);
}
