//! What a kernel's attribute says.

use super::Length;
use proc_macro2::Span;

/// The arguments of `#[gpu_kernel(…)]`.
pub(crate) struct KernelOptions {
    /// `block = (16, 16)`: one to three extents, each a constant expression.
    pub(crate) block: Option<Vec<Length>>,
    /// `fmad = false`: no contraction of `a * b + c`.
    pub(crate) fmad: bool,
    /// `launch_bounds = (256, 2)`.
    pub(crate) launch_bounds: Option<LaunchBounds>,
    /// `max_registers = 32`: of one thread.
    pub(crate) max_registers: Option<u32>,
    /// `stages = 3`: so many steps of a loop over tiles are in shared memory at once, at most.
    pub(crate) stages: Option<Stages>,
    /// `fast_math = true`: floats with less than IEEE's precision.
    pub(crate) fast_math: bool,
    /// `opt = 0` to `opt = 3`: of the assembler.
    pub(crate) opt: Option<u8>,
    /// `lineinfo = true`: the machine code names lines of Rust.
    pub(crate) lineinfo: bool,
    /// `suffix = "a"`: of the target that it is compiled for.
    pub(crate) suffix: Option<Suffix>,
    /// `deny(bounds_checks)`: an error for each bounds check that remains.
    pub(crate) deny_bounds_checks: bool,
}

/// Which instructions a kernel may use that later architectures lack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suffix {
    /// `a`: those of one architecture.
    Architecture,
    /// `f`: those of a family of architectures.
    Family,
}

/// A number of steps, and where it is written.
#[derive(Clone, Copy)]
pub(crate) struct Stages {
    pub(crate) count: u32,
    pub(crate) span: Span,
}

/// For how many threads registers are handed out.
pub(crate) struct LaunchBounds {
    /// The most threads of a block, a constant expression.
    pub(crate) threads: Length,
    /// How many blocks a multiprocessor should hold at least, a constant expression.
    pub(crate) blocks: Option<Length>,
}

impl Default for KernelOptions {
    fn default() -> KernelOptions {
        KernelOptions {
            block: None,
            fmad: true,
            launch_bounds: None,
            max_registers: None,
            stages: None,
            fast_math: false,
            opt: None,
            lineinfo: false,
            suffix: None,
            deny_bounds_checks: false,
        }
    }
}

impl KernelOptions {
    /// A launch has a tuple of at most so many arguments.
    pub(crate) const MOST_PARAMS: usize = 32;

    /// Whether the kernel says itself how many threads share the registers.
    pub(crate) fn divides_registers(&self) -> bool {
        self.launch_bounds.is_some() || self.max_registers.is_some()
    }
}
