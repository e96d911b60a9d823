// The type of a counter that goes from 0 to `end`: 32 bits if they hold it.
template <bool N> struct gr_counter_of { typedef u32 type; };
template <> struct gr_counter_of<false> { typedef usize type; };
template <usize end> using gr_counter = typename gr_counter_of<(end <= 0xffffffffull)>::type;
