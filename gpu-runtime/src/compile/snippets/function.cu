// A device function as a value that calls it.
template <auto gr_callee> struct gr_function {
  template <class... T> __device__ __forceinline__ auto operator()(T... arguments) const { return gr_callee(arguments...); }
};
