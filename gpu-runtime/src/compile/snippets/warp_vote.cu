// What holds for the threads of a warp. `lanes` has the bits of those that take part; exited ones do not count.
static __device__ __forceinline__ bool gr_warp_all(bool held, u32 lanes = 0xffffffffu) { return __all_sync(lanes, held) != 0; }
static __device__ __forceinline__ bool gr_warp_any(bool held, u32 lanes = 0xffffffffu) { return __any_sync(lanes, held) != 0; }
static __device__ __forceinline__ bool gr_warp_equal(bool held, u32 lanes = 0xffffffffu) { return __uni_sync(lanes, held) != 0; }
static __device__ __forceinline__ u32 gr_warp_ballot(bool held, u32 lanes = 0xffffffffu) { return __ballot_sync(lanes, held); }
