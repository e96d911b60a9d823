// Runs `gr_reduce`, launch after launch, as `update_by_runs` does, where some elements fail and the memory of tables has any contents. The lanes of
// a warp take turns: each runs up to its next vote or shuffle. Ends with 1 and a message if an element has another value than its pairs give.
// `HAS_STORED` says which `gr_put` there is.
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef u32 gr_key;

// A function that is associative and not commutative: x ↦ scale · x + offset, one after the other.
struct gr_value {
  u64 scale, offset;
};
static gr_value gr_apply(const gr_value& element, const gr_value& value);

enum : u32 { GR_EACH = 4, GR_AT_A_TIME = 4, GR_BITS = 3, GR_TABLE = 1u << GR_BITS };

#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
struct {
  u32 x;
} threadIdx, blockIdx, blockDim;

// A thread that fails.
struct exited {};
#define gr_panic(...) throw exited()

// The lanes of the warp: whether each has exited, and what it has brought to the last votes and shuffles.
static ucontext_t scheduler, lanes[32];
static bool has_exited[32];
static u64 steps[32], brought[2][32];
static const std::function<void()>* of_lane;

// Brings a word to the other lanes, and waits for them. Returns which number of a step that is.
static u64 meet(const u64 word) {
  const u32 lane = threadIdx.x;
  const u64 step = steps[lane]++;
  brought[step % 2][lane] = word;
  swapcontext(&lanes[lane], &scheduler);
  return step;
}
static u32 __ballot_sync(u32, const bool vote) {
  const u64 step = meet(vote);
  u32 votes = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    if (steps[lane] > step && brought[step % 2][lane]) votes |= 1u << lane;
  }
  return votes;
}
static bool __any_sync(const u32 all, const bool vote) { return __ballot_sync(all, vote) != 0; }
static u32 __shfl_sync(u32, const u32 word, const u32 lane) {
  const u64 step = meet(word);
  // What an exited lane has is undefined.
  return steps[lane] > step ? (u32)brought[step % 2][lane] : 0xdeadbeef;
}
static void __syncwarp() { meet(0); }
static u32 __popc(const u32 word) { return (u32)__builtin_popcount(word); }
static u32 __clz(const u32 word) { return word == 0 ? 32 : (u32)__builtin_clz(word); }
static u32 __ffs(const u32 word) { return (u32)__builtin_ffs((int)word); }

static void run_lane() {
  try {
    (*of_lane)();
  } catch (exited) {
  }
  has_exited[threadIdx.x] = true;
}

static std::vector<u8> stacks(32 << 16);

static void run_warp(const std::function<void()>& lane_work) {
  of_lane = &lane_work;
  for (u32 lane = 0; lane < 32; ++lane) {
    has_exited[lane] = false, steps[lane] = 0;
    getcontext(&lanes[lane]);
    lanes[lane].uc_stack.ss_sp = &stacks[lane << 16];
    lanes[lane].uc_stack.ss_size = 1 << 16;
    lanes[lane].uc_link = &scheduler;
    makecontext(&lanes[lane], run_lane, 0);
  }
  for (bool any = true; any;) {
    any = false;
    u64 step = 0;
    for (u32 lane = 0; lane < 32; ++lane) {
      if (has_exited[lane]) continue;
      threadIdx.x = lane;
      swapcontext(&scheduler, &lanes[lane]);
      if (has_exited[lane]) continue;
      // Votes and shuffles are those of all lanes that are left.
      if (any && steps[lane] != step) printf("lane %u is at step %llu\n", lane, (unsigned long long)steps[lane]), exit(1);
      any = true, step = steps[lane];
    }
  }
}

// The value whose combination fails.
enum : u64 { FAILS = 0x7777777777777777 };

static gr_value gr_apply(const gr_value& element, const gr_value& value) {
  if (value.offset == FAILS + 1 || element.offset == FAILS + 1) throw exited();
  return {element.scale * value.scale, element.offset * value.scale + value.offset};
}

struct gr_pair {
  u64 _0;
  gr_value _1;
};
struct of_pairs {
  const u64* indices;
  const gr_value* values;
};

namespace sorted {
typedef of_pairs gr_inputs;
typedef gr_pair gr_item;
typedef gr_item gr_values;
enum : u32 { GR_LEFT = 2 };
static gr_values gr_load(const gr_inputs& in, const u64 i) { return {in.indices[i], in.values[i]}; }
static gr_item gr_compute(const gr_inputs&, const gr_values& x) {
  if (x._1.offset == FAILS) throw exited();
  return x;
}
#include "sorted.cu"
}  // namespace sorted

namespace as_given {
using sorted::gr_compute;
using sorted::gr_inputs;
using sorted::gr_item;
using sorted::gr_load;
using sorted::gr_values;
enum : u32 { GR_LEFT = 1 };
#include "as_given.cu"
}  // namespace as_given

namespace tables {
struct gr_inputs {
  const gr_value* values;
};
typedef gr_value gr_item;
typedef gr_item gr_values;
static gr_values gr_load(const gr_inputs& in, const u64 i) { return in.values[i]; }
static gr_item gr_compute(const gr_inputs&, const gr_values& x) { return x; }
#include "tables.cu"
}  // namespace tables

static std::mt19937 random_bits(7);
static u64 below(const u64 n) { return random_bits() % n; }

struct left_tables {
  std::vector<gr_key> buckets;
  std::vector<gr_value> values;
  std::vector<u8> there;

  left_tables(const u64 count, const u64 len) : buckets(count), values(count * GR_TABLE), there(count * GR_TABLE) {
    for (gr_key& bucket : buckets) bucket = below(len + 4);
    for (u64 i = 0; i < there.size(); ++i) values[i] = {1000000 + below(9), 7}, there[i] = below(2) * 170;
  }
};

// Launches for the tables that the pairs have left.
static void combine(left_tables left, const tables::gr_targets& to) {
  for (u64 count = left.buckets.size(), groups = 2; groups > 1; count = 2 * groups) {
    groups = (count + GR_EACH - 1) / GR_EACH;
    left_tables next(2 * groups, to.len);
    const tables::gr_inputs in = {left.values.data()};
    const tables::gr_partials partials = {groups > 1 ? next.buckets.data() : 0, next.values.data(), next.there.data()};
    blockDim.x = 1;
    for (u64 thread = 0; thread < groups * GR_TABLE; ++thread) {
      blockIdx.x = thread, threadIdx.x = 0;
      try {
        tables::gr_reduce({in, left.buckets.data(), 0, left.there.data(), 0}, count, GR_EACH, to, partials);
      } catch (exited) {
      }
    }
    left = next;
  }
}

// One batch of pairs, in the order of their buckets or of a single one, launch after launch.
template <class Source, class Targets, class Partials, class Reduce>
static void update(const Source& from, const u64 count, const u64 each, const u64 tables_left, const Targets& to, const Reduce& reduce) {
  const u64 warps = (count + each - 1) / each;
  left_tables left(tables_left * warps, to.len);
  const Partials partials = {warps > 1 ? left.buckets.data() : 0, left.values.data(), left.there.data()};
  for (u64 warp = 0; warp < warps; ++warp) {
    blockIdx.x = warp;
    run_warp([&] { reduce(from, count, each, to, partials); });
  }
  if (warps > 1) combine(left, {to.first, to.len, to.stored});
}

// Updates `len` elements by so many pairs, in batches of `most`, each warp by `each` of them. The index `len` is out of bounds. With `HAS_STORED`,
// elements have no value before, and memory has any contents.
static bool check(const u64 len, const u64 pairs, const u64 most, const u64 each, const bool fails) {
  const gr_value start = HAS_STORED ? gr_value{99, 99} : gr_value{1, 5};
  std::vector<u64> indices(pairs);
  std::vector<gr_value> values(pairs), target(len + 4, start), expected(len, start);
  for (u64& index : indices) index = below(10) ? below(len + (fails ? 1 : 0)) : 0;
  // Where something fails, sums: none may have a value twice.
  for (gr_value& value : values) value = {fails ? 1 : 1 + 2 * below(9), below(9)};
  if (fails) values[below(pairs)].offset = FAILS, values[below(pairs)].offset = FAILS + below(2);
  std::vector<u8> stored(len + 4, 0), has(len, !HAS_STORED), is_exact(len, true), fails_later(GR_TABLE, false);
  for (u64 i = 0; i < pairs; ++i) {
    // What cannot be combined may be stored by itself, and the thread that tries has other elements of the same place.
    if (values[i].offset == FAILS + 1) fails_later[indices[i] % GR_TABLE] = true;
    if (indices[i] == len || values[i].offset - FAILS < 2) continue;
    gr_value& element = expected[indices[i]];
    element = has[indices[i]] ? gr_apply(element, values[i]) : values[i];
    has[indices[i]] = 1;
  }
  const bool single = len <= GR_TABLE && below(2);
  // The elements of a warp of which a lane fails.
  const auto note_failures = [&](const u64 base, const std::vector<u32>& order) {
    for (u64 begin = 0; begin < order.size(); begin += each) {
      const u64 end = begin + each < order.size() ? begin + each : order.size();
      bool failed = false;
      for (u64 i = begin; i < end; ++i) failed = failed || indices[base + order[i]] == len || values[base + order[i]].offset - FAILS < 2;
      for (u64 i = begin; i < end; ++i) {
        if (indices[base + order[i]] < len && failed) is_exact[indices[base + order[i]]] = false;
      }
    }
  };
  for (u64 base = 0; base < pairs; base += single ? pairs : most) {
    std::vector<u32> order(single || pairs - base < most ? pairs - base : most);
    for (u64 i = 0; i < order.size(); ++i) order[i] = i;
    if (single) {
      note_failures(base, order);
      update<as_given::gr_source, as_given::gr_targets, as_given::gr_partials>({{indices.data(), values.data()}, 0, 0, 0, 0}, pairs, each, 1, {target.data(), len, stored.data()}, [](auto&... all) { as_given::gr_reduce(all...); });
      continue;
    }
    std::stable_sort(order.begin(), order.end(), [&](const u32 a, const u32 b) { return indices[base + a] >> GR_BITS < indices[base + b] >> GR_BITS; });
    std::vector<gr_key> keys;
    for (const u32 place : order) keys.push_back(indices[base + place]);
    note_failures(base, order);
    update<sorted::gr_source, sorted::gr_targets, sorted::gr_partials>({{indices.data(), values.data()}, keys.data(), order.data(), 0, base}, keys.size(), each, 2, {target.data(), len, stored.data()}, [](auto&... all) { sorted::gr_reduce(all...); });
  }

  for (u64 i = 0; i < target.size(); ++i) {
    const bool is_start = target[i].scale == start.scale && target[i].offset == start.offset;
    bool is_right;
    if (i >= len) is_right = is_start && !stored[i];
    else if (fails_later[i % GR_TABLE]) is_right = true;
    else if (HAS_STORED && !stored[i]) is_right = is_start && !(has[i] && is_exact[i]);
    else if (is_exact[i]) is_right = target[i].scale == expected[i].scale && target[i].offset == expected[i].offset;
    else is_right = target[i].offset <= expected[i].offset;
    if (is_right) continue;
    printf("element %d of %d, of %d pairs: %llu %llu, not %llu %llu\n", (int)i, (int)len, (int)pairs, (unsigned long long)target[i].scale, (unsigned long long)target[i].offset, (unsigned long long)expected[i].scale, (unsigned long long)expected[i].offset);
    return false;
  }
  return true;
}

int main() {
  for (u64 round = 0; round < 80; ++round) {
    const u64 pairs = 1 + below(round % 2 ? 800 : 100), len = 1 + below(round % 3 ? 20 : 2000);
    const u64 most = round % 5 ? pairs : 1 + below(pairs), each = 32 * (1 + below(4));
    if (!check(len, pairs, most, each, round % 4 != 0)) return 1;
  }
}
