//! cuFFT: Fourier transforms.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Arc, LazyLock};

use cudarc::cufft::sys::{self as header, cufftHandle, cufftType};

use super::per_queue::PerQueue;
use super::{Loaded, Requirement, check, load};
use crate::Result;
use crate::backend::cuda::Queue;
use crate::backend::cuda::sys::CUstream;
use crate::backend::recording;
use crate::compile::search::LibraryName;
use crate::compile::symbols::{Status, call, functions};

static CUFFT: Requirement = Requirement {
    name: LibraryName {
        title: "cuFFT",
        stem: "cufft",
        python_package: "cufft",
        variable: "GPU_RUNTIME_CUFFT",
        oldest_major: 11,
        loader_names: if cfg!(windows) {
            &["cufft64_12.dll", "cufft64_11.dll"]
        } else {
            &["libcufft.so.12", "libcufft.so.11", "libcufft.so"]
        },
    },
    beside: &["nvJitLink"],
    help: "`pip install nvidia-cufft` (CUDA 13) or `nvidia-cufft-cu12`, or install the CUDA toolkit (12.0 or later)",
};

functions! {
    /// The functions of cuFFT that this crate calls.
    Functions {
        cufftCreate
        cufftDestroy
        cufftMakePlanMany64
        cufftSetStream
        cufftExecC2C
        cufftExecR2C
        cufftExecC2R
        cufftExecZ2Z
        cufftExecD2Z
        cufftExecZ2D
    }
}

static FUNCTIONS: LazyLock<Loaded<Functions>> = LazyLock::new(|| load(&CUFFT, Functions::of));

/// Whether cuFFT is installed. The first call loads it.
pub(crate) fn is_installed() -> bool {
    FUNCTIONS.is_ok()
}

/// What is transformed to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    ComplexForward,
    /// Not divided by the number of elements.
    ComplexInverse,
    RealForward,
    /// Not divided by the number of elements. The input is overwritten.
    RealInverse,
}

/// A transform of arrays in C order, as many as `batch`, of the same extents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transform {
    pub(crate) kind: Kind,
    /// Of `f64`, else of `f32`.
    pub(crate) is_double: bool,
    /// One to three: those of the elements in time, also where the others are stored by half.
    pub(crate) extents: Vec<i64>,
    pub(crate) batch: i64,
}

/// The plans of a queue that nobody has, the one that was used last at the end. A plan can be expensive, and has memory of the GPU.
static PLANS: PerQueue<Vec<(Transform, cufftHandle)>> = PerQueue::new();

/// How many plans a queue keeps.
const MOST_PLANS: usize = 16;

/// Puts a transform on the queue, or adds it to the graph that this thread records.
///
/// # Safety
///
/// Both must be memory of the queue's GPU with as many elements as `transform` says, ordered as for any work on the queue, whenever the graph
/// is launched. They may be the same memory for complex numbers, and share none otherwise.
pub(crate) unsafe fn execute(queue: &'static Queue, transform: &Transform, input: usize, output: usize) -> Result<()> {
    let functions = FUNCTIONS.as_ref().map_err(crate::Error::from)?;
    if !recording::is_active() {
        let lent = Lent::of(functions, queue, transform)?;
        // SAFETY: the caller guarantees the memory.
        return unsafe { submit(functions, &lent, input, output) };
    }
    let lent = recording::gpu::kept(|lent: &Lent| lent.transform == *transform, |queue| Lent::of(functions, queue, transform))?;
    // Transforms with one plan work in the same memory.
    let own = Arc::as_ptr(&lent).addr() as u64;
    let captured = queue.capture(Some(own), |stream| {
        set_stream(functions, lent.plan, stream)?;
        // SAFETY: as above.
        unsafe { submit(functions, &lent, input, output) }
    });
    captured.and(set_stream(functions, lent.plan, lent.queue.stream))
}

/// A plan that somebody has alone, who uses it on the queue that it is of: it goes back to the plans of the queue when dropped.
struct Lent {
    functions: &'static Functions,
    queue: &'static Queue,
    transform: Transform,
    plan: cufftHandle,
}

impl Lent {
    fn of(functions: &'static Functions, queue: &'static Queue, transform: &Transform) -> Result<Self> {
        let mut plans = PLANS.of(queue, || Ok(Vec::new()))?;
        let plan = match plans.iter().position(|(other, _)| other == transform) {
            Some(index) => plans.remove(index).1,
            None => create_plan(functions, queue, transform)?,
        };
        Ok(Self { functions, queue, transform: transform.clone(), plan })
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // The list is there since the plan came from it. If the context is lost, so is the plan.
        let Ok(mut plans) = PLANS.of(self.queue, || Ok(Vec::new())) else { return };
        plans.push((self.transform.clone(), self.plan));
        if plans.len() > MOST_PLANS {
            let (_, oldest) = plans.remove(0);
            // SAFETY: the plan is in no list any more. cuFFT waits for what uses its memory.
            let _ = unsafe { call!(self.functions, header::cufftDestroy(oldest)) };
        }
    }
}

/// Puts a transform on the stream of the plan.
///
/// # Safety
///
/// As for [`execute`].
unsafe fn submit(functions: &Functions, Lent { transform, plan, .. }: &Lent, input: usize, output: usize) -> Result<()> {
    let plan = *plan;
    let (input, output): (*mut c_void, *mut c_void) = (ptr::without_provenance_mut(input), ptr::without_provenance_mut(output));
    // SAFETY: the plan is of this transform, and nobody else has it; the caller guarantees the memory.
    let status = unsafe {
        match (transform.kind, transform.is_double) {
            (Kind::ComplexForward, false) => call!(functions, header::cufftExecC2C(plan, input.cast(), output.cast(), -1)),
            (Kind::ComplexInverse, false) => call!(functions, header::cufftExecC2C(plan, input.cast(), output.cast(), 1)),
            (Kind::RealForward, false) => call!(functions, header::cufftExecR2C(plan, input.cast(), output.cast())),
            (Kind::RealInverse, false) => call!(functions, header::cufftExecC2R(plan, input.cast(), output.cast())),
            (Kind::ComplexForward, true) => call!(functions, header::cufftExecZ2Z(plan, input.cast(), output.cast(), -1)),
            (Kind::ComplexInverse, true) => call!(functions, header::cufftExecZ2Z(plan, input.cast(), output.cast(), 1)),
            (Kind::RealForward, true) => call!(functions, header::cufftExecD2Z(plan, input.cast(), output.cast())),
            (Kind::RealInverse, true) => call!(functions, header::cufftExecZ2D(plan, input.cast(), output.cast())),
        }
    };
    check(&CUFFT, "cufftExec", status, status_name)
}

fn create_plan(functions: &Functions, queue: &Queue, transform: &Transform) -> Result<cufftHandle> {
    let kind = match (transform.kind, transform.is_double) {
        (Kind::ComplexForward | Kind::ComplexInverse, false) => cufftType::CUFFT_C2C,
        (Kind::RealForward, false) => cufftType::CUFFT_R2C,
        (Kind::RealInverse, false) => cufftType::CUFFT_C2R,
        (Kind::ComplexForward | Kind::ComplexInverse, true) => cufftType::CUFFT_Z2Z,
        (Kind::RealForward, true) => cufftType::CUFFT_D2Z,
        (Kind::RealInverse, true) => cufftType::CUFFT_Z2D,
    };
    let (mut plan, mut work_bytes, mut extents) = (0, 0, transform.extents.clone());
    // SAFETY: a context is current, and the call writes one handle.
    check(&CUFFT, "cufftCreate", unsafe { call!(functions, header::cufftCreate(&mut plan)) }, status_name)?;
    // SAFETY: the plan was just created. Without extents of input and output, both are in C order, and the strides are not read.
    let status = unsafe {
        call!(
            functions,
            header::cufftMakePlanMany64(
                plan,
                extents.len() as c_int,
                extents.as_mut_ptr(),
                ptr::null_mut(),
                1,
                0,
                ptr::null_mut(),
                1,
                0,
                kind,
                transform.batch,
                &mut work_bytes,
            )
        )
    };
    let made = check(&CUFFT, "cufftMakePlanMany64", status, status_name).and_then(|()| set_stream(functions, plan, queue.stream));
    if made.is_err() {
        // SAFETY: the plan was created, and nobody else has it.
        let _ = unsafe { call!(functions, header::cufftDestroy(plan)) };
    }
    made.map(|()| plan)
}

fn set_stream(functions: &Functions, plan: cufftHandle, stream: CUstream) -> Result<()> {
    // SAFETY: the plan is made. The stream is that of a queue, which is never destroyed, or of a capture, in which it is replaced.
    check(&CUFFT, "cufftSetStream", unsafe { call!(functions, header::cufftSetStream(plan, stream.cast())) }, status_name)
}

/// The name of a `cufftResult`.
fn status_name(status: Status) -> &'static str {
    match status.0 {
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        8 => "CUFFT_INVALID_SIZE",
        16 => "CUFFT_NOT_SUPPORTED",
        _ => "unknown status",
    }
}
