//! What the examples for several devices share. The examples are in `examples/`, one file each.
//!
//! Each of them runs in one process on one device or on all GPUs of a host, and under a launcher on those of many hosts: see
//! [`on_all_devices`]. `--ranks 4` uses four of the GPUs; on a machine without a GPU, or with `--cpu`, four ranks share the CPU.

use std::fmt;
use std::time::Instant;

use gpu_examples::Arguments;
use gpu_runtime::cluster::{Communicator, World, on_all_devices, on_devices};
use gpu_runtime::{Device, Result};

/// Runs `work` as every rank: those of the launcher, or the devices that the options ask for.
///
/// # Errors
///
/// The first error of a rank.
///
/// # Panics
///
/// If `--ranks` is another number than that of the launcher's processes.
pub fn on_ranks(arguments: &Arguments, work: impl Fn(&Communicator) -> Result<()> + Sync) -> Result<()> {
    let size = World::from_env()?.size();
    if size > 1 {
        let asked = arguments.number("--ranks").unwrap_or(size);
        assert!(asked == size, "`--ranks {asked}`, and the launcher has started {size} processes");
        return on_all_devices(work).map(drop);
    }
    on_devices(&devices(arguments)?, work).map(drop)
}

/// The devices of this host that the options ask for: all GPUs, or the first `--ranks` of them. Where there are fewer GPUs, as many ranks share
/// the CPU. Says on standard error what is not as a user would expect.
///
/// # Errors
///
/// A GPU does not work.
pub fn devices(arguments: &Arguments) -> Result<Vec<Device>> {
    let mut gpus: Vec<Device> = if arguments.cpu() { Vec::new() } else { Device::all().into_iter().filter(Device::is_gpu).collect() };
    let ranks = arguments.number("--ranks").unwrap_or(gpus.len().max(1));
    if ranks > gpus.len() {
        if !gpus.is_empty() {
            eprintln!("{ranks} ranks share the CPU: this host has {} GPUs", gpus.len());
        }
        return Ok(vec![Device::cpu(); ranks]);
    }
    gpus.truncate(ranks);
    for (one, other) in gpus.iter().zip(&gpus[1..]) {
        if !one.can_access(other)? {
            eprintln!("{one} has no direct access to {other}: what they exchange takes the way through the host");
        }
    }
    Ok(gpus)
}

/// How large a problem is for one rank alone, and for all ranks.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    one: usize,
    all: usize,
    /// The work is proportional to this power of the size.
    degree: u32,
}

impl Size {
    /// The size that `--n` says, whatever the number of ranks is. Without the option, one rank alone has a problem of the size `on_gpu` or `on_cpu`,
    /// and several have as much work each.
    #[must_use]
    pub fn of(arguments: &Arguments, ranks: &Communicator, on_gpu: usize, on_cpu: usize, degree: u32) -> Self {
        let usual = if ranks.device().is_gpu() { on_gpu } else { on_cpu };
        let one = arguments.number("--n").unwrap_or(usual).max(ranks.size());
        if arguments.number("--n").is_some() || ranks.size() == 1 {
            return Self { one, all: one, degree };
        }
        let all = one as f64 * (ranks.size() as f64).powf(1.0 / f64::from(degree));
        // Rows of a matrix then begin where a GPU reads 128 bytes together.
        Self { one, all: (all.ceil() as usize).next_multiple_of(64), degree }
    }

    /// The work of all ranks over that of one rank alone.
    fn growth(&self) -> f64 {
        (self.all as f64 / self.one as f64).powi(self.degree.cast_signed())
    }
}

/// How long all ranks take for a piece of work: `2 ranks (GPU 0): 0.265 s, efficiency 0.99 at fixed size`.
///
/// The efficiency is the work of each rank in a second, over that of one rank alone. Ranks on the CPU share its cores.
#[derive(Debug, Clone)]
pub struct Speed {
    /// The size of the problem of all ranks.
    pub n: usize,
    /// The time of all ranks.
    pub seconds: f64,
    /// The time of one rank alone for its size.
    alone: f64,
    size: Size,
    ranks: usize,
    device: String,
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, alone, size, ranks, device, .. } = self;
        if *ranks == 1 {
            return write!(f, "1 rank ({device}): {seconds:.6} s");
        }
        let efficiency = size.growth() * alone / seconds / *ranks as f64;
        write!(f, "{ranks} ranks ({device}): {seconds:.6} s, efficiency {efficiency:.3} ")?;
        if size.one == size.all { write!(f, "at fixed size") } else { write!(f, "at growing size, from {}", size.one) }
    }
}

/// Times `work`, which each rank does with what `prepare` gives it for a size: once on all ranks, and once on rank 0 alone. Both are done before,
/// untimed, to compile kernels and connect ranks. Also returns what `work` left on all ranks.
///
/// # Errors
///
/// Those of both.
pub fn measure<S>(
    ranks: &Communicator,
    size: Size,
    prepare: impl Fn(&Communicator, usize) -> Result<S>,
    work: impl Fn(&Communicator, &mut S) -> Result<()>,
) -> Result<(S, Speed)> {
    let time = |ranks: &Communicator, n: usize| -> Result<(S, f64)> {
        let mut state = prepare(ranks, n)?;
        work(ranks, &mut state)?;
        ranks.barrier()?; // all ranks start together
        let start = Instant::now();
        work(ranks, &mut state)?;
        ranks.barrier()?;
        Ok((state, start.elapsed().as_secs_f64()))
    };
    let (state, seconds) = time(ranks, size.all)?;
    let is_first_of_many = ranks.size() > 1 && ranks.rank() == 0;
    let alone = if is_first_of_many { time(&Communicator::alone(ranks.device()), size.one)?.1 } else { seconds };
    ranks.barrier()?;
    Ok((state, Speed { n: size.all, seconds, alone, size, ranks: ranks.size(), device: ranks.device().to_string() }))
}
