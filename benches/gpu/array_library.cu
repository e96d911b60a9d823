// The same work by CUB and by a plain copy. `reference_seconds(which, calls)` is the time of one of `calls` calls in a row.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <map>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

template <class T> static T* make(const std::vector<T>& host) {
  T* device;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <class T> static T* room(size_t len) {
  T* device;
  CHECK(cudaMalloc(&device, len * sizeof(T)));
  return device;
}

// The numbers of the benchmark in Rust: `array_library.rs`.
static uint32_t scrambled(uint32_t i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  return i ^ i >> 16;
}

struct Work {
  void* scratch = nullptr;
  size_t bytes = 0;
  const float* x = nullptr;
  float* y = nullptr;
  unsigned* counts = nullptr;
  const uint32_t *keys = nullptr, *values = nullptr;
  uint32_t *sorted = nullptr, *order = nullptr;
  size_t len = 0;

  explicit Work(int which) {
    if (which <= 1 || which == 5) {
      len = which == 1 ? 100000000 : size_t(1) << 27;
      std::vector<float> host(len);
      for (size_t i = 0; i < len; i++) host[i] = float(i % 65) - 32.0f;
      x = make(host);
      y = room<float>(len);
    } else if (which == 2) {
      len = 100000000;
      std::vector<float> host(len);
      for (size_t i = 0; i < len; i++) host[i] = float(i * 7919 % 65536) / 65536.0f;
      x = make(host);
      counts = room<unsigned>(256);
    } else {
      len = 1 << 24;
      std::vector<uint32_t> host(len), places(len);
      for (size_t i = 0; i < len; i++) host[i] = scrambled(uint32_t(i)), places[i] = uint32_t(i);
      keys = make(host);
      values = make(places);
      sorted = room<uint32_t>(len);
      order = room<uint32_t>(len);
    }
    call(which);
    CHECK(cudaMalloc(&scratch, bytes ? bytes : 1));
  }

  // Without scratch memory, asks how much is needed.
  void call(int which) {
    switch (which) {
      case 0: CHECK(cudaMemcpyAsync(y, x, len * sizeof(float), cudaMemcpyDeviceToDevice)); break;
      case 1: CHECK(cub::DeviceScan::InclusiveSum(scratch, bytes, x, y, int64_t(len))); break;
      case 2:
        CHECK(cub::DeviceHistogram::HistogramEven(scratch, bytes, x, counts, 257, 0.0f, 1.0f, int(len)));
        break;
      case 3: CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, sorted, values, order, int(len))); break;
      case 4: CHECK(cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted, int(len))); break;
      default: CHECK(cub::DeviceReduce::Sum(scratch, bytes, x, y, int64_t(len)));
    }
  }
};

extern "C" double reference_seconds(int which, int calls) {
  static std::map<int, Work*> works;
  Work*& work = works[which];
  if (!work) work = new Work(which);
  CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; i++) work->call(which);
  CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}
