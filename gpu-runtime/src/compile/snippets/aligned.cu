// Which bits of the address of a T are 0 where the compiler may load neighbouring parts of it at once: below the largest power of two, up to 16,
// that divides its size. A launch compares them. (Of an assumption within a function, NVRTC would see nothing.)
template <class T> static constexpr usize gr_lowest_bits = (sizeof(T) % 16 == 0 ? 16 : sizeof(T) & (~sizeof(T) + 1)) - 1;
