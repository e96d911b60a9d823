//! Kernels in the driver: loading, launching, and their attributes.

use std::ffi::{CString, c_int, c_void};
use std::panic::Location;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::KernelAttributes;
use super::driver::{check, read};
use super::early_start;
use super::graph::KernelNode;
use super::instances::{Image, Instance, Instances};
use super::link::link;
use super::print;
use super::record;
use super::sys;
use super::variable;
use super::{Gpu, Queue};
use crate::backend::recording;
use crate::compile::{self, Code, Options, Program, Variant};
use crate::dims::LaunchDims;
use crate::failure::Work;
use crate::{Error, Result, advice};

/// A kernel that is ready to launch on one GPU. Never unloaded.
pub(crate) struct LoadedKernel {
    instances: Instances,
    /// What messages call it.
    pub(super) name: &'static str,
    work: Work,
    max_threads: u32,
    does_several_elements: bool,
    /// Whether its threads wait for those of the whole grid.
    cooperative: bool,
    /// Whether the driver may start it before the kernel in front is done: see [`early_start`].
    starts_early: bool,
    forall_block: OnceLock<u32>,
    /// The most dynamic shared memory of a block, once the driver has been told to allow it.
    dynamic_shared: OnceLock<usize>,
    /// Whether the program has been told that it launches this with too small a grid.
    advised: AtomicBool,
}

/// A launch of a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Launch<'l> {
    pub(crate) kernel: &'l LoadedKernel,
    pub(crate) dims: &'l LaunchDims,
    /// The dynamic shared memory of each block, in bytes.
    pub(crate) shared: u32,
    /// The line of the program that asks for it.
    pub(crate) line: &'static Location<'static>,
}

impl Gpu {
    /// Compiles and loads a program whose failures are reported as those of `name`.
    pub(crate) fn load_program(
        &self,
        program: Program,
        options: &Options,
        name: &'static str,
        work: Work,
    ) -> Result<&'static LoadedKernel> {
        let compiled = compile::code_for(&program, self.architecture(), options)?;
        self.make_current()?;
        let linked = if program.linked.is_empty() { None } else { Some(link(name, &compiled, &program.linked)?) };
        let not_loaded = |reason| Error::NotLoaded { kernel: name, is_array_function: work != Work::Kernel, reason: Box::new(reason) };
        let code = linked.unwrap_or_else(|| compiled.bytes.clone());
        let is_ptx = program.ptx.is_some();
        self.load_image(&compiled, code, program, name, work).map_err(|reason| {
            // The linker says what is wrong with the user's PTX.
            let explained = if is_ptx { link(name, &compiled, &[]).err() } else { None };
            explained.unwrap_or_else(|| not_loaded(reason))
        })
    }

    /// Loads `code`: what `program` was compiled to, `compiled`, linked with what it needs.
    fn load_image(
        &self,
        compiled: &Code,
        code: Vec<u8>,
        program: Program,
        name: &'static str,
        work: Work,
    ) -> Result<&'static LoadedKernel> {
        let named = |what: &str| {
            let name = CString::new(format!("{what}_of_{}", program.entry)).expect("a C identifier has no null byte");
            variable::is_named_in(&compiled.bytes, &name).then_some(name)
        };
        let starts_early = early_start::is_possible(&program, compiled, self.architecture());
        let image = Image {
            code,
            tile_memory: named("gr_tile_bytes"),
            tile_tasks: named("gr_tile_tasks"),
            entry: CString::new(program.entry).expect("a C identifier has no null byte"),
            kernel: name,
            work,
            sites: program.sites,
            root: program.root,
            can_fail: variable::is_named_in(&compiled.bytes, record::TARGET),
            prints: variable::is_named_in(&compiled.bytes, print::TARGET),
        };
        let instances = Instances::new(self.own_queue(), image)?;
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: the function is loaded for good, as its module is never unloaded.
        let max_threads = unsafe { get_attribute(instances.function(), attribute)? };
        Ok(Box::leak(Box::new(LoadedKernel {
            instances,
            name,
            work,
            max_threads: max_threads.unsigned_abs(),
            does_several_elements: program.variant == Variant::SeveralElements,
            cooperative: program.cooperative,
            starts_early,
            forall_block: OnceLock::new(),
            dynamic_shared: OnceLock::new(),
            advised: AtomicBool::new(false),
        })))
    }

    /// The most dynamic shared memory that a block of `kernel` can have, which the driver allows from then on. (Without being asked it
    /// allows 48 KiB.)
    pub(crate) fn dynamic_shared_limit(&self, kernel: &LoadedKernel) -> Result<usize> {
        if let Some(&most) = kernel.dynamic_shared.get() {
            return Ok(most);
        }
        self.make_current()?;
        let most = self.allow_dynamic_shared(kernel.instances.function())?;
        Ok(*kernel.dynamic_shared.get_or_init(|| most))
    }

    /// Lets blocks of `function` have as much dynamic shared memory as they can: how much.
    fn allow_dynamic_shared(&self, function: sys::CUfunction) -> Result<usize> {
        // SAFETY: the function is loaded for good.
        let fixed = unsafe { get_attribute(function, sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? };
        let most = (self.shared_bytes()? - fixed).max(0);
        // SAFETY: the function is loaded for good. Threads that do this at the same time do the same.
        check("cuFuncSetAttribute", unsafe {
            sys::call!(cuFuncSetAttribute(function, sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most))
        })?;
        Ok(most.unsigned_abs() as usize)
    }

    /// The block for a launch that only gives a number of threads: see [`smallest_full_block`].
    pub(crate) fn forall_block(&self, kernel: &LoadedKernel) -> Result<u32> {
        if let Some(&block) = kernel.forall_block.get() {
            return Ok(block);
        }
        self.make_current()?;
        let block = smallest_full_block(kernel.max_threads, |block| {
            // At most 1024.
            kernel.resident_blocks(block as c_int, 0).map(|blocks| blocks * block)
        })?;
        Ok(*kernel.forall_block.get_or_init(|| block))
    }
}

impl Queue {
    /// Puts a launch on the queue.
    ///
    /// # Safety
    ///
    /// The kernel must be loaded on the queue's GPU, have as much shared memory as it uses, and `parameters` point to as many values as it
    /// has parameters, each of its parameter's type. Arrays among them must be device memory of that GPU, as long as they say, which nothing
    /// but this queue uses. The launch must be free of data races.
    #[inline]
    pub(crate) unsafe fn launch(&self, launch: Launch<'_>, parameters: *mut *mut c_void) -> Result<()> {
        assert!(!launch.kernel.is_cooperative(), "a kernel with a grid barrier needs a cooperative launch");
        let LaunchDims { grid, block } = launch.dims;
        let mut early = early_start::attribute();
        let config = sys::CUlaunchConfig {
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: launch.shared,
            hStream: self.stream,
            attrs: &raw mut early,
            numAttrs: launch.kernel.starts_early.into(),
        };
        let call = |function| {
            // SAFETY: the caller guarantees all of it. The driver copies the parameters during the call.
            check("cuLaunchKernelEx", unsafe { sys::call!(cuLaunchKernelEx(&config, function, parameters, ptr::null_mut())) })
        };
        // SAFETY: the caller guarantees the same.
        unsafe { self.launch_by(launch, parameters, call) }
    }

    /// Launches by `call`, which gets the driver's function, or records the launch.
    ///
    /// # Safety
    ///
    /// As for [`launch`](Self::launch).
    #[inline]
    pub(super) unsafe fn launch_by(
        &self,
        launch: Launch<'_>,
        parameters: *mut *mut c_void,
        call: impl FnOnce(sys::CUfunction) -> Result<()>,
    ) -> Result<()> {
        self.gpu().make_current()?;
        if recording::is_active() {
            // SAFETY: the caller guarantees the same, and the recording that it holds whenever the graph is launched.
            return unsafe { self.record_launch(launch, parameters) };
        }
        let Launch { kernel, dims, shared, line } = launch;
        let instance = kernel.on(self)?;
        if let Some(number) = instance.number {
            self.record.note_call(number, line);
        }
        let occupancy = || self.gpu().occupancy(kernel, dims, shared).ok();
        self.timed(kernel.name, occupancy, || call(instance.function)).map_err(|reason| kernel.not_launched(dims, shared, reason))
    }
}

/// Recording.
impl Queue {
    /// Adds a launch of `kernel` to the graph that the calling thread records.
    ///
    /// # Safety
    ///
    /// As for [`launch`](Self::launch), whenever the graph is launched.
    #[cold]
    unsafe fn record_launch(&self, Launch { kernel, dims, shared, .. }: Launch<'_>, parameters: *mut *mut c_void) -> Result<()> {
        // Failures go to the queue on which the graph will run.
        let queue = recording::gpu::queue(self.gpu()).expect("the work of other devices was refused");
        let function = kernel.on(queue)?.function;
        let LoadedKernel { cooperative: is_cooperative, starts_early, .. } = *kernel;
        let node = KernelNode { function, dims, shared, parameters, is_cooperative, starts_early };
        // SAFETY: the caller guarantees the same.
        recording::gpu::add(|graph, uses| unsafe { graph.add_kernel(&node, uses) })
            .map_err(|reason| kernel.not_launched(dims, shared, reason))
    }
}

impl LoadedKernel {
    /// The instance for launches on `queue`, whose context is current.
    #[inline]
    pub(super) fn on(&self, queue: &Queue) -> Result<&Instance> {
        self.instances.on(queue, |function| queue.gpu().allow_dynamic_shared(function).map(drop))
    }

    /// What it needs, as the driver reports. `gpu` is the one that it is loaded on.
    pub(crate) fn attributes(&self, gpu: &Gpu) -> Result<KernelAttributes> {
        gpu.make_current()?;
        let attribute = |attribute| {
            // SAFETY: the function is loaded for good.
            unsafe { get_attribute(self.instances.function(), attribute) }.map(i32::unsigned_abs)
        };
        Ok(KernelAttributes {
            registers: attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            shared_bytes: attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            constant_bytes: attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            max_threads: self.max_threads,
        })
    }

    /// How many blocks of so many threads a multiprocessor runs at the same time. The GPU's context is current.
    pub(super) fn resident_blocks(&self, threads: c_int, shared_bytes: usize) -> Result<u32> {
        read("cuOccupancyMaxActiveBlocksPerMultiprocessor", 0, |blocks| {
            // SAFETY: the function is loaded for good.
            unsafe { sys::call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, self.instances.function(), threads, shared_bytes)) }
        })
        .map(i32::unsigned_abs)
    }

    /// Tells the program, once, if so small a grid leaves part of the GPU idle.
    #[inline]
    pub(crate) fn advise(&self, name: &'static str, grid: [u32; 3], multiprocessors: u32) {
        // A load costs nothing; the exchange, which happens once, costs as much as a tenth of the launch.
        let was_advised = || self.advised.load(Ordering::Relaxed) || self.advised.swap(true, Ordering::Relaxed);
        if advice::is_grid_small(grid, multiprocessors) && !was_advised() {
            advice::warn_of_small_grid(name, grid, multiprocessors);
        }
    }

    /// The error of a launch that the driver refused.
    #[cold]
    pub(super) fn not_launched(&self, dims: &LaunchDims, shared_bytes: u32, reason: Error) -> Error {
        let (grid, block) = (dims.grid.into(), dims.block.into());
        let is_array_function = self.work != Work::Kernel;
        Error::NotLaunched { kernel: self.name, is_array_function, grid, block, shared_bytes, reason: Box::new(reason) }
    }

    /// The shared memory that the tiles of a block need, in bytes.
    pub(crate) fn tile_bytes(&self) -> u32 {
        self.instances.tile_bytes()
    }

    /// The grid that runs for one of those extents, if the kernel has that one as its last parameter. A block that does what several do has a
    /// multiprocessor for itself.
    pub(crate) fn grid_of_several_blocks(&self, grid: [u32; 3], multiprocessors: u32) -> Option<[u32; 3]> {
        if !self.instances.does_several_blocks()? {
            return Some(grid);
        }
        let blocks = grid.iter().fold(1u32, |product, &extent| product.saturating_mul(extent));
        Some([blocks.min(multiprocessors), 1, 1])
    }

    /// The dynamic shared memory of a block, in bytes: as much as a launch asks for, and as its tiles need.
    pub(crate) fn dynamic_shared(&self, asked: Option<usize>) -> Option<usize> {
        asked.map(|bytes| bytes.max(self.tile_bytes() as usize))
    }

    /// The most threads in a block that its registers and shared memory allow.
    pub(crate) fn max_threads(&self) -> u32 {
        self.max_threads
    }

    /// Whether its threads wait for those of the whole grid, so that it must be launched
    /// [cooperatively](Queue::launch_cooperatively).
    pub(super) fn is_cooperative(&self) -> bool {
        self.cooperative
    }

    /// Whether each thread does several elements.
    pub(crate) fn does_several_elements(&self) -> bool {
        self.does_several_elements
    }
}

/// The smallest block of at least 256 threads, or the largest legal one if that is smaller, that keeps as many threads
/// resident as any other. `resident` gives the threads resident on a multiprocessor for a block size.
///
/// Kernels that stream through memory want full occupancy and, among blocks that reach it, a small one: fewer threads
/// wait for the slowest of their block. Vector addition on an H200 runs at 3.4 TB/s with blocks of 256 and 2.8 with 1024.
fn smallest_full_block(max_threads: u32, resident: impl Fn(u32) -> Result<u32>) -> Result<u32> {
    const WARP: u32 = 32;
    let largest = (max_threads / WARP * WARP).max(WARP);
    let (mut best, mut most) = (largest, 0);
    for block in (largest.min(256)..=largest).step_by(WARP as usize) {
        let resident = resident(block)?;
        if resident > most {
            (best, most) = (block, resident);
        }
    }
    Ok(best)
}

/// # Safety
///
/// The function is loaded.
unsafe fn get_attribute(function: sys::CUfunction, attribute: sys::CUfunction_attribute) -> Result<c_int> {
    // SAFETY: the caller guarantees the function.
    read("cuFuncGetAttribute", 0, |value| unsafe { sys::call!(cuFuncGetAttribute(value, attribute, function)) })
}

/// Puts a kernel that is not there on a queue of the fake driver, or into its graph.
#[cfg(test)]
pub(crate) fn fake_kernel_node(queue: &Queue) -> Result<()> {
    let dims = LaunchDims { grid: [1; 3], block: [1; 3] };
    let launch = Launch { kernel: &LoadedKernel::none("fake", Work::Kernel), dims: &dims, shared: 0, line: Location::caller() };
    // SAFETY: the fake driver runs nothing.
    unsafe { queue.launch(launch, std::ptr::null_mut()) }
}

#[cfg(test)]
impl LoadedKernel {
    /// One without a function, which may start early.
    fn none(name: &'static str, work: Work) -> Self {
        Self {
            instances: Instances::none(),
            name,
            work,
            max_threads: 1024,
            does_several_elements: false,
            cooperative: false,
            starts_early: true,
            forall_block: OnceLock::new(),
            dynamic_shared: OnceLock::new(),
            advised: AtomicBool::new(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads of a multiprocessor that holds 2048, at most 32 blocks, in whole blocks.
    fn resident(block: u32) -> Result<u32> {
        Ok((2048 / block).min(32) * block)
    }

    #[test]
    fn a_launch_that_the_driver_refuses_is_told_with_the_kernel_and_its_shape() {
        let kernel = LoadedKernel::none;
        let reason = || Error::Driver { call: "cuLaunchKernel", code: 1, name: "CUDA_ERROR_INVALID_VALUE".into(), message: "no".into() };
        let dims = LaunchDims { grid: [7, 2, 1], block: [96, 1, 1] };
        assert_eq!(
            kernel("add", Work::Kernel).not_launched(&dims, 512, reason()).to_string(),
            "kernel `add` could not be launched with a grid of (7, 2) and a block of 96 with 512 bytes of dynamic shared memory: \
             cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (1), no"
        );
        let sum = kernel("sum", Work::Fold).not_launched(&dims, 0, reason()).to_string();
        assert!(sum.starts_with("array function `sum` could not be launched") && sum.contains("a block of 96: cuLaunchKernel"), "{sum}");
    }

    #[test]
    fn a_fault_of_a_kernel_is_an_error_that_says_what_is_lost() {
        let error = |code, name: &str| Error::Driver { call: "cuStreamSynchronize", code, name: name.into(), message: "a fault".into() };
        let kernel = LoadedKernel::none("add", Work::Kernel);
        let launch = |reason| kernel.not_launched(&LaunchDims { grid: [1; 3], block: [1; 3] }, 0, reason);
        for (code, name, is_lost) in [
            (700, "CUDA_ERROR_ILLEGAL_ADDRESS", true),
            (719, "CUDA_ERROR_LAUNCH_FAILED", true),
            (2, "CUDA_ERROR_OUT_OF_MEMORY", false),
            (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", false),
        ] {
            for error in [error(code, name), launch(error(code, name))] {
                assert_eq!(error.is_device_lost(), is_lost, "{error}");
                assert_eq!(error.to_string().ends_with("can no longer use the GPU, and the arrays there are lost"), is_lost, "{error}");
            }
        }
    }

    #[test]
    fn forall_takes_256_threads_where_they_fill_the_multiprocessor() {
        assert_eq!(smallest_full_block(1024, resident).unwrap(), 256);
    }

    #[test]
    fn forall_takes_more_threads_where_256_leave_room() {
        // 1536 resident threads at most, by registers, in units that only 512 divides.
        let by_registers = |block: u32| Ok(if block.is_multiple_of(512) { 1536 } else { 1024 });
        assert_eq!(smallest_full_block(1024, by_registers).unwrap(), 512);
    }

    #[test]
    fn forall_takes_the_largest_legal_block_below_256() {
        assert_eq!(smallest_full_block(200, resident).unwrap(), 192);
        assert_eq!(smallest_full_block(32, resident).unwrap(), 32);
    }
}
