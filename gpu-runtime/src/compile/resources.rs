//! What machine code needs, as NVRTC's assembler tells, and how many of its threads a multiprocessor holds: without a GPU.

use super::nvrtc::Compilers;
use super::{Architecture, Attempts, CompileError, Options, Program, Target};

/// What the machine code of a program needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Resources {
    /// Of each thread.
    pub(crate) registers: u32,
    /// Of each block.
    pub(crate) shared_bytes: u32,
    /// Of each thread.
    pub(crate) local_bytes: u32,
    pub(crate) constant_bytes: u32,
}

/// Compiles the program, without the cache, for what the assembler says about it.
// Compiled only where it is used.
#[inline]
pub(crate) fn assembler_log(program: &Program, target: Target, options: &Options) -> Result<String, CompileError> {
    super::ptx_kernel::refuse_without_gpu(program)?;
    let options = &options.for_program(program);
    let mut attempts = Attempts::new(Compilers::installed());
    for compiler in Compilers::installed().iter() {
        if let Some((nvrtc, target)) = attempts.usable(compiler.library(), target) {
            return nvrtc.assembler_log(&program.entry, &program.text, target, options);
        }
    }
    Err(attempts.into_error())
}

/// Why products of tensor cores wait for each other, in the assembler's words. It names no line:
///
/// ```text
/// ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to … in the function 'layer'
/// ```
// Compiled only where it is used.
#[inline]
pub(crate) fn serialization(log: &str) -> Option<String> {
    let warning = log.lines().find(|line| line.contains("wgmma"))?;
    let (_, reason) = warning.split_once("Potential Performance Loss: ")?;
    Some(reason.split(" in the function").next().unwrap_or(reason).trim().to_owned())
}

/// What a multiprocessor has.
struct Multiprocessor {
    threads: u32,
    blocks: u32,
    shared_bytes: u32,
}

/// As the CUDA C++ Programming Guide lists it, "Technical Specifications per Compute Capability". All of them have 65,536 registers.
// Compiled only where it is used.
#[inline]
fn multiprocessor(architecture: Architecture) -> Multiprocessor {
    let (threads, blocks, shared) = match (architecture.major, architecture.minor) {
        (7, 5) => (1024, 16, 64),
        (7, _) => (2048, 32, 96),
        (8, 0) => (2048, 32, 164),
        (8, 7) => (1536, 16, 164),
        (8, 9) => (1536, 24, 100),
        (8, _) => (1536, 16, 100),
        (12, _) => (1536, 24, 100),
        _ => (2048, 32, 228),
    };
    Multiprocessor { threads, blocks, shared_bytes: shared << 10 }
}

const REGISTERS: u32 = 65_536;
/// Registers are given to a warp in such portions, to warps in groups of four.
const REGISTER_UNIT: u32 = 256;
const WARP_GROUP: u32 = 4;
const WARP: u32 = 32;
/// What the system takes of the shared memory of each block.
const RESERVED_SHARED: u32 = 1024;

impl Resources {
    /// Reads the lines about the kernel, which come last:
    ///
    /// ```text
    /// ptxas         .     16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
    /// ptxas info    : Used 30 registers, used 1 barriers, 256 bytes smem, 380 bytes cmem[0]
    /// ```
    // Compiled only where it is used.
    #[inline]
    pub(crate) fn of(log: &str) -> Self {
        let before = |words: &str| -> u32 {
            let Some(at) = log.rfind(words) else { return 0 };
            log[..at].split_whitespace().next_back().and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        Self {
            registers: before(" registers"),
            shared_bytes: before(" bytes smem"),
            local_bytes: before(" bytes stack frame"),
            constant_bytes: before(" bytes cmem[0]"),
        }
    }

    /// How many threads of blocks of this size a multiprocessor holds at a time, and how many it could hold of other kernels.
    // Compiled only where it is used.
    #[inline]
    pub(crate) fn resident_threads(&self, architecture: Architecture, block: u32) -> (u32, u32) {
        let Multiprocessor { threads, blocks, shared_bytes } = multiprocessor(architecture);
        let warps = block.div_ceil(WARP);
        let registers = (self.registers.max(1) * WARP).next_multiple_of(REGISTER_UNIT);
        let by_registers = REGISTERS / registers / WARP_GROUP * WARP_GROUP / warps;
        let by_shared = shared_bytes / (self.shared_bytes + RESERVED_SHARED);
        let resident = (threads / (warps * WARP)).min(blocks).min(by_registers).min(by_shared);
        (resident * block, threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_assemblers_words_are_read() {
        let log = "ptxas info    : 8 bytes gmem\nptxas info    : Compiling entry function 'add' for 'sm_90'\n\
                   ptxas info    : Function properties for add\n\
                   ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 30 registers, used 1 barriers, 256 bytes smem, 380 bytes cmem[0]\n";
        assert_eq!(Resources::of(log), Resources { registers: 30, shared_bytes: 256, local_bytes: 16, constant_bytes: 380 });
        assert_eq!(Resources::of("ptxas info    : Used 8 registers\n"), Resources { registers: 8, ..Resources::default() });
    }

    #[test]
    fn the_reason_for_serial_products_is_read() {
        let reason = "wgmma.mma_async instructions are serialized due to non wgmma instructions reading accumulator registers";
        let log =
            format!("ptxas info    : 8 bytes gmem\nptxas info    : (C7514) Potential Performance Loss: {reason} in the function 'layer'\n");
        assert_eq!(serialization(&log), Some(reason.to_owned()));
        assert_eq!(serialization("ptxas info    : Used 8 registers\n"), None);
    }

    #[test]
    fn registers_shared_memory_and_blocks_limit_the_resident_threads() {
        let resident = |architecture, registers, shared_bytes, block| {
            let resources = Resources { registers, shared_bytes, ..Resources::default() };
            resources.resident_threads(Architecture::from_number(architecture), block).0
        };
        // As CUDA's occupancy calculator has it.
        for (architecture, registers, shared, block, expected) in [
            (90, 32, 0, 256, 2048),
            (90, 40, 0, 256, 1536),
            (90, 255, 0, 256, 256),
            (90, 16, 0, 32, 1024),
            (90, 16, 48 << 10, 256, 1024),
            (86, 32, 0, 256, 1536),
            (86, 32, 0, 1024, 1024),
            (75, 64, 0, 256, 1024),
            (80, 64, 0, 1024, 1024),
        ] {
            assert_eq!(resident(architecture, registers, shared, block), expected, "sm_{architecture}, {registers}, {shared}, {block}");
        }
    }
}
