//! The options for the compiler in a kernel's attribute, except the block and `fmad`.

/// `#[gpu_kernel(launch_bounds = …, max_registers = …, fast_math = …, opt = …, lineinfo = …)]`.
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
}

impl KernelOptions {
    /// Those of a kernel without options.
    pub const DEFAULT: Self = Self { max_threads: None, max_registers: None, fast_math: false, opt: None, lineinfo: false };
}
