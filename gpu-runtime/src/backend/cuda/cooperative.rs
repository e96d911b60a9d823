//! Kernels with a grid barrier, `sync_grid()`.
//!
//! The barrier is `compile/snippets/grid.cu`: CUDA's own is in a header that takes longer to compile than most kernels. It needs all blocks
//! to be resident at the same time, which `cuLaunchCooperativeKernel` ensures, and a few words of device memory, the state of the grid,
//! which the launch passes after the kernel's own parameters.
//!
//! # The barrier
//!
//! One thread of each block arrives for the block. It adds 1 to the number of all arrivals so far, and reads this number until it is
//! complete: each block has arrived once more than the number of earlier barriers. No block signals that the barrier is open, so there is
//! only one round trip through memory. All threads of the block synchronize before and after. The thread adds with release and reads with
//! acquire, so all writes of the block's threads are visible to all threads of the other blocks.
//!
//! # It never hangs
//!
//! Threads may have ended before: by returning, or because a check failed. The hardware's block barrier does not wait for these. So the
//! thread that arrives for its block is chosen among the live threads. A thread is counted when it ends, so the last thread of a block can
//! subtract the block's arrivals and add 1 to the number of ended blocks, for which no other block waits. A thread is counted before the
//! branch in which it returns, or ends in that branch: where the paths of a warp's threads join, the threads wait for each other, and some
//! of them may wait for all threads at a barrier.
//!
//! A thread that fails also marks the grid as abandoned, in the same word as the number of arrivals. All other threads then end at their
//! next grid barrier, because the data that they would read may not have been written, and a loop that waits for it might not end. The same
//! happens if blocks reach different calls of `sync_grid()`: each block stores the site of its call before it arrives, and compares it with
//! the site that was stored last.
//!
//! # One state
//!
//! Launches on a queue run one after the other. So one state per queue is enough; it is set to zero before each launch. A lock keeps the
//! two operations together if several host threads launch.

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

use super::driver::check;
use super::memory::Address;
use super::sys;
use super::{Gpu, Launch, LoadedKernel, Queue};
use crate::Result;
use crate::backend::recording;
use crate::dims::LaunchDims;

/// The size of `gr_grid`.
const STATE_BYTES: usize = 16;

/// The state of the grid that runs, made when first used.
#[derive(Default)]
pub(super) struct GridState(Mutex<Option<Address>>);

impl Gpu {
    /// How many blocks of `kernel` are resident at the same time, if they have this shape and `shared` bytes of dynamic shared memory.
    pub(crate) fn resident_blocks(&self, kernel: &LoadedKernel, block: [u32; 3], shared: u32) -> Result<u64> {
        self.make_current()?;
        // At most 1024.
        let threads = block.iter().product::<u32>() as c_int;
        let blocks = kernel.resident_blocks(threads, shared as usize)?;
        Ok(u64::from(blocks) * u64::from(self.multiprocessors()))
    }

    /// The share of the GPU's threads that a launch keeps resident, as long as it has blocks to start.
    pub(super) fn occupancy(&self, kernel: &LoadedKernel, dims: &LaunchDims, shared: u32) -> Result<f64> {
        let blocks: u64 = dims.grid.iter().map(|&extent| u64::from(extent)).product();
        let threads: u64 = dims.block.iter().map(|&extent| u64::from(extent)).product();
        let resident = self.resident_blocks(kernel, dims.block, shared)?.min(blocks) * threads;
        Ok(resident as f64 / f64::from(self.resident_threads()))
    }
}

impl Queue {
    /// Calls `launch`, which launches one kernel, with the address of the state of its grid.
    pub(crate) fn with_grid_state(&self, launch: impl FnOnce(Address) -> Result<()>) -> Result<()> {
        if recording::is_active() {
            // Grids of a graph may run at the same time, so each has a state of its own.
            let address = self.allocate(STATE_BYTES, true)?;
            let outcome = launch(address);
            recording::gpu::take(self.gpu(), address);
            return outcome;
        }
        let mut state = self.grid_state.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.gpu().make_current()?;
        let address = match *state {
            Some(address) => address,
            None => *state.insert(self.allocate(STATE_BYTES, false)?),
        };
        // SAFETY: the state is that long, and device memory that is never freed. What used it before is on the same stream.
        check("cuMemsetD8Async", unsafe { sys::call!(cuMemsetD8Async(address, 0, STATE_BYTES, self.stream)) })?;
        launch(address)
    }

    /// Puts a launch on the stream whose blocks are all resident at the same time.
    ///
    /// # Safety
    ///
    /// As for [`launch`](Self::launch), and the last parameter is what
    /// [`with_grid_state`](Self::with_grid_state) gave for this launch.
    pub(crate) unsafe fn launch_cooperatively(&self, launch: Launch<'_>, parameters: *mut *mut c_void) -> Result<()> {
        assert!(launch.kernel.is_cooperative(), "a kernel without a grid barrier has no cooperative launch");
        let LaunchDims { grid, block } = launch.dims;
        let call = |function| {
            // SAFETY: the caller guarantees all of it. The driver copies the parameters during the call.
            check("cuLaunchCooperativeKernel", unsafe {
                sys::call!(cuLaunchCooperativeKernel(
                    function,
                    grid[0],
                    grid[1],
                    grid[2],
                    block[0],
                    block[1],
                    block[2],
                    launch.shared,
                    self.stream,
                    parameters,
                ))
            })
        };
        // SAFETY: the caller guarantees the same.
        unsafe { self.launch_by(launch, parameters, call) }
    }
}
