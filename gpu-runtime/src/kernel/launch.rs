//! A launch: a kernel with its arguments, waiting for a grid.

use std::ops::Range;

use super::arguments::{ArgumentBinder, MAX_PARAMETERS};
use super::loaded::loaded_kernel;
use super::{Arguments as _, KernelDefinition, KernelMeta, RaceFree, Unmet};
use super::{dimensions, forall};
use crate::backend::cuda::{Gpu, LoadedKernel, Queue};
use crate::backend::{cpu, host};
use crate::compile::Variant;
use crate::device::Device;
use crate::dims::{BlockDim, GridDim, LaunchDims};
use crate::failure::KernelFailure;
use crate::stream::Stream;
use crate::{Error, Result};

/// A kernel with its arguments, the result of calling the kernel: Numba's `kernel[grid, block](x, y, out)` without the brackets. Nothing
/// runs until [`launch`](Launch::launch) or [`forall`](Launch::forall).
///
/// Both are safe, and only for kernels that are [proved](RaceFree) free of data races. Any kernel can be launched with
/// [`launch_unchecked`](Launch::launch_unchecked) and [`forall_unchecked`](Launch::forall_unchecked), which are `unsafe`.
#[must_use = "nothing runs until `.launch(grid, block)` or `.forall(n)`"]
pub struct Launch<'a, K: KernelDefinition> {
    args: K::Args<'a>,
    device: Option<&'a Device>,
}

/// Who makes sure that a launch has no data race.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Races {
    /// The proof does, for the shapes and arguments that it covers.
    Proved,
    /// The caller does.
    Vouched,
}

/// The arrays of a launch for its checker.
fn regions(meta: &'static KernelMeta, memories: Vec<Option<Range<usize>>>) -> impl Iterator<Item = cpu::Region> {
    let named = meta.params.iter().zip(memories);
    named.filter_map(|(&name, memory)| memory.map(|memory| (name, memory.start, memory.len())))
}

impl<'a, K: KernelDefinition> Launch<'a, K> {
    /// For generated code.
    #[doc(hidden)]
    #[inline]
    pub fn new(args: K::Args<'a>) -> Self {
        const { assert!(K::META.params.len() <= MAX_PARAMETERS, "a kernel takes at most 32 parameters") };
        Self { args, device: None }
    }

    /// Runs the kernel on this device. A kernel without array arguments needs it; other kernels run on the device of their arrays.
    pub fn on_device(self, device: &'a Device) -> Self {
        Self { device: Some(device), ..self }
    }

    /// Runs the kernel on this stream: `kernel<<<…, stream>>>`, Numba's `kernel[grid, block, stream]`. Without it, the kernel runs on the
    /// stream of its first array argument: see [`Stream`].
    pub fn on(self, stream: &'a Stream) -> Self {
        self.on_device(stream)
    }

    /// Whether each thread of `forall(n)` would compute several elements: for tests.
    #[doc(hidden)]
    pub fn forall_does_several_elements(&self, n: usize) -> Result<bool> {
        let mut binder = ArgumentBinder::new(K::META, self.device);
        self.args.bind(&mut binder);
        let does_several = |queue: &Queue| Ok(self.with_several_elements(queue.gpu(), n, Races::Vouched)?.is_some());
        binder.device()?.queue().dispatch(|| Ok(false), does_several)
    }

    /// Runs the kernel with `grid` blocks of `block` threads: `kernel[grid, block](…)`.
    ///
    /// Both are numbers or tuples of two or three. On a GPU the call returns before the kernel is done. The first launch
    /// compiles the kernel.
    ///
    /// # Errors
    ///
    /// Before anything runs: arguments on different devices; a shape that the device, the kernel's declared block or its race proof does
    /// not allow; and [`Error::Compile`](crate::Error::Compile). An empty grid is an error unless a `&mut` array is empty too, in which
    /// case nothing is done. The next call that waits reports a failure inside the kernel: see [`Device`].
    pub fn launch(self, grid: impl Into<GridDim>, block: impl Into<BlockDim>) -> Result<()>
    where
        K: RaceFree,
    {
        const { K::CONDITIONS };
        // SAFETY: `RaceFree` says that no launch that the proof covers has a data race.
        unsafe { self.run(grid.into(), block.into(), Races::Proved) }
    }

    /// Runs the kernel for `n` threads and up to 1023 more, along one axis: `kernel.forall(n)(…)`.
    ///
    /// The block is the one that the kernel declares, or one that keeps the device busy. The index of the last threads may be `n` or
    /// larger, so the kernel must compare its index with a length. With `n` = 0, nothing is done.
    ///
    /// On a GPU, one hardware thread may compute the elements of four threads, which a kernel needs to reach the memory bandwidth. This
    /// happens only if the result is the same: the kernel's only thread coordinate is `grid_1d()`, it declares no block, it has no loop,
    /// and no remaining check can fail. It also happens only if `n` is large enough to still fill the GPU, about a million on the largest.
    /// [`launch`](Self::launch) always runs exactly the threads of its grid and block.
    ///
    /// # Errors
    ///
    /// As for [`launch`](Self::launch), and [`Error::ForallNeedsOneDimension`](crate::Error::ForallNeedsOneDimension) if the kernel
    /// declares a block with more dimensions.
    ///
    /// # Examples
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn add(x: &[f32], y: &[f32], out: &mut [f32]) {
    ///     let i = grid_1d();
    ///     if i < out.len() {
    ///         out[i] = x[i] + y[i];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let (x, y) = (device.to_device(&[1.0; 1000])?, device.to_device(&[0.5; 1000])?);
    /// let mut out = device.zeros::<f32>(1000)?;
    /// add(&x, &y, &mut out).forall(1000)?;
    /// assert_eq!(out.to_host()?, [1.5; 1000]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub fn forall(self, n: usize) -> Result<()>
    where
        K: RaceFree,
    {
        const { K::CONDITIONS };
        // SAFETY: `RaceFree` says that no launch that the proof covers has a data race.
        unsafe { self.run_forall(n, Races::Proved) }
    }

    /// Runs any kernel with `grid` blocks of `block` threads, whether it is proved free of data races or not, and whether the proof covers
    /// this launch or not. Works and fails like [`launch`](Self::launch) otherwise: indices are checked unless the shape and the arguments
    /// of this launch show that they are in bounds.
    ///
    /// # Safety
    ///
    /// No two threads may use the same element of a `&mut` array, unless both only read it; and every thread that a barrier or a warp
    /// function waits for must reach it. If the kernel is not proved, a barrier or an atomic may also order the two uses. The
    /// documentation of the kernel lists what could not be proved.
    ///
    /// # Examples
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn scatter(x: &[f32], to: &[u32], out: &mut [f32]) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         out[to[i] as usize] = x[i];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let (x, to) = (device.to_device(&[1.0, 2.0, 3.0])?, device.to_device(&[2, 0, 1])?);
    /// let mut out = device.zeros::<f32>(3)?;
    /// // SAFETY: no two elements of `to` are equal.
    /// unsafe { scatter(&x, &to, &mut out).launch_unchecked(1, 32)? };
    /// assert_eq!(out.to_host()?, [2.0, 3.0, 1.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    pub unsafe fn launch_unchecked(self, grid: impl Into<GridDim>, block: impl Into<BlockDim>) -> Result<()> {
        // SAFETY: the caller guarantees the absence of races.
        unsafe { self.run(grid.into(), block.into(), Races::Vouched) }
    }

    /// Runs any kernel for `n` threads and up to 1023 more, along one axis, whether it is proved free of data races or not. Works and
    /// fails like [`forall`](Self::forall) otherwise.
    ///
    /// # Safety
    ///
    /// As for [`launch_unchecked`](Self::launch_unchecked), for any block, and also for the threads whose index is `n` or larger.
    pub unsafe fn forall_unchecked(self, n: usize) -> Result<()> {
        // SAFETY: the caller guarantees the absence of races.
        unsafe { self.run_forall(n, Races::Vouched) }
    }

    /// # Safety
    ///
    /// The launch must be free of data races, if it is one that `races` lets pass.
    #[inline]
    unsafe fn run(self, grid: GridDim, block: BlockDim, races: Races) -> Result<()> {
        let mut binder = ArgumentBinder::new(K::META, self.device);
        self.args.bind(&mut binder);
        let device = binder.device()?;
        if grid.is_empty() && !block.is_empty() && binder.has_empty_output() {
            return Ok(());
        }
        let is_proved = races == Races::Proved;
        let dims = dimensions::check(K::META, device.queue().limits(), is_proved, grid, block)?;
        dimensions::check_launch_bounds(K::META, K::OPTIONS, block, &dims)?;
        if is_proved && let Err(unmet) = K::race_free(&self.args, &dims) {
            return Err(not_proved(K::META, grid, block, unmet));
        }
        device.queue().dispatch_with(
            &mut binder,
            |binder| device.queue().ordered(binder.uses(), || self.run_on_cpu(device, block, &dims)),
            // SAFETY: the caller guarantees the absence of races.
            |binder, queue| unsafe { self.run_on_gpu(queue, device, binder, block, &dims) },
        )
    }

    fn run_on_cpu(&self, device: &Device, block: BlockDim, dims: &LaunchDims) -> Result<()> {
        check_on_cpu(K::META, K::COOPERATIVE, K::dynamic_shared(&self.args, dims), device, block, dims)?;
        let args = &self.args;
        let run_blocks = |blocks: cpu::Blocks<'_>| K::run_blocks(args, blocks);
        let checker = device.queue().is_checked().then(|| cpu::Checker::new(regions(K::META, args.memories())));
        // A checked launch sees every access.
        let in_bounds = checker.is_none() && K::in_bounds(args, dims);
        let twin =
            cpu::Twin { name: K::META.name, cooperative: K::COOPERATIVE, in_bounds, checker, run_blocks: &run_blocks as &RunBlocks<'_> };
        if let Err(failure) = run_twin(&twin, dims) {
            // As on a GPU, the launch succeeds, and whoever waits for its results hears of it.
            args.bind(&mut ArgumentBinder::telling(K::META, &failure, device.queue()));
            device.queue().keep_failure(&failure);
        }
        Ok(())
    }

    /// # Safety
    ///
    /// As for [`run`](Self::run). `binder` has the arguments.
    #[inline]
    unsafe fn run_on_gpu(
        &self,
        queue: &'static Queue,
        device: &Device,
        binder: &mut ArgumentBinder<'_>,
        block: BlockDim,
        dims: &LaunchDims,
    ) -> Result<()> {
        let kernel = self.find_kernel(queue.gpu(), dims)?;
        let bytes = K::dynamic_shared(&self.args, dims);
        // SAFETY: the binder holds the parameters of this kernel, whose arrays lie on this GPU and are borrowed
        // until the launch is on the stream. The caller guarantees the absence of races.
        unsafe { launch_on_gpu(K::META, K::COOPERATIVE, bytes, kernel, (queue, device), binder, block, dims) }
    }

    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn run_forall(self, n: usize, races: Races) -> Result<()> {
        let mut binder = ArgumentBinder::new(K::META, self.device);
        self.args.bind(&mut binder);
        let device = binder.device()?;
        let declared = dimensions::declared_forall_block(K::META)?;
        if n == 0 {
            return Ok(());
        }
        let block = match declared {
            Some(block) => Some(block),
            None => device.queue().dispatch(
                || Ok(Some(dimensions::first_forall_block(K::OPTIONS))),
                // SAFETY: the caller guarantees the same.
                |queue| unsafe { self.run_with_several_elements(queue, &mut binder, n, races) },
            )?,
        };
        match block {
            // SAFETY: the caller guarantees the same.
            Some(block) => unsafe { self.run(n.div_ceil(block as usize).into(), block.into(), races) },
            None => Ok(()),
        }
    }

    /// Launches the kernel's variant with several elements per thread, if it is faster and gives the same results. Otherwise, returns the
    /// block for the variant with one element per thread.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run). `binder` has the arguments.
    unsafe fn run_with_several_elements(
        &self,
        queue: &'static Queue,
        binder: &mut ArgumentBinder<'_>,
        n: usize,
        races: Races,
    ) -> Result<Option<u32>> {
        let gpu = queue.gpu();
        let Some((kernel, dims)) = self.with_several_elements(gpu, n, races)? else {
            return self.choose_forall_block(gpu, n, races).map(Some);
        };
        kernel.advise(K::META.name, dims.grid, gpu.multiprocessors());
        // SAFETY: as in `run_on_gpu`. What runs is what a launch of the one-element variant does whose shape, bounds and freedom
        // of races were checked.
        binder.launch(queue, |parameters| unsafe { queue.launch(kernel, &dims, parameters) })?;
        Ok(None)
    }

    /// The kernel's variant with several elements per thread and its launch, if it is faster and gives the same results.
    ///
    /// A thread that fails ends, and its other elements are not computed. So no check may remain, neither one that this launch could make
    /// redundant nor any other.
    fn with_several_elements(&self, gpu: &'static Gpu, n: usize, races: Races) -> Result<Option<(&'static LoadedKernel, LaunchDims)>> {
        let device = (gpu.limits(), gpu.resident_threads());
        let dims = forall::launch_for_several_elements::<K>(&self.args, n, device, races == Races::Proved);
        let Some(dims) = dims else { return Ok(None) };
        let kernel = loaded_kernel::<K>(gpu, Variant::SeveralElements)?;
        Ok(kernel.does_several_elements().then(|| (kernel, forall::with_several_elements(&dims))))
    }

    /// A block that suits the kernel on `gpu`.
    ///
    /// The variant depends on the number of threads, which depends on the block, which depends on the variant. So the choice starts with
    /// one block. If another block fits better, it takes one that both variants can run.
    fn choose_forall_block(&self, gpu: &'static Gpu, n: usize, races: Races) -> Result<u32> {
        let best_after = |block: u32| {
            let (grid, block) = (n.div_ceil(block as usize).into(), block.into());
            let dims = dimensions::check(K::META, gpu.limits(), races == Races::Proved, grid, block)?;
            gpu.forall_block(self.find_kernel(gpu, &dims)?)
        };
        let first = dimensions::first_forall_block(K::OPTIONS);
        let block = best_after(first)?;
        if block == first { Ok(block) } else { Ok(block.min(best_after(block)?)) }
    }

    /// The kernel for `gpu`, without the checks that this launch proves redundant.
    #[inline]
    fn find_kernel(&self, gpu: &'static Gpu, dims: &LaunchDims) -> Result<&'static LoadedKernel> {
        let variant = if K::in_bounds(&self.args, dims) { Variant::Unchecked } else { Variant::Checked };
        loaded_kernel::<K>(gpu, variant)
    }
}

// The functions below are not generic over the kernel, so that they are compiled once, and not for each kernel that is launched.

/// Whether a CPU has the dynamic shared memory that each block needs, and holds a grid whose threads wait for each other.
fn check_on_cpu(
    meta: &'static KernelMeta,
    cooperative: bool,
    bytes: Option<usize>,
    device: &Device,
    block: BlockDim,
    dims: &LaunchDims,
) -> Result<()> {
    let shared = dimensions::check_dynamic_shared(meta, bytes, || Ok(host::SHARED_BYTES))?;
    if cooperative {
        let most = cpu::most_blocks_of_grid(dims.block.iter().map(|&extent| u64::from(extent)).product());
        dimensions::check_resident(meta, dims, block, shared, most, || device.to_string())?;
    }
    Ok(())
}

/// The body of a twin, as what runs it sees it.
type RunBlocks<'r> = dyn Fn(cpu::Blocks<'_>) -> std::result::Result<(), cpu::Stop> + Sync + 'r;

/// Runs a twin.
fn run_twin(twin: &cpu::Twin<&RunBlocks<'_>>, dims: &LaunchDims) -> std::result::Result<(), KernelFailure> {
    cpu::run(twin, dims)
}

/// Launches a kernel whose blocks need these bytes of dynamic shared memory.
///
/// # Safety
///
/// `binder` holds the parameters of `kernel`, whose arrays lie on this GPU and are borrowed until the launch is on the stream. The launch
/// must be free of data races.
#[inline]
#[allow(clippy::too_many_arguments)]
unsafe fn launch_on_gpu(
    meta: &'static KernelMeta,
    cooperative: bool,
    bytes: Option<usize>,
    kernel: &'static LoadedKernel,
    (queue, device): (&'static Queue, &Device),
    binder: &mut ArgumentBinder<'_>,
    block: BlockDim,
    dims: &LaunchDims,
) -> Result<()> {
    let gpu = queue.gpu();
    dimensions::check_threads(meta, kernel.max_threads(), block, dims)?;
    let shared = dimensions::check_dynamic_shared(meta, bytes, || gpu.dynamic_shared_limit(kernel))?;
    kernel.advise(meta.name, dims.grid, gpu.multiprocessors());
    if cooperative {
        let most = gpu.resident_blocks(kernel, dims.block, shared)?;
        dimensions::check_resident(meta, dims, block, shared, most, || device.to_string())?;
        return queue.with_grid_state(|state| {
            binder.grid_state(state)?;
            // SAFETY: the caller guarantees the parameters, and the last one is the state of this grid.
            binder.launch(queue, |parameters| unsafe { queue.launch_cooperatively(kernel, dims, shared, parameters) })
        });
    }
    // SAFETY: the caller guarantees the same.
    binder.launch(queue, |parameters| unsafe { queue.launch_with_shared(kernel, dims, shared, parameters) })
}

#[cold]
fn not_proved(meta: &'static KernelMeta, grid: GridDim, block: BlockDim, unmet: Unmet) -> Error {
    let Unmet { condition, access, .. } = unmet;
    Error::NotProvedForArguments { kernel: meta.name, grid, block, condition, access, unmet: unmet.to_string() }
}
