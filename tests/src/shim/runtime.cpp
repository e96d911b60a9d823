// Runs the threads of a grid one after the other on the calling thread. A GPU thread is a fiber with a stack of its own: at a
// barrier it gives way to the next one of its block, and goes on when all of them have arrived or ended.
#include "cuda.h"

#include <cstdlib>
#include <ucontext.h>
#include <vector>

shim_coordinates threadIdx, blockIdx, blockDim, gridDim;
unsigned long long shim_time = 0;

namespace {

constexpr std::size_t STACK = 64 * 1024;

struct Fiber {
  ucontext_t context;
  shim_coordinates thread;
  char* stack = nullptr;
  bool done = false;
};

std::vector<Fiber> fibers;
Fiber* running;
ucontext_t scheduler;
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
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack;
  fiber.context.uc_stack.ss_size = STACK;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, enter, 0);
}

void run_block(std::size_t threads) {
  std::size_t i = 0;
  for (unsigned z = 0; z < blockDim.z; z++)
    for (unsigned y = 0; y < blockDim.y; y++)
      for (unsigned x = 0; x < blockDim.x; x++) start(fibers[i++], {x, y, z});
  // One round from barrier to barrier.
  for (bool waiting = true; waiting;) {
    waiting = false;
    for (std::size_t t = 0; t < threads; t++) {
      if (fibers[t].done) continue;
      running = &fibers[t];
      threadIdx = running->thread;
      swapcontext(&scheduler, &running->context);
      waiting |= !running->done;
    }
  }
}

}  // namespace

void shim_barrier() { swapcontext(&running->context, &scheduler); }

void shim_exit() {
  running->done = true;
  setcontext(&scheduler);
  std::abort();
}

void shim_run(void (*new_kernel)(void**), void** new_arguments, const shim_coordinates* grid, const shim_coordinates* block) {
  kernel = new_kernel;
  arguments = new_arguments;
  gridDim = *grid;
  blockDim = *block;
  const std::size_t threads = std::size_t(block->x) * block->y * block->z;
  if (fibers.size() < threads) fibers.resize(threads);
  for (unsigned z = 0; z < grid->z; z++)
    for (unsigned y = 0; y < grid->y; y++)
      for (unsigned x = 0; x < grid->x; x++) {
        blockIdx = {x, y, z};
        run_block(threads);
      }
}
