// The type that thread_idx() and similar functions return.
struct gr_dim3 {
  usize x, y, z;
};
