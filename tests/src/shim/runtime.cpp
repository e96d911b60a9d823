// Runs the threads of a grid one after the other on the calling thread. A GPU thread is a fiber with a stack of its own: at a
// barrier it gives way to the next one of its block, and goes on when all of them have arrived or ended. Where the threads of a warp
// meet, they go on before the next warp begins.
//
// Blocks run one after the other as well. Where those of a grid wait for each other, each is an OS thread, so that what is shared in
// a block can be thread-local; they take turns, and a block gives way to the next while its threads spin.
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <ucontext.h>
#include <vector>

// Last: its names for CUDA's attributes are those of GCC's, which the headers above use.
#include "cuda.h"

shim_coordinates threadIdx, blockIdx, blockDim, gridDim;
shim_count_of_votes shim_votes;
shim_meeting shim_met;
unsigned long long shim_time = 0;

namespace {

constexpr std::size_t STACK = 64 * 1024;

struct Fiber {
  ucontext_t context;
  shim_coordinates thread;
  char* stack = nullptr;
  bool done = false;
  // Waits at a barrier.
  bool arrived = false;
  // Where it waits for others of its warp, with what, and what it then reads.
  bool meets = false;
  unsigned lanes = 0;
  unsigned long long bits = 0;
  shim_meeting met;
};

thread_local std::vector<Fiber> fibers;
thread_local Fiber* running;
thread_local shim_count_of_votes votes;
thread_local ucontext_t scheduler;
void (*kernel)(void**);
void** arguments;

void enter() {
  kernel(arguments);
  shim_exit();
}

void start(Fiber& fiber, shim_coordinates thread) {
  if (fiber.stack == nullptr) fiber.stack = static_cast<char*>(std::malloc(STACK));
  fiber.thread = thread;
  fiber.done = false;
  fiber.arrived = false;
  fiber.meets = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack;
  fiber.context.uc_stack.ss_size = STACK;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, enter, 0);
}

void resume(Fiber& fiber) {
  running = &fiber;
  threadIdx = fiber.thread;
  shim_met = fiber.met;
  swapcontext(&scheduler, &fiber.context);
}

// Lets those threads of a warp go on that have met.
void run_meetings(Fiber* warp, unsigned size) {
  for (;;) {
    unsigned waiting = 0, live = 0;
    for (unsigned lane = 0; lane < size; lane++) {
      waiting |= unsigned(warp[lane].meets) << lane;
      live |= unsigned(!warp[lane].done) << lane;
    }
    if (waiting == 0) return;
    unsigned released = 0;
    for (unsigned lane = 0; lane < size; lane++) {
      if ((waiting >> lane & 1) == 0 || (released >> lane & 1) != 0) continue;
      const unsigned lanes = warp[lane].lanes, party = lanes & live;
      bool complete = (party & ~waiting) == 0 && (party >> lane & 1) != 0;
      for (unsigned other = 0; other < size; other++) complete &= (party >> other & 1) == 0 || warp[other].lanes == lanes;
      if (!complete) continue;
      shim_meeting met = {lane, party, {}};
      for (unsigned other = 0; other < size; other++) met.values[other] = warp[other].bits;
      for (unsigned other = 0; other < size; other++) {
        if ((party >> other & 1) == 0) continue;
        met.lane = other;
        warp[other].met = met;
        warp[other].meets = false;
      }
      released |= party;
    }
    if (released == 0) {
      // They wait for one that gave way; without such a one, for ever.
      for (unsigned lane = 0; lane < size; lane++) {
        if (!warp[lane].done && !warp[lane].arrived && !warp[lane].meets) return;
      }
      std::abort();
    }
    for (unsigned lane = 0; lane < size; lane++) {
      if (released >> lane & 1) resume(warp[lane]);
    }
  }
}

// Whose turn it is among the blocks that are there together: the number of one that has not ended.
struct Turns {
  std::mutex lock;
  std::condition_variable changed;
  std::vector<bool> ended;
  std::size_t turn = 0;

  void wait_for(std::unique_lock<std::mutex>& guard, std::size_t block) {
    changed.wait(guard, [&] { return turn == block; });
  }
  // The next block that has not ended, if there is one.
  void pass_on() {
    for (std::size_t step = 0; step < ended.size(); step++) {
      turn = (turn + 1) % ended.size();
      if (!ended[turn]) break;
    }
    changed.notify_all();
  }
};
Turns* turns = nullptr;
thread_local std::size_t number_of_block;

// Lets the other blocks of the grid go on that are there together.
void give_way_to_blocks() {
  if (turns == nullptr) return;
  const shim_coordinates block = blockIdx;
  const shim_count_of_votes counted = shim_votes;
  {
    std::unique_lock<std::mutex> guard(turns->lock);
    turns->pass_on();
    turns->wait_for(guard, number_of_block);
  }
  blockIdx = block;
  shim_votes = counted;
}

void run_block(std::size_t threads) {
  std::size_t i = 0;
  for (unsigned z = 0; z < blockDim.z; z++)
    for (unsigned y = 0; y < blockDim.y; y++)
      for (unsigned x = 0; x < blockDim.x; x++) start(fibers[i++], {x, y, z});
  // One round from barrier to barrier.
  for (bool waiting = true; waiting;) {
    shim_votes = votes;
    votes = {0, 0};
    for (std::size_t t = 0; t < threads; t++) fibers[t].arrived = false;
    // Until every thread has arrived at the barrier or ended: who only gave way goes on.
    for (bool spinning = true; spinning;) {
      spinning = false;
      for (std::size_t first = 0; first < threads; first += 32) {
        const std::size_t end = first + 32 < threads ? first + 32 : threads;
        for (std::size_t t = first; t < end; t++) {
          if (!fibers[t].done && !fibers[t].arrived && !fibers[t].meets) resume(fibers[t]);
        }
        run_meetings(&fibers[first], unsigned(end - first));
        for (std::size_t t = first; t < end; t++) spinning |= !fibers[t].done && !fibers[t].arrived;
      }
      if (spinning) give_way_to_blocks();
    }
    waiting = false;
    for (std::size_t t = 0; t < threads; t++) waiting |= !fibers[t].done;
  }
}

}  // namespace

void shim_barrier() {
  running->arrived = true;
  swapcontext(&running->context, &scheduler);
}

void shim_give_way() { swapcontext(&running->context, &scheduler); }

void shim_vote(bool held) {
  votes.cast++;
  votes.held += held;
  shim_barrier();
}

void shim_meet(unsigned lanes, unsigned long long bits) {
  running->meets = true;
  running->lanes = lanes;
  running->bits = bits;
  swapcontext(&running->context, &scheduler);
}

void shim_exit() {
  running->done = true;
  setcontext(&scheduler);
  std::abort();
}

void shim_run(void (*new_kernel)(void**), void** new_arguments, const shim_coordinates* grid, const shim_coordinates* block, bool together) {
  kernel = new_kernel;
  arguments = new_arguments;
  gridDim = *grid;
  blockDim = *block;
  const std::size_t threads = std::size_t(block->x) * block->y * block->z;
  const auto run = [&](shim_coordinates index) {
    blockIdx = index;
    if (fibers.size() < threads) fibers.resize(threads);
    run_block(threads);
  };
  Turns of_grid;
  std::vector<std::thread> blocks;
  if (together) {
    of_grid.ended.resize(std::size_t(grid->x) * grid->y * grid->z);
    turns = &of_grid;
  }
  for (unsigned z = 0; z < grid->z; z++)
    for (unsigned y = 0; y < grid->y; y++)
      for (unsigned x = 0; x < grid->x; x++) {
        if (!together) {
          run({x, y, z});
          continue;
        }
        blocks.emplace_back([&of_grid, &run, x, y, z, number = blocks.size()] {
          number_of_block = number;
          std::unique_lock<std::mutex> guard(of_grid.lock);
          of_grid.wait_for(guard, number);
          guard.unlock();
          run({x, y, z});
          for (Fiber& fiber : fibers) std::free(fiber.stack);
          guard.lock();
          of_grid.ended[number] = true;
          of_grid.pass_on();
        });
      }
  for (std::thread& block : blocks) block.join();
  turns = nullptr;
}
