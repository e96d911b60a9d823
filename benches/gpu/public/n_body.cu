struct acceleration { float x, y, z; };

extern "C" __global__ void __launch_bounds__(256) accelerate(const float4* __restrict__ bodies, acceleration* __restrict__ accelerations, int n) {
  __shared__ float4 near[256];
  int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  acceleration sum = {0, 0, 0};
  for (int start = 0; start < n; start += 256) {
    near[t] = start + t < n ? bodies[start + t] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < 256; k++) {
      float4 other = near[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.001f);
      float scale = other.w * inverse * inverse * inverse;
      sum.x += dx * scale;
      sum.y += dy * scale;
      sum.z += dz * scale;
    }
    __syncthreads();
  }
  if (i < n) accelerations[i] = sum;
}
