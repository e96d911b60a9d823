#define BLOCK 64
#define FLT_MAX 3.402823466e+38f

static __device__ float gamma_of(unsigned n) {
  if (n == 0) return 0.0f;
  return (n + 0.5f) * logf((float)n) - (n - 1.0f);
}

static __device__ void count(unsigned* table, const unsigned* a_pair, const unsigned* b_pair, unsigned mask) {
  unsigned a[3] = {a_pair[0], a_pair[1], ~(a_pair[0] | a_pair[1]) & mask};
  unsigned b[3] = {b_pair[0], b_pair[1], ~(b_pair[0] | b_pair[1]) & mask};
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = 0; j < 3; j++) table[3 * i + j] += __popc(a[i] & b[j]);
}

static __device__ void table_of(unsigned* table, const unsigned* __restrict__ data, int markers, int words, unsigned mask, int i, int j) {
#pragma unroll
  for (int k = 0; k < 9; k++) table[k] = 0;
#pragma unroll 1
  for (int word = 0; word < words - 1; word++)
    count(table, &data[2 * (word * markers + i)], &data[2 * (word * markers + j)], 0xffffffffu);
  count(table, &data[2 * ((words - 1) * markers + i)], &data[2 * ((words - 1) * markers + j)], mask);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
epistasis(const unsigned* __restrict__ zeros, const unsigned* __restrict__ ones, float* __restrict__ scores, int markers, int words_zeros,
          int words_ones, unsigned mask_zeros, unsigned mask_ones) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j > i && i < markers && j < markers) {
    unsigned without[9], with[9];
    table_of(without, zeros, markers, words_zeros, mask_zeros, i, j);
    table_of(with, ones, markers, words_ones, mask_ones, i, j);
    float score = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; k++) score += gamma_of(without[k] + with[k] + 1) - gamma_of(without[k]) - gamma_of(with[k]);
    score = fabsf(score);
    scores[i * markers + j] = score == 0.0f ? FLT_MAX : score;
  }
}
