//! What the examples for several devices share. The examples are in `examples/`, one file each.
//!
//! Each of them runs in one process on one device or on all GPUs of a host, and under a launcher on those of many hosts: see
//! [`on_all_devices`]. With `--ranks 4`, they run as four ranks on the CPU.

use std::ops::Range;

use gpu_runtime::cluster::{Communicator, on_all_devices, on_devices};
use gpu_runtime::{Device, Result};

/// Runs `work` as every rank: those of the launcher, all GPUs, or as many ranks on the CPU as the option `--ranks` says.
///
/// # Errors
///
/// The first error of a rank.
pub fn on_ranks(cpu_ranks: Option<usize>, work: impl Fn(&Communicator) -> Result<()> + Sync) -> Result<()> {
    match cpu_ranks {
        Some(count) => on_devices(&(0..count).map(|_| Device::cpu()).collect::<Vec<_>>(), work).map(drop),
        None => on_all_devices(work).map(drop),
    }
}

/// Part `rank` of `len` things that are divided among `size` ranks as evenly as possible.
#[must_use]
pub fn part(len: usize, rank: usize, size: usize) -> Range<usize> {
    let start = |rank: usize| len / size * rank + rank.min(len % size);
    start(rank)..start(rank + 1)
}
