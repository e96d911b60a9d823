//! cuSOLVER: decompositions of matrices.
//!
//! Matrices are in the order of columns, without gaps. Each function of cuSOLVER says how much memory it works in, and is then called with
//! as much; it writes to `info` whether it has found the result.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

use super::per_queue::PerQueue;
use super::{Loaded, Requirement, check, functions, load};
use crate::Result;
use crate::backend::cuda::Queue;
use crate::backend::cuda::sys::CUstream;
use crate::backend::recording::{self, Unrecordable};
use crate::compile::search::LibraryName;

static CUSOLVER: Requirement = Requirement {
    name: LibraryName {
        title: "cuSOLVER",
        stem: "cusolver",
        python_package: "cusolver",
        variable: "GPU_RUNTIME_CUSOLVER",
        oldest_major: 11,
        loader_names: if cfg!(windows) {
            &["cusolver64_12.dll", "cusolver64_11.dll"]
        } else {
            &["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"]
        },
    },
    beside: &["nvJitLink", "cublasLt", "cublas", "cusparse"],
    help: "`pip install nvidia-cusolver` (CUDA 13) or `nvidia-cusolver-cu12`, or install the CUDA toolkit (12.0 or later)",
};

/// `cusolverDnHandle_t` and `cusolverDnParams_t`.
type Handle = *mut c_void;

functions! {
    /// The functions of cuSOLVER that this crate calls, as `cusolverDn.h` declares them.
    Functions;

    fn cusolverDnCreate(handle: *mut Handle);
    fn cusolverDnSetStream(handle: Handle, stream: CUstream);
    fn cusolverDnCreateParams(parameters: *mut Handle);
    fn cusolverDnXgetrf_bufferSize(
        handle: Handle, parameters: Handle, m: i64, n: i64, a_type: c_int, a: *const c_void, lda: i64, compute: c_int,
        device_bytes: *mut usize, host_bytes: *mut usize,
    );
    fn cusolverDnXgetrf(
        handle: Handle, parameters: Handle, m: i64, n: i64, a_type: c_int, a: *mut c_void, lda: i64, pivots: *mut c_void, compute: c_int,
        device: *mut c_void, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: *mut c_void,
    );
    fn cusolverDnXgetrs(
        handle: Handle, parameters: Handle, transpose: c_int, n: i64, columns: i64, a_type: c_int, a: *const c_void, lda: i64,
        pivots: *const c_void, b_type: c_int, b: *mut c_void, ldb: i64, info: *mut c_void,
    );
    fn cusolverDnXpotrf_bufferSize(
        handle: Handle, parameters: Handle, triangle: c_int, n: i64, a_type: c_int, a: *const c_void, lda: i64, compute: c_int,
        device_bytes: *mut usize, host_bytes: *mut usize,
    );
    fn cusolverDnXpotrf(
        handle: Handle, parameters: Handle, triangle: c_int, n: i64, a_type: c_int, a: *mut c_void, lda: i64, compute: c_int,
        device: *mut c_void, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: *mut c_void,
    );
    fn cusolverDnXgeqrf_bufferSize(
        handle: Handle, parameters: Handle, m: i64, n: i64, a_type: c_int, a: *const c_void, lda: i64, tau_type: c_int,
        tau: *const c_void, compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
    );
    fn cusolverDnXgeqrf(
        handle: Handle, parameters: Handle, m: i64, n: i64, a_type: c_int, a: *mut c_void, lda: i64, tau_type: c_int, tau: *mut c_void,
        compute: c_int, device: *mut c_void, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: *mut c_void,
    );
    fn cusolverDnSorgqr_bufferSize(
        handle: Handle, m: c_int, n: c_int, k: c_int, a: *const c_void, lda: c_int, tau: *const c_void, elements: *mut c_int,
    );
    fn cusolverDnDorgqr_bufferSize(
        handle: Handle, m: c_int, n: c_int, k: c_int, a: *const c_void, lda: c_int, tau: *const c_void, elements: *mut c_int,
    );
    fn cusolverDnSorgqr(
        handle: Handle, m: c_int, n: c_int, k: c_int, a: *mut c_void, lda: c_int, tau: *const c_void, device: *mut c_void,
        elements: c_int, info: *mut c_void,
    );
    fn cusolverDnDorgqr(
        handle: Handle, m: c_int, n: c_int, k: c_int, a: *mut c_void, lda: c_int, tau: *const c_void, device: *mut c_void,
        elements: c_int, info: *mut c_void,
    );
    fn cusolverDnXsyevd_bufferSize(
        handle: Handle, parameters: Handle, job: c_int, triangle: c_int, n: i64, a_type: c_int, a: *const c_void, lda: i64,
        values_type: c_int, values: *const c_void, compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
    );
    fn cusolverDnXsyevd(
        handle: Handle, parameters: Handle, job: c_int, triangle: c_int, n: i64, a_type: c_int, a: *mut c_void, lda: i64,
        values_type: c_int, values: *mut c_void, compute: c_int, device: *mut c_void, device_bytes: usize, host: *mut c_void,
        host_bytes: usize, info: *mut c_void,
    );
    fn cusolverDnXgesvd_bufferSize(
        handle: Handle, parameters: Handle, job_u: c_char, job_vt: c_char, m: i64, n: i64, a_type: c_int, a: *const c_void, lda: i64,
        s_type: c_int, s: *const c_void, u_type: c_int, u: *const c_void, ldu: i64, vt_type: c_int, vt: *const c_void, ldvt: i64,
        compute: c_int, device_bytes: *mut usize, host_bytes: *mut usize,
    );
    fn cusolverDnXgesvd(
        handle: Handle, parameters: Handle, job_u: c_char, job_vt: c_char, m: i64, n: i64, a_type: c_int, a: *mut c_void, lda: i64,
        s_type: c_int, s: *mut c_void, u_type: c_int, u: *mut c_void, ldu: i64, vt_type: c_int, vt: *mut c_void, ldvt: i64,
        compute: c_int, device: *mut c_void, device_bytes: usize, host: *mut c_void, host_bytes: usize, info: *mut c_void,
    );
}

static FUNCTIONS: LazyLock<Loaded<Functions>> = LazyLock::new(|| load(&CUSOLVER, Functions::of));

/// A handle whose calls run on the stream of one queue, and the default parameters of its functions.
struct Handles {
    handle: Handle,
    parameters: Handle,
}

// SAFETY: cuSOLVER lets any thread use a handle, one at a time.
unsafe impl Send for Handles {}

static HANDLES: PerQueue<Handles> = PerQueue::new();

/// What is done to matrices, by their addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// `a`, a square matrix, becomes its factors L and U. There are `n` pivots of 64 bits.
    Lu { n: usize, a: usize, pivots: usize },
    /// The `columns` of `b` become the solutions of `a · x = b`, or of `aᵀ · x = b`, where `a` has the factors.
    SolveByLu { n: usize, columns: usize, a: usize, pivots: usize, b: usize, transposed: bool },
    /// The upper triangle of `a` becomes U, where `a` is Uᵀ · U.
    Cholesky { n: usize, a: usize },
    /// The upper triangle of `a` becomes R, the rest and the shorter extent of `tau` become what gives Q.
    Qr { m: usize, n: usize, a: usize, tau: usize },
    /// The first `k` columns of `a` and `tau` become Q.
    Q { m: usize, k: usize, a: usize, tau: usize },
    /// `a`, of which the upper triangle is read, becomes the eigenvectors. There are `n` values, ascending.
    Eigen { n: usize, a: usize, values: usize },
    /// U, the singular values and Vᵀ of `a`, with `m >= n`. The contents of `a` are lost.
    Singular { m: usize, n: usize, a: usize, u: usize, s: usize, vt: usize },
}

/// Puts work on the queue, with matrices of `f64`, else of `f32`. `allocate` returns the address of that many bytes on the GPU.
///
/// # Safety
///
/// The addresses must be those of as many elements in memory of the queue's GPU, ordered as for any work on the queue, and `info` that of 32
/// bits. What is allocated must live until the work is done.
pub(crate) unsafe fn submit(
    queue: &Queue,
    work: Work,
    is_double: bool,
    info: usize,
    allocate: &mut dyn FnMut(usize) -> Result<usize>,
) -> Result<()> {
    recording::refuse(Unrecordable::Decomposition)?;
    let functions = FUNCTIONS.as_ref().map_err(crate::Error::from)?;
    let handles = HANDLES.of(queue, || create_handles(functions, queue))?;
    let call = Call { functions, handles: &handles, real: c_int::from(is_double), info: pointer(info) };
    // SAFETY: the caller guarantees the memory.
    unsafe { call.submit(work, allocate) }
}

/// What all calls have in common.
struct Call<'c> {
    functions: &'c Functions,
    handles: &'c Handles,
    /// `cudaDataType`.
    real: c_int,
    info: *mut c_void,
}

/// `CUBLAS_FILL_MODE_UPPER`, `CUSOLVER_EIG_MODE_VECTOR`.
const UPPER: c_int = 1;
const VECTORS: c_int = 1;

/// The columns of U and rows of Vᵀ that belong to singular values.
const THIN: c_char = b'S' as c_char;

impl Call<'_> {
    /// # Safety
    ///
    /// As for [`submit`].
    unsafe fn submit(&self, work: Work, allocate: &mut dyn FnMut(usize) -> Result<usize>) -> Result<()> {
        let Self { functions: f, handles, real, info } = *self;
        let (h, p) = (handles.handle, handles.parameters);
        // Asks for the bytes, allocates them, and calls the function with both.
        macro_rules! with_workspace {
            ($name:literal, $size:ident, $run:ident, ($($arg:expr),*)) => {{
                let (mut device_bytes, mut host_bytes) = (0, 0);
                // SAFETY: the caller guarantees the matrices; the call writes two numbers.
                checked($name, unsafe { (f.$size)(h, p, $($arg,)* &mut device_bytes, &mut host_bytes) })?;
                let device = pointer(allocate(device_bytes)?);
                let mut host = vec![0u8; host_bytes];
                // SAFETY: as above, and there are as many bytes as asked for. What is on the host is used during the call.
                checked($name, unsafe { (f.$run)(h, p, $($arg,)* device, device_bytes, host.as_mut_ptr().cast(), host_bytes, info) })
            }};
        }
        match work {
            Work::Lu { n, a, pivots } => {
                let (n, a) = (n as i64, pointer(a));
                let (mut device_bytes, mut host_bytes) = (0, 0);
                // SAFETY: the caller guarantees the matrix; the call writes two numbers.
                let status = unsafe { (f.cusolverDnXgetrf_bufferSize)(h, p, n, n, real, a, n, real, &mut device_bytes, &mut host_bytes) };
                checked("cusolverDnXgetrf", status)?;
                let (device, mut host) = (pointer(allocate(device_bytes)?), vec![0u8; host_bytes]);
                let host = host.as_mut_ptr().cast();
                // SAFETY: as above, and there are as many bytes as asked for.
                let status = unsafe {
                    (f.cusolverDnXgetrf)(h, p, n, n, real, a, n, pointer(pivots), real, device, device_bytes, host, host_bytes, info)
                };
                checked("cusolverDnXgetrf", status)
            }
            Work::SolveByLu { n, columns, a, pivots, b, transposed } => {
                let (n, columns) = (n as i64, columns as i64);
                let (a, pivots, b) = (pointer(a), pointer(pivots), pointer(b));
                // SAFETY: the caller guarantees the matrices.
                let status =
                    unsafe { (f.cusolverDnXgetrs)(h, p, c_int::from(transposed), n, columns, real, a, n, pivots, real, b, n, info) };
                checked("cusolverDnXgetrs", status)
            }
            Work::Cholesky { n, a } => {
                let n = n as i64;
                with_workspace!("cusolverDnXpotrf", cusolverDnXpotrf_bufferSize, cusolverDnXpotrf, (UPPER, n, real, pointer(a), n, real))
            }
            Work::Qr { m, n, a, tau } => {
                let (m, n) = (m as i64, n as i64);
                let (a, tau) = (pointer(a), pointer(tau));
                with_workspace!("cusolverDnXgeqrf", cusolverDnXgeqrf_bufferSize, cusolverDnXgeqrf, (m, n, real, a, m, real, tau, real))
            }
            Work::Q { m, k, a, tau } => {
                let (m, k, a, tau) = (m as c_int, k as c_int, pointer(a), pointer(tau));
                let (size, run) = match real {
                    0 => (f.cusolverDnSorgqr_bufferSize, f.cusolverDnSorgqr),
                    _ => (f.cusolverDnDorgqr_bufferSize, f.cusolverDnDorgqr),
                };
                let mut elements = 0;
                // SAFETY: the caller guarantees the matrices; the call writes a number.
                checked("cusolverDnXorgqr", unsafe { size(h, m, k, k, a, m, tau, &mut elements) })?;
                let device = pointer(allocate(elements.unsigned_abs() as usize * size_of::<f64>())?);
                // SAFETY: as above, and there are as many elements as asked for.
                checked("cusolverDnXorgqr", unsafe { run(h, m, k, k, a, m, tau, device, elements, info) })
            }
            Work::Eigen { n, a, values } => {
                let (n, a, values) = (n as i64, pointer(a), pointer(values));
                with_workspace!(
                    "cusolverDnXsyevd",
                    cusolverDnXsyevd_bufferSize,
                    cusolverDnXsyevd,
                    (VECTORS, UPPER, n, real, a, n, real, values, real)
                )
            }
            Work::Singular { m, n, a, u, s, vt } => {
                let (m, n) = (m as i64, n as i64);
                let (a, u, s, vt) = (pointer(a), pointer(u), pointer(s), pointer(vt));
                with_workspace!(
                    "cusolverDnXgesvd",
                    cusolverDnXgesvd_bufferSize,
                    cusolverDnXgesvd,
                    (THIN, THIN, m, n, real, a, m, real, s, real, u, m, real, vt, n, real)
                )
            }
        }
    }
}

fn pointer(address: usize) -> *mut c_void {
    ptr::without_provenance_mut(address)
}

fn checked(call: &'static str, status: c_int) -> Result<()> {
    check(&CUSOLVER, call, status, status_name)
}

fn create_handles(functions: &Functions, queue: &Queue) -> Result<Handles> {
    let (mut handle, mut parameters) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: a context is current, and the call writes one handle.
    checked("cusolverDnCreate", unsafe { (functions.cusolverDnCreate)(&mut handle) })?;
    // SAFETY: the handle was just created, and the stream is never destroyed.
    checked("cusolverDnSetStream", unsafe { (functions.cusolverDnSetStream)(handle, queue.stream) })?;
    // SAFETY: the call writes one handle.
    checked("cusolverDnCreateParams", unsafe { (functions.cusolverDnCreateParams)(&mut parameters) })?;
    Ok(Handles { handle, parameters })
}

/// The name of a `cusolverStatus_t`.
fn status_name(status: c_int) -> &'static str {
    match status {
        1 => "CUSOLVER_STATUS_NOT_INITIALIZED",
        2 => "CUSOLVER_STATUS_ALLOC_FAILED",
        3 => "CUSOLVER_STATUS_INVALID_VALUE",
        4 => "CUSOLVER_STATUS_ARCH_MISMATCH",
        6 => "CUSOLVER_STATUS_EXECUTION_FAILED",
        7 => "CUSOLVER_STATUS_INTERNAL_ERROR",
        9 => "CUSOLVER_STATUS_NOT_SUPPORTED",
        _ => "unknown status",
    }
}
