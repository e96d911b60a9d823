// The scheme of this folder in CUDA C by hand, for comparison: nvcc -O3 -arch=sm_90 reference.cu
#include <algorithm>
#include <cstdio>
#include <cuda_fp16.h>

// How many places a step moves the populations by. With 0, the flow is wrong, and a warp's places are aligned.
#ifndef STRIDE
#define STRIDE 1
#endif

const int BLOCK = 256;

template <class S> __device__ float expand(S v);
template <> __device__ float expand(float v) { return v; }
template <> __device__ float expand(__half v) { return __half2float(v) * (1.0f / 32768.0f); }
template <class S> __device__ S compress(float v);
template <> __device__ float compress(float v) { return v; }
template <> __device__ __half compress(float v) { return __float2half(v * 32768.0f); }

__device__ unsigned wrapped(unsigned v, unsigned n) { return v >= n ? v - n : v; }

template <class S>
__global__ void __launch_bounds__(BLOCK)
    step(float omega, float lx, float ly, float lz, unsigned nx, unsigned ny, unsigned nz, unsigned fx, unsigned fy, unsigned fz, unsigned bx,
         unsigned by, unsigned bz, const unsigned char* __restrict__ cells, S* __restrict__ f) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= nx) return;
  unsigned e = wrapped(x + fx, nx), w = wrapped(x + bx, nx);
  unsigned nn = wrapped(y + fy, ny), s = wrapped(y + by, ny);
  unsigned t = wrapped(z + fz, nz), b = wrapped(z + bz, nz);
  unsigned n = nx * ny * nz;
  S* p[19];
  float h[19];
  p[0] = f + (0u * n + (z * ny + y) * nx + x);
  p[1] = f + (1u * n + (z * ny + y) * nx + e);
  p[2] = f + (2u * n + (z * ny + y) * nx + w);
  p[3] = f + (3u * n + (z * ny + nn) * nx + x);
  p[4] = f + (4u * n + (z * ny + s) * nx + x);
  p[5] = f + (5u * n + (t * ny + y) * nx + x);
  p[6] = f + (6u * n + (b * ny + y) * nx + x);
  p[7] = f + (7u * n + (z * ny + nn) * nx + e);
  p[8] = f + (8u * n + (z * ny + s) * nx + w);
  p[9] = f + (9u * n + (z * ny + s) * nx + e);
  p[10] = f + (10u * n + (z * ny + nn) * nx + w);
  p[11] = f + (11u * n + (t * ny + y) * nx + e);
  p[12] = f + (12u * n + (b * ny + y) * nx + w);
  p[13] = f + (13u * n + (b * ny + y) * nx + e);
  p[14] = f + (14u * n + (t * ny + y) * nx + w);
  p[15] = f + (15u * n + (t * ny + nn) * nx + x);
  p[16] = f + (16u * n + (b * ny + s) * nx + x);
  p[17] = f + (17u * n + (b * ny + nn) * nx + x);
  p[18] = f + (18u * n + (t * ny + s) * nx + x);
  unsigned char kind = cells[(z * ny + y) * nx + x];
#pragma unroll
  for (int q = 0; q < 19; q++) h[q] = expand<S>(*p[q]);
  float a[19];
  if (kind == 0) {
    float rho = 0, x_ = 0, y_ = 0, z_ = 0;
    rho += h[0];
    rho += h[1]; x_ += h[1];
    rho += h[2]; x_ -= h[2];
    rho += h[3]; y_ += h[3];
    rho += h[4]; y_ -= h[4];
    rho += h[5]; z_ += h[5];
    rho += h[6]; z_ -= h[6];
    rho += h[7]; x_ += h[7]; y_ += h[7];
    rho += h[8]; x_ -= h[8]; y_ -= h[8];
    rho += h[9]; x_ += h[9]; y_ -= h[9];
    rho += h[10]; x_ -= h[10]; y_ += h[10];
    rho += h[11]; x_ += h[11]; z_ += h[11];
    rho += h[12]; x_ -= h[12]; z_ -= h[12];
    rho += h[13]; x_ += h[13]; z_ -= h[13];
    rho += h[14]; x_ -= h[14]; z_ += h[14];
    rho += h[15]; y_ += h[15]; z_ += h[15];
    rho += h[16]; y_ -= h[16]; z_ -= h[16];
    rho += h[17]; y_ += h[17]; z_ -= h[17];
    rho += h[18]; y_ -= h[18]; z_ += h[18];
    float r = 1.0f + rho, o = 1.0f / r;
    x_ *= o, y_ *= o, z_ *= o;
    float rest = rho - 1.5f * r * (x_ * x_ + y_ * y_ + z_ * z_);
    a[0] = h[0] + omega * (rest * (1.0f / 3.0f) - h[0]);
    float u, even, odd;
    u = x_, even = (1.0f / 18.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 18.0f) * 3.0f * r * u;
    a[1] = h[1] + omega * (even + odd - h[1]), a[2] = h[2] + omega * (even - odd - h[2]);
    u = y_, even = (1.0f / 18.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 18.0f) * 3.0f * r * u;
    a[3] = h[3] + omega * (even + odd - h[3]), a[4] = h[4] + omega * (even - odd - h[4]);
    u = z_, even = (1.0f / 18.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 18.0f) * 3.0f * r * u;
    a[5] = h[5] + omega * (even + odd - h[5]), a[6] = h[6] + omega * (even - odd - h[6]);
    u = x_ + y_, even = (1.0f / 36.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 36.0f) * 3.0f * r * u;
    a[7] = h[7] + omega * (even + odd - h[7]), a[8] = h[8] + omega * (even - odd - h[8]);
    u = x_ - y_, even = (1.0f / 36.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 36.0f) * 3.0f * r * u;
    a[9] = h[9] + omega * (even + odd - h[9]), a[10] = h[10] + omega * (even - odd - h[10]);
    u = x_ + z_, even = (1.0f / 36.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 36.0f) * 3.0f * r * u;
    a[11] = h[11] + omega * (even + odd - h[11]), a[12] = h[12] + omega * (even - odd - h[12]);
    u = x_ - z_, even = (1.0f / 36.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 36.0f) * 3.0f * r * u;
    a[13] = h[13] + omega * (even + odd - h[13]), a[14] = h[14] + omega * (even - odd - h[14]);
    u = y_ + z_, even = (1.0f / 36.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 36.0f) * 3.0f * r * u;
    a[15] = h[15] + omega * (even + odd - h[15]), a[16] = h[16] + omega * (even - odd - h[16]);
    u = y_ - z_, even = (1.0f / 36.0f) * (rest + 4.5f * r * u * u), odd = (1.0f / 36.0f) * 3.0f * r * u;
    a[17] = h[17] + omega * (even + odd - h[17]), a[18] = h[18] + omega * (even - odd - h[18]);
  } else {
    a[0] = h[0];
    float m = kind == 2 ? 1.0f / 3.0f : 0.0f;
    a[1] = h[2] + m * (lx), a[2] = h[1] - m * (lx);
    a[3] = h[4] + m * (ly), a[4] = h[3] - m * (ly);
    a[5] = h[6] + m * (lz), a[6] = h[5] - m * (lz);
    a[7] = h[8] + m * 0.5f * (lx + ly), a[8] = h[7] - m * 0.5f * (lx + ly);
    a[9] = h[10] + m * 0.5f * (lx - ly), a[10] = h[9] - m * 0.5f * (lx - ly);
    a[11] = h[12] + m * 0.5f * (lx + lz), a[12] = h[11] - m * 0.5f * (lx + lz);
    a[13] = h[14] + m * 0.5f * (lx - lz), a[14] = h[13] - m * 0.5f * (lx - lz);
    a[15] = h[16] + m * 0.5f * (ly + lz), a[16] = h[15] - m * 0.5f * (ly + lz);
    a[17] = h[18] + m * 0.5f * (ly - lz), a[18] = h[17] - m * 0.5f * (ly - lz);
  }
#pragma unroll
  for (int q = 0; q < 19; q++) *p[q] = compress<S>(a[q]);
}

template <class S> void benchmark(const char* name, unsigned n, int steps) {
  S* f;
  unsigned char* cells;
  size_t count = size_t(n) * n * n;
  cudaMalloc(&f, 19 * count * sizeof(S)), cudaMemset(f, 0, 19 * count * sizeof(S));
  cudaMalloc(&cells, count), cudaMemset(cells, 0, count);
  cudaEvent_t from, to;
  cudaEventCreate(&from), cudaEventCreate(&to);
  float times[8];
  unsigned t = 0;
  for (float& time : times) {
    cudaEventRecord(from);
    for (int i = 0; i < steps; i++, t++) {
      unsigned back = t * STRIDE % n, forth = n - back;
      dim3 grid((n + BLOCK - 1) / BLOCK, n, n);
      step<S><<<grid, BLOCK>>>(1.0f / 0.56f, 0, 0, 0, n, n, n, forth, forth, forth, back, back, back, cells, f);
    }
    cudaEventRecord(to), cudaEventSynchronize(to), cudaEventElapsedTime(&time, from, to);
  }
  std::sort(times, times + 8);
  printf("%s, %u^3 cells: %.0f million cells/s (%s)\n", name, n, count * double(steps) / times[4] / 1e3, cudaGetErrorString(cudaGetLastError()));
  cudaFree(f), cudaFree(cells);
}

int main() {
  benchmark<float>("f32", 256, 100);
  benchmark<__half>("f16", 256, 100);
}
