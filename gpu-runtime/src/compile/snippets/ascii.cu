// Methods of `u8` as a character.
static __device__ __forceinline__ bool gr_is_ascii(u8 c) { return c < 128; }
static __device__ __forceinline__ bool gr_is_ascii_digit(u8 c) { return c >= '0' && c <= '9'; }
static __device__ __forceinline__ bool gr_is_ascii_lowercase(u8 c) { return c >= 'a' && c <= 'z'; }
static __device__ __forceinline__ bool gr_is_ascii_uppercase(u8 c) { return c >= 'A' && c <= 'Z'; }
static __device__ __forceinline__ bool gr_is_ascii_alphabetic(u8 c) { return gr_is_ascii_lowercase(c) || gr_is_ascii_uppercase(c); }
static __device__ __forceinline__ bool gr_is_ascii_alphanumeric(u8 c) { return gr_is_ascii_alphabetic(c) || gr_is_ascii_digit(c); }
static __device__ __forceinline__ bool gr_is_ascii_punctuation(u8 c) { return c > ' ' && c < 127 && !gr_is_ascii_alphanumeric(c); }
// Without the vertical tab, 11.
static __device__ __forceinline__ bool gr_is_ascii_whitespace(u8 c) { return c == ' ' || (c >= 9 && c <= 13 && c != 11); }
static __device__ __forceinline__ u8 gr_to_ascii_lowercase(u8 c) { return gr_is_ascii_uppercase(c) ? (u8)(c + 32) : c; }
static __device__ __forceinline__ u8 gr_to_ascii_uppercase(u8 c) { return gr_is_ascii_lowercase(c) ? (u8)(c - 32) : c; }
