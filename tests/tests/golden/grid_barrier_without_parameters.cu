extern "C" __global__ void grid_barrier_without_parameters(gr_grid* gr_launch) {
  const gr_grid_thread gr_thread(gr_launch);
  gr_sync_grid(0);
}
