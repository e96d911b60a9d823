// Bins without a table of edges.
typedef u8 gr_edges;
static __device__ __forceinline__ void gr_fill_edges(gr_edges&, const gr_bins&) {}

