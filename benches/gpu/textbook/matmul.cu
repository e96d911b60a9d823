#define TILE 128
#define DEPTH 8
#define SIDE 16
#define EACH 8

extern "C" __global__ void __launch_bounds__(SIDE * SIDE, 2)
multiply(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c, int n) {
  __shared__ __align__(16) float tile_a[DEPTH][TILE];
  __shared__ __align__(16) float tile_b[DEPTH][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * SIDE + tx, quads = n / 4;
  int first_row = blockIdx.y * TILE, first_column = blockIdx.x * (TILE / 4);
  int a_row = t / (DEPTH / 4), a_quad = t % (DEPTH / 4), b_row = t / (TILE / 4), b_quad = t % (TILE / 4);
  float sums[EACH][EACH] = {};
  float4 next_a = a[(first_row + a_row) * quads + a_quad], next_b = b[b_row * quads + first_column + b_quad];
  for (int start = 0; start < n;) {
    tile_a[4 * a_quad][a_row] = next_a.x;
    tile_a[4 * a_quad + 1][a_row] = next_a.y;
    tile_a[4 * a_quad + 2][a_row] = next_a.z;
    tile_a[4 * a_quad + 3][a_row] = next_a.w;
    *(float4*)&tile_b[b_row][4 * b_quad] = next_b;
    __syncthreads();
    start += DEPTH;
    if (start < n) {
      next_a = a[(first_row + a_row) * quads + start / 4 + a_quad];
      next_b = b[(start + b_row) * quads + first_column + b_quad];
    }
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      float of_a[EACH], of_b[EACH];
#pragma unroll
      for (int half = 0; half < 2; half++) {
        *(float4*)&of_a[4 * half] = *(const float4*)&tile_a[k][TILE / 2 * half + 4 * ty];
        *(float4*)&of_b[4 * half] = *(const float4*)&tile_b[k][TILE / 2 * half + 4 * tx];
      }
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) sums[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    int row = first_row + TILE / 2 * (i / 4) + 4 * ty + i % 4, column = first_column + tx;
    c[row * quads + column] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    c[row * quads + column + TILE / 8] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
  }
}
