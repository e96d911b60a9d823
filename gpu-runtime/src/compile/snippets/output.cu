// What a function returns, for decltype.
template <class R, class... A> R gr_output(R (*)(A...));
