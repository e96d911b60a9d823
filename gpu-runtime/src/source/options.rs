//! The options for the compiler in a kernel's attribute, except the block and `fmad`.

/// `#[gpu_kernel(launch_bounds = …, max_registers = …, fast_math = …, opt = …, lineinfo = …, suffix = …)]`.
///
/// The CPU compiles nothing and heeds [`max_threads`](Self::max_threads) alone, so that a launch that works there works on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelOptions {
    /// The most threads of a block: the first number of `launch_bounds`. (The second is in the CUDA C.)
    pub max_threads: Option<u32>,
    /// The most registers of a thread.
    pub max_registers: Option<u32>,
    /// Whether floats may be computed with less than IEEE's precision.
    pub fast_math: bool,
    /// How hard the assembler optimises, 0 to 3.
    pub opt: Option<u8>,
    /// Whether the machine code says which line of Rust each instruction comes from.
    pub lineinfo: bool,
    /// What it may use that later architectures lack.
    pub features: Option<Features>,
    /// Whether it computes with tiles, which have instructions of their own on Hopper.
    pub has_tiles: bool,
}

/// Instructions that CUDA guarantees for some architectures only: the suffix of a target of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Features {
    /// Those of one architecture, such as `wgmma` of `sm_90a`.
    Architecture,
    /// Those that later members of the generation have too, such as those of `sm_100f`.
    Family,
}

impl KernelOptions {
    /// Those of a kernel without options.
    pub const DEFAULT: Self =
        Self { max_threads: None, max_registers: None, fast_math: false, opt: None, lineinfo: false, features: None, has_tiles: false };
}
