//! Runs a kernel's Rust twin on this machine's processor cores.
//!
//! This is a backend, not a simulator: the twin is compiled by rustc with the rest of the program, so a kernel runs at the
//! speed of the loop that one would have written by hand.
//!
//! # From grid to cores
//!
//! [`schedule`] distributes runs of consecutive blocks over rayon's workers as [`Blocks`]. A block never leaves its worker, so **all GPU
//! threads of a block share one OS thread** and only blocks run at the same time. How the GPU threads of a block take turns depends on
//! whether the kernel has barriers or warp functions:
//!
//! * without them, the threads run one after the other: [`Blocks::for_each_thread`] is three nested loops around the body, whose
//!   coordinates are in registers ([`blocks`]). If all that a thread knows of itself is its x coordinate in the grid, the innermost loop goes
//!   on through consecutive blocks ([`Lines`]);
//! * with them, the body is an `async` block that suspends at each barrier and warp function. [`Blocks::for_each_thread_async`] polls the
//!   block's futures in rounds; a round takes every live thread to its next barrier ([`barrier`]), past all warp functions ([`warp`]).
//!
//! In a kernel with a grid barrier, all blocks exist at the same time, and advance from one grid barrier to the next ([`grid`]).
//!
//! # How a GPU thread ends early
//!
//! A failed check writes its data to the worker's [`thread::Block`] and returns [`Stop`], a token without content that the body passes up
//! with `?`. The launch is then abandoned: blocks that have not started are skipped. There is no panic and no unwinding.
//!
//! # What is compiled for each kernel
//!
//! What depends on the type of a body or of its future is compiled once more for each kernel, so it is small: [`blocks::run_row`] and
//! [`futures::Futures`]. What decides which threads run sees them behind a trait object.
//!
//! The checks of accesses are always inlined, because a thread that escapes into an outlined failure would keep the coordinates of a hot
//! loop in memory. A debug build does not optimize, and would only compile each check once more for each access. So with debug assertions,
//! the compiler decides.
//!
//! # Aliasing
//!
//! `&mut [T]` parameters become [`SliceMut`], of which every GPU thread has one made of the [`SharedSliceMut`] of the launch, and shared arrays
//! [`Shared`]. To safe code each is exclusive, like a `&mut`. That several threads have one of the same elements is what generated code answers
//! for, in `unsafe` blocks. Within a block, threads do not run at the same time, and generated code borrows an element for one statement only, in which no
//! barrier can suspend. Different blocks have separate shared arrays, and their accesses to parameters are disjoint by the race proof or by
//! the guarantee of the caller of an `unsafe` launch.

mod access;
mod asked;
mod barrier;
mod blocks;
mod checker;
mod dynamic;
mod futures;
mod grid;
mod live_threads;
mod ranges;
mod schedule;
mod shared;
mod slice;
mod thread;
mod view;
mod warp;

pub use access::{AxesOfElements, Elements};
pub use asked::{Counted, ElementsByKey, MutableElementsByKey, Shaped, get_unchecked, get_unchecked_mut, length, shape};
pub(crate) use barrier::Pause;
pub use blocks::{Blocks, Lines};
pub(crate) use checker::{Checker, Checks, Region};
pub(crate) use dynamic::DYNAMIC_ALIGNMENT;
pub(crate) use grid::most_blocks_of_grid;
pub(crate) use ranges::for_each_range;
pub(crate) use schedule::{Twin, run};
pub use shared::{Shared, SharedArray, SharedElement};
pub use slice::{IntoSlice, IntoSliceMut, IntoSliceRef, SharedSliceMut, SliceMut, SliceRef};
pub(crate) use thread::Coordinates;
pub use thread::{STOPPED, Stop, Thread, on_host, outside_kernel};
pub use view::{PassView, PassViewMut, SharedViewMut, View, ViewMut};
pub(crate) use warp::{ALL_LANES, Synchronized, WARP_SIZE};
