// What a chunk publishes: small items are in the word that says that they are there, others in the arrays of sums.
static __device__ __forceinline__ void gr_publish(const gr_scan& scan, const u64 i, const gr_item& item) {
  u64 word = 1;
  if (sizeof(gr_item) <= 4) {
    memcpy(&word, &item, sizeof(gr_item) <= 4 ? sizeof(gr_item) : 0);
    word = word << 32 >> 32 | 1ull << 32;
  } else {
    gr_put_sum(scan, i, item);
  }
#if __CUDA_ARCH__ >= 700
  if (sizeof(gr_item) <= 4) asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&scan.words[i]), "l"(word) : "memory");
  else asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(&scan.words[i]), "l"(word) : "memory");
#else
  __threadfence();
  ((volatile u64*)scan.words)[i] = word;
#endif
}

// What says that an item was published: zero before.
static __device__ __forceinline__ u64 gr_word(const gr_scan& scan, const u64 i) {
  u64 word;
#if __CUDA_ARCH__ >= 700
  if (sizeof(gr_item) <= 4) asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(&scan.words[i]) : "memory");
  else asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(&scan.words[i]) : "memory");
#else
  word = ((volatile u64*)scan.words)[i];
#endif
  return word;
}

// Waits for what was published, given the word as it was.
static __device__ __forceinline__ gr_item gr_await(const gr_scan& scan, const u64 i, u64 word) {
  while (!word) word = gr_word(scan, i);
#if __CUDA_ARCH__ < 700
  __threadfence();
#endif
  if (sizeof(gr_item) > 4) return gr_sum(scan, i);
  gr_item item;
  memcpy(&item, &word, sizeof(gr_item) <= 4 ? sizeof(gr_item) : 0);
  return item;
}

