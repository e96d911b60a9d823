// One thread at a time has an element whose index has the lock. It only copies bytes then: what the function does could end the thread.
static __device__ u32 gr_locks[1024];

struct gr_bytes {
  u8 of[sizeof(gr_value)];
};

// Reads the bytes of an element, and replaces them with the next ones if there are any, and the bytes are still the old ones.
static __device__ bool gr_replace(gr_value* const at, gr_bytes& old, const gr_bytes* const next) {
  u32* const lock = gr_locks + (u64)at / sizeof(gr_value) % 1024;
  volatile u8* const bytes = (volatile u8*)at;
  bool same = next != 0;
  // No thread of the warp waits for another one in here.
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0u, 1u) == 0) {
      __threadfence();
      for (u32 k = 0; k < sizeof(gr_value); ++k) {
        const u8 now = bytes[k];
        same = same && now == old.of[k];
        old.of[k] = now;
      }
      for (u32 k = 0; same && k < sizeof(gr_value); ++k) bytes[k] = next->of[k];
      __threadfence();
      atomicExch(lock, 0u);
      done = true;
    }
  }
  return same;
}

static __device__ void gr_update_locked(gr_value* const at, const gr_value value) {
  gr_bytes old = {}, next;
  gr_replace(at, old, 0);
  do next = gr_bits<gr_bytes>(gr_apply(gr_bits<gr_value>(old), value));
  while (!gr_replace(at, old, &next));
}

