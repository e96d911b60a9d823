extern "C" __global__ void update(signed char* __restrict__ lattice, const signed char* __restrict__ other, const float* __restrict__ random,
                                  float inverse_temperature, int nx, int ny, int black) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int i = id / ny, j = id % ny;
  if (i >= nx) return;
  int below = i + 1 < nx ? i + 1 : 0, above = i > 0 ? i - 1 : nx - 1;
  int right = j + 1 < ny ? j + 1 : 0, left = j > 0 ? j - 1 : ny - 1;
  int side = black == (i % 2) ? right : left;
  signed char neighbours = other[above * ny + j] + other[i * ny + j] + other[below * ny + j] + other[i * ny + side];
  signed char spin = lattice[i * ny + j];
  float acceptance = expf(-2.0f * inverse_temperature * neighbours * spin);
  if (random[i * ny + j] < acceptance) lattice[i * ny + j] = -spin;
}
