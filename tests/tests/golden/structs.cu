static __device__ Vector turned(Vector v, f32 by) {
  Vector value;
  value.y = v.x * by;
  value.x = -v.y;
  return value;
}

extern "C" __global__ void structs(Particle* particles, usize particles_len, Vector wind, usize k) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles_len) {
    Particle p = particles[i];
    p.at.x += wind.x * 0.1f - 2.0f;
    const Vector value = turned(p.at, 0.5);
    if (k >= 3) gr_panic(1, k, 3); // unless proved
    p.trail[k] = value;
    p.n = gr_wrapping_add((u8)(p.n / (u8)3), (u8)1);
    Particle value_2 = p;
    value_2.m_double = fmax(p.m_double, 0.7);
    particles[i] = value_2;
    particles[i].trail[0ull].y = p.n > (u8)3 ? 1.0f : sqrtf(p.at.y);
  }
}
