#define N 19
#define M 9
extern "C" __global__ void twister(const unsigned* __restrict__ matrices, const unsigned* __restrict__ masks_b, const unsigned* __restrict__ masks_c,
                                   const unsigned* __restrict__ seeds, float* __restrict__ out, int per_thread, int threads) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= threads) return;
  unsigned matrix = matrices[tid], b = masks_b[tid], c = masks_c[tid], mt[N];
  mt[0] = seeds[tid];
  for (int i = 1; i < N; i++) mt[i] = 1812433253u * (mt[i - 1] ^ (mt[i - 1] >> 30)) + i;
  int state = 0;
  unsigned m1 = mt[0];
  for (int k = 0; k < per_thread; k++) {
    int next = state + 1, far = state + M;
    if (next >= N) next -= N;
    if (far >= N) far -= N;
    unsigned m0 = m1;
    m1 = mt[next];
    unsigned x = (m0 & 0xfffffffe) | (m1 & 1);
    x = mt[far] ^ (x >> 1) ^ ((x & 1) ? matrix : 0);
    mt[state] = x;
    state = next;
    x ^= x >> 12;
    x ^= (x << 7) & b;
    x ^= (x << 15) & c;
    x ^= x >> 18;
    out[tid + threads * k] = ((float)x + 1.0f) / 4294967296.0f;
  }
}
