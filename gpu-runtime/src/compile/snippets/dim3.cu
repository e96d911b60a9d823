// What thread_idx() and its kind return.
struct gr_dim3 {
  usize x, y, z;
};
