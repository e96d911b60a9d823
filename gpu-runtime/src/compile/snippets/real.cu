// The type of a literal beside a value of type T: T, or what T consists of.
template <class T> struct gr_real_of { typedef T type; };
template <class T> using gr_real = typename gr_real_of<T>::type;
