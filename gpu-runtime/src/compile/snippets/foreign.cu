
// The parameters of a function that the user wrote, in which types of the same size and kind are one: `long` has 64 bits on Linux.
template <class T> struct gr_plain { using type = T; };
template <> struct gr_plain<char> { using type = i8; };
template <int> struct gr_long;
template <> struct gr_long<4> { using type = i32; using unsigned_type = u32; };
template <> struct gr_long<8> { using type = i64; using unsigned_type = u64; };
template <> struct gr_plain<long> { using type = gr_long<sizeof(long)>::type; };
template <> struct gr_plain<unsigned long> { using type = gr_long<sizeof(long)>::unsigned_type; };
template <class T> struct gr_plain<const T> { using type = const typename gr_plain<T>::type; };
template <class T> struct gr_plain<T*> { using type = typename gr_plain<T>::type*; };
template <class F> struct gr_parameters;
template <class... A> struct gr_parameters<void(A...)> { using type = void(typename gr_plain<A>::type...); };
template <class F, class G> struct gr_same { enum { value = 0 }; };
template <class F> struct gr_same<F, F> { enum { value = 1 }; };
template <class F, class G>
__device__ constexpr bool gr_same_parameters() { return gr_same<typename gr_parameters<F>::type, typename gr_parameters<G>::type>::value; }
