extern "C" __global__ void enums_with_data(Shape* __restrict__ shapes, usize shapes_len, f32* __restrict__ area, usize area_len) {
  gr_wait_for_previous();
  const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= shapes_len || i >= area_len) {
    return;
  }
  decltype(decltype(Shape::as_Circle)::radius) value;
  const Shape value_2 = shapes[i];
  if (value_2 == gr_variant{0ll} || (value_2.is_Circle() && value_2.as_Circle.radius == (gr_real<decltype(decltype(Shape::as_Circle)::radius)>)0.0)) {
    value = (gr_real<decltype(decltype(Shape::as_Circle)::radius)>)0.0;
  } else if (value_2.is_Circle()) {
    const decltype(decltype(Shape::as_Circle)::radius) radius = value_2.as_Circle.radius;
    value = gr_wrapping_mul(gr_wrapping_mul((f32)3.0, radius), radius);
  } else if (value_2.is_Square() && value_2.as_Square._0.x == 0.1f) {
    const f32 y = value_2.as_Square._0.y;
    value = y;
  } else {
    const decltype(decltype(Shape::as_Square)::_1) side = value_2.as_Square._1;
    value = gr_wrapping_mul(side, side);
  }
  area[i] = value;
  const Shape value_3 = shapes[i];
  if (value_3.is_Square()) {
    const f32 x = value_3.as_Square._0.x;
    const f32 y_2 = value_3.as_Square._0.y;
    const decltype(decltype(Shape::as_Square)::_1) side_2 = value_3.as_Square._1;
    Vector value_5;
    value_5.x = y_2;
    value_5.y = x;
    Shape value_4;
    value_4.set_Circle();
    value_4.as_Circle.radius = gr_wrapping_mul(side_2, (f32)0.5);
    value_4.as_Circle.centre = value_5;
    shapes[i] = value_4;
  } else {
    shapes[i] = gr_variant{0ll};
  }
}
