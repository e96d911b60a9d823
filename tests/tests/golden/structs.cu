static __device__ Vector turned(Vector v, f32 by) {
  Vector value;
  value.y = gr_wrapping_mul(v.x, by);
  value.x = gr_wrapping_neg(v.y);
  return value;
}

extern "C" __global__ void structs(Particle* particles, usize particles_len, Vector wind, usize k) {
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < particles_len) {
    Particle p = particles[i];
    p.at.x = gr_wrapping_add(p.at.x, gr_wrapping_sub(gr_wrapping_mul(wind.x, gr_float<f32>(0.1f, 0.1)), (f32)2.0));
    const decltype(Particle::trail)::element value = turned(p.at, 0.5);
    if (k >= p.trail.length) gr_panic(1, k, p.trail.length);
    p.trail[k] = value;
    p.n = gr_wrapping_add(gr_divide(p.n, (u8)3), (u8)1);
    Particle value_2 = p;
    value_2.m_double = gr_max(p.m_double, gr_float<gr_real<decltype(Particle::m_double)>>(0.7f, 0.7));
    particles[i] = value_2;
    decltype(decltype(Particle::at)::y) value_3;
    if (p.n > (gr_real<decltype(Particle::n)>)3) {
      value_3 = (gr_real<decltype(decltype(Particle::at)::y)>)1.0;
    } else {
      value_3 = gr_sqrt(p.at.y);
    }
    if (0ull >= particles[i].trail.length) gr_panic(5, 0ull, particles[i].trail.length);
    particles[i].trail[0ull].y = value_3;
  }
}
