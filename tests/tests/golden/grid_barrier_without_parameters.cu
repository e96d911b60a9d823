extern "C" __global__ void grid_barrier_without_parameters(gr_grid* gr_launch) {
  gr_wait_for_previous();
  gr_begin_thread(gr_launch);
  gr_sync_grid(0);
  gr_end_thread<1>();
}
