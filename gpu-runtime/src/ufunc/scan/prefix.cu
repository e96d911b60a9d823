// What the elements so far give, if there are any.
struct gr_prefix {
  gr_item item;
  bool any;
};

static __device__ __forceinline__ void gr_append(gr_prefix& prefix, const gr_item& item) {
  prefix.item = prefix.any ? gr_combine(prefix.item, item) : item;
  prefix.any = true;
}

static __device__ __forceinline__ void gr_append(gr_prefix& prefix, const gr_prefix& next) {
  if (next.any) gr_append(prefix, next.item);
}

