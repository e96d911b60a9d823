(const gr_inputs in, gr_value* const target, const u64 len, const u64 count) {
  const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const gr_item item = gr_element(in, i);
  gr_update(target + gr_index(item, len), item._1);
}
