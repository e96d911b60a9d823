extern "C" __global__ void volume_3d(const f32* __restrict__ field, usize field_len, usize nx, usize ny, usize nz, f32* __restrict__ out, usize out_len) {
  gr_wait_for_previous();
  const usize x = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  const usize y = (usize)blockIdx.y * blockDim.y + threadIdx.y;
  const usize z = (usize)blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) {
    const usize at = (z * ny + y) * nx + x;
    if (at >= field_len) gr_panic(0, at, field_len); // unless proved
    if (at >= out_len) gr_panic(1, at, out_len); // unless proved
    out[at] = field[at] * (f32)(usize)blockDim.z + (f32)(usize)gridDim.x;
  }
}
