__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static __device__ unsigned right(unsigned x, int n) { return __funnelshift_r(x, x, n); }

static __device__ void digest(const unsigned* block, unsigned* s) {
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned w[64];
  for (int i = 0; i < 16; i++) w[i] = block[i];
  for (int i = 16; i < 64; i++) {
    unsigned s0 = right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ (w[i - 15] >> 3);
    unsigned s1 = right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  unsigned a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5], g = start[6], h = start[7];
  for (int i = 0; i < 64; i++) {
    unsigned s1 = right(e, 6) ^ right(e, 11) ^ right(e, 25);
    unsigned t1 = h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i];
    unsigned s0 = right(a, 2) ^ right(a, 13) ^ right(a, 22);
    unsigned t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  s[0] = start[0] + a, s[1] = start[1] + b, s[2] = start[2] + c, s[3] = start[3] + d;
  s[4] = start[4] + e, s[5] = start[5] + f, s[6] = start[6] + g, s[7] = start[7] + h;
}

extern "C" __global__ void hash(unsigned (*__restrict__ digests)[8], int count, unsigned first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned block[16] = {};
  block[0] = first + i;
  block[1] = 0x80000000;
  block[15] = 32;
  unsigned s[8];
  digest(block, s);
  for (int k = 0; k < 8; k++) digests[i][k] = s[k];
}
