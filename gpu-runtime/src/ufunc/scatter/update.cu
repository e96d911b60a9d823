template <class To, class From> static __device__ __forceinline__ To gr_bits(const From& from) {
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

template <u32 SIZE> struct gr_word;
template <> struct gr_word<4> { typedef u32 type; };
template <> struct gr_word<8> { typedef u64 type; };

// Tries until nobody came between.
template <u32 SIZE> struct gr_updater {
  static __device__ __forceinline__ void update(gr_value* const at, const gr_value value) {
    typedef typename gr_word<SIZE>::type word_type;
    word_type* const word = (word_type*)at;
    word_type old = *(volatile word_type*)word;
    for (;;) {
      const word_type next = gr_bits<word_type>(gr_apply(gr_bits<gr_value>(old), value));
      // Of many values for a minimum, few change it.
      if (next == old) return;
      const word_type seen = atomicCAS(word, old, next);
      if (seen == old) return;
      old = seen;
    }
  }
};

// Part of a word of four bytes. No other array has the rest of it: arrays start at multiples of 256 bytes.
template <class PART> static __device__ __forceinline__ void gr_update_part(gr_value* const at, const gr_value value) {
  u32* const word = (u32*)((u64)at & ~3ull);
  const u32 shift = (u32)((u64)at & 3) * 8;
  const u32 mask = (u32)(PART)~(PART)0 << shift;
  u32 old = *(volatile u32*)word;
  for (;;) {
    const gr_value result = gr_apply(gr_bits<gr_value>((PART)(old >> shift)), value);
    const u32 next = (old & ~mask) | ((u32)gr_bits<PART>(result) << shift);
    if (next == old) return;
    const u32 seen = atomicCAS(word, old, next);
    if (seen == old) return;
    old = seen;
  }
}

template <> struct gr_updater<1> {
  static __device__ __forceinline__ void update(gr_value* const at, const gr_value value) { gr_update_part<u8>(at, value); }
};
template <> struct gr_updater<2> {
  static __device__ __forceinline__ void update(gr_value* const at, const gr_value value) { gr_update_part<u16>(at, value); }
};

