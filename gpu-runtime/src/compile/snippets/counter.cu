// The type of a counter that goes from 0 to `N`: 32 bits if they hold it.
template <bool F> struct gr_counter_of { typedef u32 type; };
template <> struct gr_counter_of<false> { typedef usize type; };
template <usize N> using gr_counter = typename gr_counter_of<(N <= 0xffffffffull)>::type;
