static __device__ f32 Square_area(Square self) {
  return self.side * self.side;
}

static __device__ f32 weighed(gr_array<Square, 2ull> shapes, f32 weight) {
  decltype(gr_output(Square_area)) sum = (gr_real<decltype(gr_output(Square_area))>)0.0;
  for (gr_counter<2ull> i_next = 0; i_next < 2ull; i_next++) {
    const usize i = i_next;
    const decltype(gr_output(Square_area)) value = Square_area(shapes[i]);
    const decltype(gr_output(Square_area)) value_2 = gr_wrapping_mul(value, weight);
    const decltype(gr_output(Shape_doubled_area)) value_3 = Shape_doubled_area(shapes[i]);
    sum = gr_wrapping_add(sum, gr_wrapping_add(value_2, value_3));
  }
  return sum;
}

static __device__ f32 weighed(gr_array<f32, 2ull> shapes, f32 weight) {
  decltype(gr_output(f32_area)) sum = (gr_real<decltype(gr_output(f32_area))>)0.0;
  for (gr_counter<2ull> i_next = 0; i_next < 2ull; i_next++) {
    const usize i = i_next;
    const decltype(gr_output(f32_area)) value = f32_area(shapes[i]);
    const decltype(gr_output(f32_area)) value_2 = gr_wrapping_mul(value, weight);
    const decltype(gr_output(f32_doubled_area)) value_3 = f32_doubled_area(shapes[i]);
    sum = gr_wrapping_add(sum, gr_wrapping_add(value_2, value_3));
  }
  return sum;
}

static __device__ Square Square_scaled(const Square& self, f32 by) {
  Square value;
  value.side = self.side * by;
  return value;
}

static __device__ f32 Shape_doubled_area(Square self) {
  decltype(gr_output(Square_scaled)) value = Square_scaled(self, 2.0);
  const decltype(gr_output(Square_area)) value_2 = Square_area(value);
  return gr_wrapping_add(value_2, gr_cast<f32>(4u));
}

static __device__ f32 f32_area(f32 self) {
  return 3.0f * self * self;
}

static __device__ f32 f32_doubled_area(f32 self) {
  return 12.0f * self * self;
}

extern "C" __global__ void traits(const Square* __restrict__ squares, usize squares_len, const f32* __restrict__ radii, usize radii_len, f32* out, usize out_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out_len) {
    if (i >= squares_len) gr_panic(0, i, squares_len); // unless proved
    const decltype(gr_output(Square_area)) value = weighed(gr_array<Square, 2>::repeat(squares[i]), 0.5);
    if (i >= radii_len) gr_panic(1, i, radii_len); // unless proved
    const decltype(gr_output(Square_area)) value_2 = weighed(gr_array<f32, 2>{{radii[i], 1.0f}}, 0.25);
    const decltype(gr_output(Square_area)) value_3 = gr_wrapping_add(value, value_2);
    const decltype(gr_output(Square_scaled)) value_4 = Square_scaled(squares[i], 3.0);
    const decltype(gr_output(Square_area)) value_5 = Square_area(value_4);
    out[i] = gr_wrapping_add(value_3, value_5);
  }
}
