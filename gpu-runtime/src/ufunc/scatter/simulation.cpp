// Runs `gr_reduce` thread by thread, launch after launch, as `update_by_runs` does, where some elements fail and the memory of partial results
// has any contents. Ends with 1 and a message if an element has another value than its pairs give. `HAS_STORED` says which `gr_put` there is.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef u32 gr_key;
typedef u64 gr_value;
enum : u32 { GR_EACH = 32, GR_AT_A_TIME = 4 };

#define __device__
#define __forceinline__ inline
struct {
  u32 x;
} threadIdx, blockIdx, blockDim;

// A thread that fails.
struct exited {};
#define gr_panic(...) throw exited()
static gr_value gr_apply(const gr_value& element, const gr_value& value) { return element + value; }

enum : u64 { FAILS = ~0ull };

namespace first {
struct gr_inputs {
  const u64 *indices, *values;
};
struct gr_item {
  u64 _0;
  gr_value _1;
};
typedef gr_item gr_values;
static gr_values gr_load(const gr_inputs& in, const u64 i) { return {in.indices[i], in.values[i]}; }
static gr_item gr_compute(const gr_inputs&, const gr_values& x) {
  if (x._1 == FAILS) throw exited();
  return x;
}
#include "first.cu"
}  // namespace first

namespace later {
struct gr_inputs {
  const gr_value* values;
};
typedef gr_value gr_item;
typedef gr_item gr_values;
static gr_values gr_load(const gr_inputs& in, const u64 i) { return in.values[i]; }
static gr_item gr_compute(const gr_inputs&, const gr_values& x) { return x; }
#include "later.cu"
}  // namespace later

static std::mt19937 random_bits(7);
static u64 below(const u64 n) { return random_bits() % n; }

struct partial_results {
  std::vector<gr_key> keys;
  std::vector<gr_value> values;
  std::vector<u8> there;

  partial_results(const u64 count, const u64 len) : keys(count), values(count), there(count) {
    for (u64 i = 0; i < count; ++i) keys[i] = below(len + 4), values[i] = 1000000 + below(9), there[i] = below(2) * 170;
  }
};

// One thread after the other. Those that fail are no failure of the launch.
template <class Thread> static void launch(const u64 threads, const Thread& thread) {
  blockDim.x = 1;
  for (u64 t = 0; t < threads; ++t) {
    blockIdx.x = t;
    try {
      thread();
    } catch (exited) {
    }
  }
}

// One batch of pairs, in the order of their keys, launch after launch.
static void update(const std::vector<gr_key>& keys, const std::vector<u32>& order, const first::gr_inputs& in, const u64 base, const first::gr_targets& to) {
  u64 count = keys.size(), threads = (count + GR_EACH - 1) / GR_EACH;
  partial_results left(2 * threads, to.len);
  const bool goes_on = threads > 1;
  launch(threads, [&] {
    const first::gr_partials partials = {goes_on ? left.keys.data() : 0, left.values.data(), left.there.data()};
    first::gr_reduce({in, keys.data(), order.data(), 0, base}, count, to, partials);
  });
  while (threads > 1) {
    count = 2 * threads;
    threads = (count + GR_EACH - 1) / GR_EACH;
    partial_results next(2 * threads, to.len);
    launch(threads, [&] {
      const later::gr_inputs in = {left.values.data()};
      const later::gr_partials partials = {threads > 1 ? next.keys.data() : 0, next.values.data(), next.there.data()};
      later::gr_reduce({in, left.keys.data(), 0, left.there.data(), 0}, count, {to.first, to.len, to.stored}, partials);
    });
    left = next;
  }
}

// Updates `len` elements, each by as many pairs of the value 1 as there are indices of it, in batches of `most` pairs. The index `len` is out
// of bounds. With `HAS_STORED`, elements have no value before, and memory has any contents.
static bool check(const u64 len, const u64 pairs, const u64 most, const bool fails) {
  std::vector<u64> indices(pairs), values(pairs, 1), target(len + 4, HAS_STORED ? 7000000 : 0), expected(len, 0);
  for (u64& index : indices) index = below(len + (fails ? 1 : 0));
  if (fails) values[below(pairs)] = FAILS;
  std::vector<u8> stored(len + 4, 0);
  std::vector<bool> is_exact(len, true);
  for (u64 base = 0; base < pairs; base += most) {
    std::vector<u32> order(pairs - base < most ? pairs - base : most);
    for (u64 i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](const u32 a, const u32 b) { return indices[base + a] < indices[base + b]; });
    std::vector<gr_key> keys;
    for (const u32 place : order) keys.push_back(indices[base + place]);
    for (u64 begin = 0; begin < keys.size(); begin += GR_EACH) {
      const u64 end = begin + GR_EACH < keys.size() ? begin + GR_EACH : keys.size();
      bool failed = false;
      for (u64 i = begin; i < end; ++i) failed = failed || keys[i] == len || values[base + order[i]] == FAILS;
      for (u64 i = begin; i < end; ++i) {
        if (keys[i] < len) expected[keys[i]] += 1, is_exact[keys[i]] = is_exact[keys[i]] && !failed;
      }
    }
    update(keys, order, {indices.data(), values.data()}, base, {target.data(), len, stored.data()});
  }
  if (HAS_STORED) {
    for (u64 i = 0; i < target.size(); ++i) target[i] = stored[i] ? target[i] : target[i] - 7000000;
  }

  for (u64 i = 0; i < target.size(); ++i) {
    const bool is_right = i >= len ? target[i] == 0 : is_exact[i] ? target[i] == expected[i] : target[i] <= expected[i];
    if (is_right) continue;
    printf("element %d of %d, of %d pairs: %llu\n", (int)i, (int)len, (int)pairs, (unsigned long long)target[i]);
    return false;
  }
  return true;
}

int main() {
  for (u64 round = 0; round < 2000; ++round) {
    const u64 pairs = 1 + below(round % 2 ? 3000 : 100), len = 1 + below(round % 3 ? 20 : 2000);
    const u64 most = round % 5 ? pairs : 1 + below(pairs);
    if (!check(len, pairs, most, round % 4 != 0)) return 1;
  }
}
