struct gr_bins {
  u64 count;
};

