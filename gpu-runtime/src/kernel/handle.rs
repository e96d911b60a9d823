//! A kernel as a value: for lists of kernels.

use std::fmt;

use super::KernelDefinition;
use super::loaded::Kernel;
use crate::backend::cuda::{Gpu, LoadedKernel};
use crate::compile::{self, Options, Program, Variant};
use crate::device::Device;
use crate::{Result, fork};

/// A kernel, or an instance of a generic kernel, as a value: the result of `kernel::handle()`.
///
/// It lists kernels that are to be compiled before their first launch: see [`prepare`] and [`aot`](crate::aot).
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
pub struct KernelHandle(Kernel);

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

    pub(crate) fn options(&self) -> Options {
        Options::new(self.0.meta.fmad, self.0.options)
    }

    /// The variants that a launch may load, without those that are the same program as another.
    pub(super) fn variants(&self) -> Vec<Variant> {
        let source = self.0.unit;
        let mut variants = Vec::new();
        for variant in [Variant::Checked, Variant::Unchecked, Variant::SeveralElements, Variant::Narrow] {
            let variant = variant.distinct(source);
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
        self.variants().into_iter().map(|variant| compile::assemble(self.0.unit, variant)).collect()
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
