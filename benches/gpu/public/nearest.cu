#define NEAREST 8

extern "C" __global__ void nearest(const float (*__restrict__ points)[3], const float (*__restrict__ queries)[3],
                                   float (*__restrict__ distances)[NEAREST], int count, int query_count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= query_count) return;
  float query[3] = {queries[i][0], queries[i][1], queries[i][2]};
  float best[NEAREST];
  for (int k = 0; k < NEAREST; k++) best[k] = __int_as_float(0x7f800000);
  for (int p = 0; p < count; p++) {
    float distance = 0.0f;
    for (int axis = 0; axis < 3; axis++) distance += (points[p][axis] - query[axis]) * (points[p][axis] - query[axis]);
    if (distance < best[NEAREST - 1]) {
      int place = NEAREST - 1;
      while (place > 0 && best[place - 1] > distance) {
        best[place] = best[place - 1];
        place--;
      }
      best[place] = distance;
    }
  }
  for (int k = 0; k < NEAREST; k++) distances[i][k] = best[k];
}
