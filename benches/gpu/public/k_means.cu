extern "C" __global__ void assign(const float* __restrict__ points, int count, int axes, const float* __restrict__ centers, int groups,
                                  int* __restrict__ nearest) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < count) {
    int best = -1;
    float least = 3.40282347e+38f;
    for (int group = 0; group < groups; group++) {
      float distance = 0;
      for (int axis = 0; axis < axes; axis++) {
        float difference = points[axis * count + point] - centers[group * axes + axis];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = group;
      }
    }
    nearest[point] = best;
  }
}
