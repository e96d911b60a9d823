// A ring of 64-bit words, and how far it is written and read. The host fills this in when it loads the module.
struct gr_print_ring {
  u64 written;   // words that threads have taken, or tried to
  u64 read;      // words that the host has taken out
  u64 lost;      // lines for which there was no room
};
struct gr_printer {
  gr_print_ring* ring;
  u64* words;
  u64 capacity;
  u32* printed;  // in the host's memory: whether there is anything to read
  u32 program;
};

extern "C" {
__device__ gr_printer gr_print_target;
}

struct gr_printed {
  u64 type, bits;
};
static __device__ __forceinline__ gr_printed gr_to_print(i8 a) { return {0, (u64)(i64)a}; }
static __device__ __forceinline__ gr_printed gr_to_print(i16 a) { return {1, (u64)(i64)a}; }
static __device__ __forceinline__ gr_printed gr_to_print(i32 a) { return {2, (u64)(i64)a}; }
static __device__ __forceinline__ gr_printed gr_to_print(i64 a) { return {3, (u64)a}; }
static __device__ __forceinline__ gr_printed gr_to_print(u8 a) { return {4, a}; }
static __device__ __forceinline__ gr_printed gr_to_print(u16 a) { return {5, a}; }
static __device__ __forceinline__ gr_printed gr_to_print(u32 a) { return {6, a}; }
static __device__ __forceinline__ gr_printed gr_to_print(u64 a) { return {7, a}; }
static __device__ __forceinline__ gr_printed gr_to_print(f32 a) { return {8, __float_as_uint(a)}; }
static __device__ __forceinline__ gr_printed gr_to_print(f64 a) { return {9, (u64)__double_as_longlong(a)}; }
static __device__ __forceinline__ gr_printed gr_to_print(bool a) { return {10, a}; }
// What is printed in place of a value of a library's type.
template <class T> static __device__ __forceinline__ T gr_printable(T a) { return a; }

// A line is its place in the sequence of all words, plus one, which no older word at that place can be; program and site; how many
// values follow; and those. The host reads between kernels, so nothing here has to be fenced.
static __device__ __noinline__ void gr_print_values(u32 site, u32 count, const gr_printed* values) {
  const gr_printer printer = gr_print_target;
  if (printer.ring == nullptr) return;
  *(volatile u32*)printer.printed = 1u;
  const u64 length = 3 + 2 * (u64)count;
  const u64 end = *(volatile u64*)&printer.ring->read + printer.capacity;
  // The plain read keeps the counter from running on when there is no room.
  u64 at = *(volatile u64*)&printer.ring->written;
  if (at < end) at = atomicAdd(&printer.ring->written, length);
  if (at + length > end) {
    atomicAdd(&printer.ring->lost, (u64)1);
    return;
  }
  u64* words = printer.words;
  words[at % printer.capacity] = at + 1;
  words[(at + 1) % printer.capacity] = (u64)printer.program << 32 | site;
  words[(at + 2) % printer.capacity] = count;
  for (u32 i = 0; i < count; i++) {
    words[(at + 3 + 2 * i) % printer.capacity] = values[i].type;
    words[(at + 4 + 2 * i) % printer.capacity] = values[i].bits;
  }
}
template <class... T> static __device__ __forceinline__ void gr_print(u32 site, T... a) {
  const gr_printed values[] = {gr_to_print(gr_printable(a))..., {0, 0}};
  gr_print_values(site, sizeof...(T), values);
}
