//! A launch: a kernel with its arguments, waiting for a grid.

use std::ops::Range;
use std::panic::Location;

use super::arguments::{ArgumentBinder, MAX_PARAMETERS};
use super::loaded::Kernel;
use super::run::{self, Call, Races, Request};
use super::{Arguments as _, KernelDefinition, Launched, RaceFree, Shown, Unmet};
use crate::Result;
use crate::backend::cpu;
use crate::device::Device;
use crate::dims::{IntoBlock, IntoGrid, IntoThreads, LaunchDims};
use crate::stream::Stream;

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

    /// A request of the line that calls the caller.
    #[track_caller]
    fn request(&self, races: Races) -> Request<'a> {
        Request { device: self.device, races, line: Location::caller() }
    }

    /// Whether each thread of `forall(n)` would compute several elements: for tests.
    #[doc(hidden)]
    pub fn forall_does_several_elements(&self, n: usize) -> Result<bool> {
        run::forall_does_several_elements(self, self.device, n)
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
    #[track_caller]
    pub fn launch(self, grid: impl IntoGrid, block: impl IntoBlock) -> Result<()>
    where
        K: RaceFree,
    {
        const { K::CONDITIONS };
        // SAFETY: `RaceFree` says that no launch that the proof covers has a data race.
        unsafe { run::run(&self, self.request(Races::Proved), grid.into(), block.into()) }
    }

    /// Runs the kernel for so many threads and up to 1023 more along an axis: `kernel.forall(n)(…)`. That is a number, or a tuple of two or
    /// three for a kernel with as many axes: `forall((columns, rows))`.
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
    /// As for [`launch`](Self::launch), and [`Error::ForallNeedsMoreAxes`](crate::Error::ForallNeedsMoreAxes) if the kernel declares a
    /// block with more axes than there are numbers.
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
    ///
    /// #[gpu_kernel]
    /// fn transpose(x: View<f32, 2>, mut out: ViewMut<f32, 2>) {
    ///     let (column, row) = grid_2d();
    ///     if row < x.shape()[0] && column < x.shape()[1] {
    ///         out[[column, row]] = x[[row, column]];
    ///     }
    /// }
    ///
    /// let x = device.to_device(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
    /// let mut out = device.zeros::<f32>([3, 2])?;
    /// transpose(&x, &mut out).forall((3, 2))?;
    /// assert_eq!(out.to_host()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn forall<N: IntoThreads>(self, n: N) -> Result<()>
    where
        K: RaceFree,
    {
        const { K::CONDITIONS };
        // SAFETY: `RaceFree` says that no launch that the proof covers has a data race.
        unsafe { run::run_forall(&self, self.request(Races::Proved), n.into(), N::AXES) }
    }

    /// Starts the kernel like [`launch`](Self::launch), on a stream of its own, and returns what waits for this launch: `.await` in `async`
    /// code, with any executor and without a thread that waits, or [`wait`](Launched::wait). The result is the failure of this launch, and of
    /// no other, with the number of its threads that failed.
    ///
    /// The arrays are borrowed until the launch is started, not until it is done: later work waits for it. A stream that was chosen with
    /// [`on`](Self::on) only says which device.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[gpu_kernel]
    /// fn halve(x: &mut [f32]) {
    ///     let i = grid_1d();
    ///     if i < x.len() {
    ///         x[i] *= 0.5;
    ///     }
    /// }
    ///
    /// async fn halve_both(x: &mut DeviceArray<f32>, y: &mut DeviceArray<f32>) -> gpu_runtime::Result<()> {
    ///     let (one, other) = (halve(x).launch_async(1, 32), halve(y).launch_async(1, 32)); // at the same time
    ///     one.await?;
    ///     other.await
    /// }
    /// # let device = Device::cpu();
    /// # let (mut x, mut y) = (device.ones::<f32>(3)?, device.ones::<f32>(3)?);
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let done = std::pin::pin!(halve_both(&mut x, &mut y)).poll(&mut context);
    /// # assert!(matches!(done, std::task::Poll::Ready(Ok(()))));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn launch_async(self, grid: impl IntoGrid, block: impl IntoBlock) -> Launched
    where
        K: RaceFree,
    {
        const { K::CONDITIONS };
        let (grid, block, request) = (grid.into(), block.into(), self.request(Races::Proved));
        Launched::on_new_stream(run::find_device(&self, self.device), |stream| {
            // SAFETY: `RaceFree` says that no launch that the proof covers has a data race.
            unsafe { run::run(&self, Request { device: Some(stream), ..request }, grid, block) }
        })
    }

    /// Starts the kernel like [`forall`](Self::forall), and returns what waits for this launch: see [`launch_async`](Self::launch_async).
    #[track_caller]
    pub fn forall_async<N: IntoThreads>(self, n: N) -> Launched
    where
        K: RaceFree,
    {
        const { K::CONDITIONS };
        let (n, request) = (n.into(), self.request(Races::Proved));
        Launched::on_new_stream(run::find_device(&self, self.device), |stream| {
            // SAFETY: `RaceFree` says that no launch that the proof covers has a data race.
            unsafe { run::run_forall(&self, Request { device: Some(stream), ..request }, n, N::AXES) }
        })
    }

    /// Runs any kernel with `grid` blocks of `block` threads, whether it is proved free of data races or not, and whether the proof covers
    /// this launch or not. Works and fails like [`launch`](Self::launch) otherwise: indices are checked unless the shape and the arguments
    /// of this launch show that they are in bounds.
    ///
    /// # Safety
    ///
    /// No two threads may use the same element of a `&mut` array, unless both only read it; and every thread that a barrier or a warp
    /// function waits for must reach it. If the kernel is not proved, a barrier or an atomic may also order the two uses; the
    /// documentation of the kernel lists what could not be proved. If it is proved, and the launch does not have what
    /// [`launch`](Self::launch) checks, the same holds for all shared arrays.
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
    #[track_caller]
    pub unsafe fn launch_unchecked(self, grid: impl IntoGrid, block: impl IntoBlock) -> Result<()> {
        // SAFETY: the caller guarantees the absence of races.
        unsafe { run::run(&self, self.request(Races::Vouched), grid.into(), block.into()) }
    }

    /// Runs any kernel for `n` threads and up to 1023 more, along one axis, whether it is proved free of data races or not. Works and
    /// fails like [`forall`](Self::forall) otherwise.
    ///
    /// # Safety
    ///
    /// As for [`launch_unchecked`](Self::launch_unchecked), for any block, and also for the threads whose index is `n` or larger.
    #[track_caller]
    pub unsafe fn forall_unchecked<N: IntoThreads>(self, n: N) -> Result<()> {
        // SAFETY: the caller guarantees the absence of races.
        unsafe { run::run_forall(&self, self.request(Races::Vouched), n.into(), N::AXES) }
    }
}

impl<K: KernelDefinition> Call for Launch<'_, K> {
    fn kernel(&self) -> Kernel {
        Kernel::of::<K>()
    }

    fn bind<'l>(&self, binder: &mut ArgumentBinder<'l>)
    where
        Self: 'l,
    {
        self.args.bind(binder);
    }

    fn memories(&self) -> Vec<Option<Range<usize>>> {
        self.args.memories()
    }

    fn are_aligned(&self) -> bool {
        self.args.are_aligned()
    }

    fn shown(&self, dims: &LaunchDims) -> Shown {
        K::shown(&self.args, dims)
    }

    fn race_free(&self, dims: &LaunchDims) -> std::result::Result<(), Unmet> {
        K::race_free(&self.args, dims)
    }

    fn dynamic_shared(&self, dims: &LaunchDims) -> Option<usize> {
        K::dynamic_shared(&self.args, dims)
    }

    fn run_blocks(&self, blocks: cpu::Blocks<'_>) -> std::result::Result<(), cpu::Stop> {
        K::run_blocks(&self.args, blocks)
    }
}
