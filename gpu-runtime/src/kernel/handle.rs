//! A kernel as a value: for lists of kernels.

use std::fmt;

use super::KernelDefinition;
use super::dimensions::block_extents;
use super::loaded::Kernel;
use crate::backend::cuda::{Gpu, KernelAttributes, LoadedKernel};
use crate::backend::{Checks, cpu};
use crate::compile::{self, CompileError, Options, Program, Target, Variant};
use crate::device::Device;
use crate::dims::BlockDim;
use crate::{Error, Result, fork};

/// A kernel, or an instance of a generic kernel, as a value: the result of `kernel::handle()`.
///
/// It shows what becomes of the kernel, and lists kernels that are to be compiled before their first launch: see [`prepare`] and
/// [`aot`](crate::aot).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn scale<T: Num>(x: &mut [T], by: T) {
///     let i = grid_1d();
///     if i < x.len() {
///         x[i] = x[i] * by;
///     }
/// }
///
/// let kernels = [scale::handle::<f32>(), scale::handle::<f64>()];
/// assert_eq!(kernels[0].name(), "scale::<f32>");
/// ```
#[derive(Clone, Copy)]
pub struct KernelHandle(pub(super) Kernel);

impl KernelHandle {
    /// For generated code.
    #[doc(hidden)]
    #[must_use]
    pub fn of<K: KernelDefinition>() -> Self {
        Self(Kernel::of::<K>())
    }

    /// The name of the kernel, without its type and const parameters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.meta.name
    }

    /// What is not proved of the kernel: the accesses by which its threads may race, each with its line.
    #[must_use]
    pub const fn findings(&self) -> &'static [&'static str] {
        self.0.meta.findings
    }

    /// Compiles the kernel for that device and loads it, so that its first launch starts at once. [`prepare`](crate::prepare()) does so for
    /// several kernels at a time.
    ///
    /// # Errors
    ///
    /// The kernel does not compile for it.
    #[inline]
    pub fn prepare(&self, device: &Device) -> Result<()> {
        prepare(device, &[*self])
    }

    /// The generated CUDA C with every check, and everything that the kernel calls.
    #[must_use]
    pub fn cuda_source(&self) -> String {
        compile::commented_source(self.0.meta.unit)
    }

    /// The CUDA C of launches that show all indices to be in bounds: without the checks that are marked in
    /// [`cuda_source`](Self::cuda_source).
    #[must_use]
    pub fn unchecked_source(&self) -> String {
        compile::readable_source(self.0.meta.unit, Variant::Unchecked)
    }

    /// PTX from NVRTC with every check, for an architecture such as `"sm_90"`.
    ///
    /// # Errors
    ///
    /// NVRTC was not found, or it does not support the architecture.
    pub fn ptx(&self, architecture: &str) -> Result<String> {
        self.compile(Variant::Checked, architecture, compile::ptx)
    }

    /// Machine code (an ELF image) with every check, for an architecture such as `"sm_90"`.
    ///
    /// # Errors
    ///
    /// NVRTC was not found, or it does not support the architecture.
    pub fn cubin(&self, architecture: &str) -> Result<Vec<u8>> {
        self.compile(Variant::Checked, architecture, compile::cubin)
    }

    /// One of the variants, for an architecture such as `"sm_90"`.
    pub(crate) fn compile<Output>(
        &self,
        variant: Variant,
        architecture: &str,
        compile: impl FnOnce(&Program, Target, &Options) -> std::result::Result<Output, CompileError>,
    ) -> Result<Output> {
        let target = architecture.parse()?;
        Ok(compile(&compile::assemble(self.0.meta.unit, variant), target, &self.options())?)
    }

    /// The registers and memory that the kernel needs on a GPU, with every check.
    ///
    /// # Errors
    ///
    /// The device is a CPU, or the kernel does not compile for it.
    pub fn attributes(&self, device: &Device) -> Result<KernelAttributes> {
        device.queue().dispatch(
            || Err(Error::NoMachineCode { kernel: self.name(), device: device.name().to_owned() }),
            |queue| self.load(queue.gpu(), Variant::Checked)?.attributes(queue.gpu()),
        )
    }

    /// How many blocks of that shape the device holds at the same time, with every check and without those that a launch may leave out: the
    /// most that can wait for each other, in `sync_grid()` or with `spin_loop()`, while nothing else runs on the device. If they have dynamic
    /// shared memory, it may hold fewer.
    ///
    /// On the CPU, these are the blocks of which it can suspend each in `sync_grid()`. Of a kernel without `sync_grid()`, it runs a block on each
    /// of rayon's threads; of a launch that is [checked](crate::Device::checked_cpu), one block at a time.
    ///
    /// # Errors
    ///
    /// No device runs such a block, or the kernel does not compile for it.
    pub fn max_resident_blocks(&self, device: &Device, block: impl Into<BlockDim>) -> Result<usize> {
        let block = block_extents(self.0.meta, device.queue().limits(), block.into())?;
        let most = device.queue().dispatch(
            || {
                let threads_per_block = block.iter().map(|&extent| u64::from(extent)).product();
                Ok(match (self.0.cooperative, device.queue().checks()) {
                    (true, _) => cpu::most_blocks_of_grid(threads_per_block),
                    (false, Checks::None) => rayon_core::current_num_threads() as u64,
                    (false, _) => 1,
                })
            },
            |queue| {
                let of = |variant| queue.gpu().resident_blocks(self.load(queue.gpu(), variant)?, block, 0);
                Ok::<u64, Error>(of(Variant::Checked)?.min(of(Variant::Unchecked)?).min(of(Variant::Narrow(u32::MAX))?))
            },
        )?;
        // No device holds 2³² blocks.
        Ok(most as usize)
    }

    pub(crate) fn options(&self) -> Options {
        Options::new(self.0.meta.fmad, self.0.options)
    }

    /// The variants that a launch may load, without those that are the same program as another.
    pub(super) fn variants(&self) -> Vec<Variant> {
        let mut variants = Vec::new();
        for variant in [Variant::Checked, Variant::Unchecked, Variant::SeveralElements, Variant::Narrow(u32::MAX)] {
            let variant = variant.distinct(self.0.meta.unit);
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        variants
    }

    pub(super) fn load(&self, gpu: &'static Gpu, variant: Variant) -> Result<&'static LoadedKernel> {
        self.0.load(gpu, variant)
    }

    /// The programs of these variants.
    pub(crate) fn programs(&self) -> Vec<Program> {
        self.variants().into_iter().map(|variant| compile::assemble(self.0.meta.unit, variant)).collect()
    }
}

impl fmt::Debug for KernelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KernelHandle").field(&self.name()).finish()
    }
}

/// Compiles the kernels for `device` and loads them, in parallel on rayon's global pool, so that their first launches start at once.
///
/// A launch compiles its kernel when it is the first; this call does it before, for all variants of each kernel. Compiled kernels are in
/// the [disk cache](crate::cache) afterwards. On the CPU there is nothing to do.
///
/// # Errors
///
/// [`Error::Compile`](crate::Error::Compile) if a kernel does not compile; the others are loaded.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn double(x: &mut [f32]) {
///     let i = grid_1d();
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// let device = Device::best()?;
/// gpu_runtime::prepare(&device, &[double::handle()])?;
/// double::prepare(&device)?; // the same, for one kernel
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
// Compiled only where it is used.
#[inline]
pub fn prepare(device: &Device, kernels: &[KernelHandle]) -> Result<()> {
    device.queue().dispatch(
        || Ok(()),
        |queue| {
            fork::check()?;
            let jobs: Vec<_> =
                kernels.iter().flat_map(|kernel| kernel.variants().into_iter().map(move |variant| (kernel, variant))).collect();
            in_parallel(&jobs, |(kernel, variant)| kernel.load(queue.gpu(), *variant)).into_iter().try_for_each(|loaded| loaded.map(drop))
        },
    )
}

/// What `work` returns for each of the jobs, in order.
pub(crate) fn in_parallel<J: Sync, T: Send>(jobs: &[J], work: impl Fn(&J) -> Result<T> + Sync) -> Vec<Result<T>> {
    fork::note_use();
    let mut results: Vec<Option<Result<T>>> = jobs.iter().map(|_| None).collect();
    rayon_core::scope(|scope| {
        let work = &work;
        for (job, result) in jobs.iter().zip(&mut results) {
            scope.spawn(move |_| *result = Some(work(job)));
        }
    });
    results.into_iter().map(|result| result.expect("every job has run")).collect()
}
