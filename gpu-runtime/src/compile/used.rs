//! Which kernels some calls run on a GPU: [`kernels_of`].
//!
//! Kernels come from two places, launches of `#[gpu_kernel]` functions and those that array functions write for expressions. Both tell this
//! module, so there is nothing for a single function to do. On the CPU, the way that a GPU would go is gone up to the launches.

use std::cell::RefCell;
use std::collections::HashSet;

use super::{Options, Variant, assemble, cubin, readable_source};
use crate::Result;
use crate::source::SourceUnit;

/// A kernel that a call runs on a GPU: what [`kernels_of`] returns.
#[derive(Debug, Clone, Copy)]
pub struct UsedKernel {
    name: &'static str,
    unit: &'static SourceUnit,
    options: Options,
}

impl UsedKernel {
    pub(crate) fn new(name: &'static str, unit: &'static SourceUnit, options: Options) -> Self {
        Self { name, unit, options }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its CUDA C, for reading and for tests.
    #[must_use]
    pub fn cuda_source(&self) -> String {
        readable_source(self.unit, Variant::Checked)
    }

    /// Its machine code for an architecture such as `sm_90`. It needs NVRTC, and no GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile), and [`Error::Architecture`](crate::Error::Architecture) if the architecture is none.
    pub fn cubin(&self, architecture: &str) -> Result<Vec<u8>> {
        Ok(cubin(&assemble(self.unit, Variant::Checked), architecture.parse()?, &self.options)?)
    }
}

thread_local! {
    /// What was used since somebody asked on this thread.
    static USED: RefCell<Option<Vec<UsedKernel>>> = const { RefCell::new(None) };
}

/// Whether somebody wants to know which kernels this thread uses.
pub(crate) fn is_asked() -> bool {
    // At the end of a thread, nobody asks any more.
    USED.try_with(|used| used.borrow().is_some()).unwrap_or(false)
}

/// Says that this thread uses a kernel.
pub(crate) fn note(kernel: impl FnOnce() -> UsedKernel) {
    if is_asked() {
        let kernel = kernel();
        USED.with_borrow_mut(|used| used.iter_mut().for_each(|used| used.push(kernel)));
    }
}

/// The kernels that the calls inside of `work` run on a GPU, each once, in the order of their first use: those of array functions, such as
/// reductions, scans, histograms, sorts and `at`, and those that are launched.
///
/// `work` is run. On the CPU it computes the same as usual, and the kernels are those for a GPU with 132 multiprocessors: how many parts a
/// reduction has depends on it. A call of a library, such as a product by cuBLAS, has no kernel of this crate.
///
/// # Errors
///
/// Those of `work`.
///
/// ```
/// use gpu_runtime::kernels_of;
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[3.0f32, 1.0, 2.0])?;
/// let kernels = kernels_of(|| {
///     (&x * 2.0).sum()?;
///     x.cumsum()
/// })?;
/// let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name()).collect();
/// assert_eq!(names, ["reduce_sum", "scan_sum"]);
/// assert!(kernels[0].cuda_source().contains("gr_reduction"));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn kernels_of<T>(work: impl FnOnce() -> Result<T>) -> Result<Vec<UsedKernel>> {
    /// What was asked before, also if `work` panics.
    struct Before(Option<Vec<UsedKernel>>);
    impl Drop for Before {
        fn drop(&mut self) {
            USED.set(self.0.take());
        }
    }
    let before = Before(USED.replace(Some(Vec::new())));
    work()?;
    let used = USED.take().unwrap_or_default();
    drop(before);
    let mut known = HashSet::new();
    Ok(used.into_iter().filter(|kernel| known.insert((kernel.options, kernel.cuda_source()))).collect())
}
