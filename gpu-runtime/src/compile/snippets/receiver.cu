// What a method takes as its receiver, a value or a reference, for decltype.
template <class R, class S, class... A> __device__ S gr_receiver(R (*)(S, A...));
