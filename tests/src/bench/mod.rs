//! Where a case runs, and how it compares what came out.

mod arguments;
mod compare;
mod data;
mod program;

pub use arguments::{Argument, Arguments, HostView, HostViewMut, Value, ViewPart, ViewPartMut, view, view_mut};
pub use compare::{Same, assert_close, assert_same, assert_ulps};
pub use data::{below, bytes_below, positive, whole};
pub use program::{Program, Programs, Source};

use std::panic::{AssertUnwindSafe, catch_unwind};

use gpu_runtime::__private::KernelDefinition;
use gpu_runtime::{BlockDim, Device, Error, FailureCause, GridDim, Launch};

use crate::shim::Library;

/// A behaviour of the kernel language, and how to show it on any bench.
#[derive(Clone, Copy)]
pub struct Case {
    /// `topic::behaviour`.
    pub name: &'static str,
    /// Launches a kernel and panics unless the right values come out.
    pub run: fn(&Bench),
    /// Whether integers wrap around in its kernels, as they do on a GPU.
    pub wraps: bool,
}

/// What a case launches its kernels on.
pub enum Bench {
    /// The runtime, on one of its devices.
    Device(Device),
    /// The runtime's CPU, taking down every kernel that is launched.
    Recording(Device, Programs),
    /// The kernel's CUDA C, as the host's C++ compiler understands it.
    Compiled(Library),
}

/// How a thread of a launch failed, without what depends on which thread was first.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub kernel: String,
    pub line: u32,
    pub cause: FailureCause,
    pub block: [u32; 3],
    pub thread: [u32; 3],
}

/// What a case gives for the parameters of the kernel `K`.
pub type HostArguments<'h, K> = <<K as KernelDefinition>::Args<'static> as Arguments>::Host<'h>;

impl Bench {
    /// Launches `K` and copies what its `&mut` slices hold back into the arguments.
    pub fn try_launch<K>(
        &self,
        mut arguments: HostArguments<'_, K>,
        grid: impl Into<GridDim>,
        block: impl Into<BlockDim>,
    ) -> Result<(), Failure>
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        let (grid, block) = (grid.into(), block.into());
        if let Self::Compiled(library) = self {
            return library.launch::<K>(&mut arguments, grid, block);
        }
        // SAFETY: no kernel of this crate has a data race for the launches of its cases.
        self.run_on_device::<K>(arguments, |launch| unsafe { launch.launch_unchecked(grid, block) })
    }

    /// Launches `K` for `n` elements, copies what its `&mut` slices hold back into the arguments, and says whether each thread did
    /// several elements.
    #[track_caller]
    pub fn forall<K>(&self, mut arguments: HostArguments<'_, K>, n: usize) -> bool
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        let mut several_elements = false;
        let outcome = match self {
            Self::Compiled(library) => library.forall::<K>(&mut arguments, n).map(|did| several_elements = did),
            _ => self.run_on_device::<K>(arguments, |launch| {
                several_elements = launch.forall_does_several_elements(n)?;
                // SAFETY: no kernel of this crate has a data race for the launches of its cases.
                unsafe { launch.forall_unchecked(n) }
            }),
        };
        outcome.unwrap_or_else(|failure| panic!("the kernel failed: {failure:?}"));
        several_elements
    }

    /// Whether it runs the form for several elements where a kernel has one that makes no difference.
    pub fn does_several_elements(&self) -> bool {
        match self {
            Self::Device(device) => device.is_gpu(),
            Self::Recording(..) => false,
            Self::Compiled(library) => library.runs_as_launched(),
        }
    }

    /// So many elements that a thread does several of them, if it ever does; no round number.
    pub fn many(&self) -> usize {
        match self {
            // More than a GPU of 256 multiprocessors takes at a time.
            Self::Device(device) if device.is_gpu() => (1 << 21) + 1027,
            _ => 4099,
        }
    }

    /// Runs `K` on the runtime's device, which this bench must have.
    fn run_on_device<K>(
        &self,
        mut arguments: HostArguments<'_, K>,
        run: impl FnOnce(Launch<'_, K>) -> gpu_runtime::Result<()>,
    ) -> Result<(), Failure>
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        let device = match self {
            Self::Device(device) => device,
            Self::Recording(device, programs) => {
                programs.record::<K>();
                device
            }
            Self::Compiled(_) => unreachable!("compiled code runs without a device"),
        };
        let mut uploaded = K::Args::upload(&arguments, device);
        // SAFETY: the launch is over, as the device is waited for, before the arrays are used.
        let launch = Launch::<K>::new(unsafe { K::Args::bind(&mut uploaded) });
        run(launch).unwrap_or_else(|error| panic!("the launch was refused: {error}"));
        let outcome = match device.synchronize() {
            Ok(()) => Ok(()),
            Err(Error::KernelFailed(failure)) => Err(Failure {
                kernel: failure.kernel.to_owned(),
                line: failure.line,
                cause: failure.cause.clone(),
                block: failure.block,
                thread: failure.thread,
            }),
            Err(error) => panic!("the kernel was lost: {error}"),
        };
        K::Args::download(&mut arguments, &uploaded);
        outcome
    }

    /// Like [`try_launch`](Self::try_launch) for a launch that must succeed.
    #[track_caller]
    pub fn launch<K>(&self, arguments: HostArguments<'_, K>, grid: impl Into<GridDim>, block: impl Into<BlockDim>)
    where
        K: KernelDefinition<Args<'static>: Arguments>,
    {
        if let Err(failure) = self.try_launch::<K>(arguments, grid, block) {
            panic!("the kernel failed: {failure:?}");
        }
    }
}

/// `launch!(bench, kernel(&x, 2, &mut out), grid, block)`: a launch that must succeed.
#[macro_export]
macro_rules! launch {
    ($bench:expr, $($kernel:ident)::+ ($($argument:expr),* $(,)?), $grid:expr, $block:expr) => {
        $bench.launch::<$($kernel)::+::Kernel>(($($argument,)*), $grid, $block)
    };
}

/// `try_launch!(bench, kernel(&x, 2, &mut out), grid, block)`: a launch, and how it failed.
#[macro_export]
macro_rules! try_launch {
    ($bench:expr, $($kernel:ident)::+ ($($argument:expr),* $(,)?), $grid:expr, $block:expr) => {
        $bench.try_launch::<$($kernel)::+::Kernel>(($($argument,)*), $grid, $block)
    };
}

/// `forall!(bench, kernel(&x, 2, &mut out), n)`: a launch for `n` elements that must succeed, and whether each thread did several.
#[macro_export]
macro_rules! forall {
    ($bench:expr, $($kernel:ident)::+ ($($argument:expr),* $(,)?), $n:expr) => {
        $bench.forall::<$($kernel)::+::Kernel>(($($argument,)*), $n)
    };
}

/// The cases of a topic: `cases![one_behaviour, another, third wraps = true];`.
#[macro_export]
macro_rules! cases {
    ($($case:ident $(wraps = $wraps:literal)?),* $(,)?) => {
        /// What this topic's kernels must do.
        pub const CASES: &[$crate::bench::Case] = &[$($crate::bench::Case {
            name: concat!(module_path!(), "::", stringify!($case)),
            run: $case,
            wraps: [$($wraps,)? false][0],
        }),*];
    };
}

/// A kernel and a plain function of the same text: what rustc makes of it is what one thread of the kernel must do.
#[macro_export]
macro_rules! kernel_and_oracle {
    ($kernel:ident, $oracle:ident, ($($name:ident: $ty:ty),*) $body:block) => {
        #[gpu_kernel(fmad = false)]
        pub fn $kernel($($name: $ty),*) {
            if grid_1d() == 0 $body
        }

        #[allow(clippy::all)]
        fn $oracle($($name: $ty),*) $body
    };
}

/// Runs every case on the CPU. With `GPU_RUNTIME_CHECK=1`, overflow is reported of those cases only that do not need it.
///
/// # Panics
///
/// If a case does.
pub fn run_all_on_cpu(cases: &[Case]) {
    let is_checked = std::env::var_os("GPU_RUNTIME_CHECK").is_some_and(|value| value == "1");
    let (wrapping, others): (Vec<Case>, Vec<Case>) = cases.iter().partition(|case| case.wraps);
    run_all(others, &Bench::Device(Device::cpu()));
    run_all(wrapping, &Bench::Device(if is_checked { Device::memory_checked_cpu() } else { Device::cpu() }));
}

/// Runs every case, and then fails with the names of those that failed.
///
/// # Panics
///
/// If a case does.
pub fn run_all(cases: impl IntoIterator<Item = Case>, bench: &Bench) {
    let failed: Vec<&str> =
        cases.into_iter().filter(|case| catch_unwind(AssertUnwindSafe(|| (case.run)(bench))).is_err()).map(|case| case.name).collect();
    assert!(failed.is_empty(), "{} cases failed: {}", failed.len(), failed.join(", "));
}
