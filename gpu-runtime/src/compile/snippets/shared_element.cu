// The type of an element of a shared array, of which Rust knows only a name.
template <class T> struct gr_in_shared { typedef T type; };
template <> struct gr_in_shared<bool> { typedef gr_shared_bool type; };
template <class T, usize N> struct gr_in_shared<gr_array<T, N>> { typedef gr_array<typename gr_in_shared<T>::type, N> type; };
template <class T> using gr_shared_element = typename gr_in_shared<T>::type;
