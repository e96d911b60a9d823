#define QUERY 128
#define MATCH 5
#define MISMATCH -3
#define GAP 4
extern "C" __global__ void smith_waterman(const unsigned char* __restrict__ queries, const unsigned char* __restrict__ targets, int target_len, int* __restrict__ best) {
    __shared__ int diagonal[3][QUERY + 1];
    __shared__ int maxima[QUERY];
    int t = threadIdx.x, pair = blockIdx.x;
    unsigned char letter = queries[pair * QUERY + t];
    for (int k = 0; k < 3; k++) {
        diagonal[k][t + 1] = 0;
        if (t == 0) diagonal[k][0] = 0;
    }
    __syncthreads();
    int highest = 0;
    for (int d = 0; d < target_len + QUERY - 1; d++) {
        int now = d % 3, before = (d + 2) % 3, earlier = (d + 1) % 3;
        int column = d - t, score = 0;
        if (column >= 0 && column < target_len) {
            bool same = letter == targets[pair * target_len + column];
            int substitution = same ? MATCH : MISMATCH;
            score = max(max(max(diagonal[earlier][t] + substitution, diagonal[before][t] - GAP), diagonal[before][t + 1] - GAP), 0);
            highest = max(highest, score);
        }
        diagonal[now][t + 1] = score;
        __syncthreads();
    }
    maxima[t] = highest;
    __syncthreads();
    for (int stride = QUERY / 2; stride > 0; stride /= 2) {
        if (t < stride) maxima[t] = max(maxima[t], maxima[t + stride]);
        __syncthreads();
    }
    if (t == 0) best[pair] = maxima[0];
}
