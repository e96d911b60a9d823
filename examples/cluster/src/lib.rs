//! What the examples for several devices share. The examples are in `examples/`, one file each.
//!
//! Each of them runs in one process on one device or on all GPUs of a host, and under a launcher on those of many hosts: see
//! [`on_all_devices`]. With `--ranks 4`, they run as four ranks on the CPU.

use std::fmt;
use std::ops::Range;
use std::time::Instant;

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

/// How long all ranks take for a piece of work: `2 ranks (GPU 0): 0.265 s, efficiency 0.99`.
///
/// The efficiency is the time of one rank, divided by the number of ranks and by their time. Ranks on the CPU share its cores.
#[derive(Debug, Clone)]
pub struct Speed {
    /// The time of all ranks.
    pub seconds: f64,
    /// The time of one rank for all of the work.
    alone: f64,
    size: usize,
    device: String,
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, alone, size, device } = self;
        match size {
            1 => write!(f, "1 rank ({device}): {seconds:.6} s"),
            _ => write!(f, "{size} ranks ({device}): {seconds:.6} s, efficiency {:.3}", alone / seconds / *size as f64),
        }
    }
}

/// Times `work`, which each rank does with what `prepare` gives it: once on all ranks, and once on rank 0 alone. Both are done before, untimed, to
/// compile kernels and connect ranks. Also returns what `work` left on all ranks.
///
/// # Errors
///
/// Those of both.
pub fn measure<S>(
    ranks: &Communicator,
    prepare: impl Fn(&Communicator) -> Result<S>,
    work: impl Fn(&Communicator, &mut S) -> Result<()>,
) -> Result<(S, Speed)> {
    let time = |ranks: &Communicator| -> Result<(S, f64)> {
        let mut state = prepare(ranks)?;
        work(ranks, &mut state)?;
        ranks.barrier()?; // all ranks start together
        let start = Instant::now();
        work(ranks, &mut state)?;
        ranks.barrier()?;
        Ok((state, start.elapsed().as_secs_f64()))
    };
    let (state, seconds) = time(ranks)?;
    let is_first_of_many = ranks.size() > 1 && ranks.rank() == 0;
    let alone = if is_first_of_many { time(&Communicator::alone(ranks.device()))?.1 } else { seconds };
    ranks.barrier()?;
    Ok((state, Speed { seconds, alone, size: ranks.size(), device: ranks.device().to_string() }))
}
