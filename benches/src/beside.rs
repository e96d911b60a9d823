//! A kernel of ours beside the same kernel in CUDA C: both launched and timed in turn.

use gpu_runtime::Device;

use crate::Result;
use crate::by_hand::{Arguments, Cuda, Function};
use crate::measure::{alternate, seconds_per_call};
use crate::report::{Better, Figure, Target};

/// The GPU, as we use it and as CUDA C uses it.
#[derive(Debug)]
pub struct Gpu<'a> {
    /// As we use it.
    pub device: &'a Device,
    /// As CUDA C uses it.
    pub cuda: &'a Cuda,
}

/// A kernel by hand with everything that a launch of it takes.
#[derive(Debug)]
pub struct ByHand {
    /// The kernel.
    pub kernel: Function,
    /// Blocks along x and y.
    pub grid: [u32; 2],
    /// Threads of a block along x and y.
    pub block: [u32; 2],
    /// What its parameters get.
    pub arguments: Arguments,
}

impl Gpu<'_> {
    /// Compiles the kernel `name` of `source`, to be launched with these parameters: addresses, integers, and floats as their bits.
    pub fn by_hand(&self, source: &str, name: &str, grid: [u32; 2], block: [u32; 2], values: &[u64]) -> Result<ByHand> {
        Ok(ByHand { kernel: self.cuda.compile(source, name)?, grid, block, arguments: Arguments::new(values) })
    }

    /// Launches a kernel by hand.
    pub fn launch(&self, by_hand: &mut ByHand) -> Result<()> {
        // SAFETY: each benchmark gives arrays as long as its kernel by hand is told, and the shape that the kernel was written for.
        unsafe { self.cuda.launch(by_hand.kernel, by_hand.grid, by_hand.block, &mut by_hand.arguments) }
    }

    /// Times `calls` calls of `ours` against as many of `by_hand`: milliseconds of a call, ours at most 1 / `rate` times the others'.
    pub fn compare(
        &self,
        case: &str,
        calls: u32,
        rate: f64,
        mut ours: impl FnMut() -> Result<()>,
        mut by_hand: impl FnMut() -> Result<()>,
    ) -> Result<Figure> {
        let (ours, by_hand) = alternate(
            || seconds_per_call(calls, &mut ours, || Ok(self.device.synchronize()?)),
            || seconds_per_call(calls, &mut by_hand, || self.cuda.synchronize()),
        )?;
        Ok(Figure {
            case: case.to_owned(),
            unit: "ms",
            better: Better::Less,
            ours: ours.map(|seconds| seconds * 1e3),
            reference: ("CUDA C", by_hand.map(|seconds| seconds * 1e3)),
            limit: None,
            target: Some(Target::Ratio(1.0 / rate)),
        })
    }
}

/// Numbers that look random, the same in every run.
pub fn noise(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}
