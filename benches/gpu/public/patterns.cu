extern "C" __global__ void find(const unsigned char* __restrict__ text, const int* __restrict__ next, int finals, int* __restrict__ matches, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int state = finals + 1, found = 0, at = i;
  while (at < n) {
    state = next[state * 256 + text[at]];
    if (state < 0) break;
    if (state <= finals) found = state;
    at++;
  }
  matches[i] = found;
}
