// What a function returns, for decltype.
template <class R, class... A> __device__ R gr_output(R (*)(A...));
