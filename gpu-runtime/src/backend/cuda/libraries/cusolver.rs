//! cuSOLVER: decompositions of matrices.
//!
//! Matrices are in the order of columns, without gaps. Each function of cuSOLVER says how much memory it works in, and is then called with
//! as much; it writes to `info` whether it has found the result.

use std::ffi::{c_int, c_schar};
use std::ptr;
use std::sync::LazyLock;

use cudarc::cusolver::sys::{self as header, cublasFillMode_t, cublasOperation_t, cudaDataType, cusolverEigMode_t};

use super::per_queue::PerQueue;
use super::{Loaded, Requirement, check, load};
use crate::Result;
use crate::backend::cuda::Queue;
use crate::backend::recording::{self, Unrecordable};
use crate::compile::search::LibraryName;
use crate::compile::symbols::{Status, call, functions};

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

functions! {
    /// The functions of cuSOLVER that this crate calls.
    Functions {
        cusolverDnCreate
        cusolverDnSetStream
        cusolverDnCreateParams
        cusolverDnXgetrf_bufferSize
        cusolverDnXgetrf
        cusolverDnXgetrs
        cusolverDnXpotrf_bufferSize
        cusolverDnXpotrf
        cusolverDnXgeqrf_bufferSize
        cusolverDnXgeqrf
        cusolverDnSorgqr_bufferSize
        cusolverDnDorgqr_bufferSize
        cusolverDnSorgqr
        cusolverDnDorgqr
        cusolverDnXsyevd_bufferSize
        cusolverDnXsyevd
        cusolverDnXgesvd_bufferSize
        cusolverDnXgesvd
    }
}

static FUNCTIONS: LazyLock<Loaded<Functions>> = LazyLock::new(|| load(&CUSOLVER, Functions::of));

/// A handle whose calls run on the stream of one queue, and the default parameters of its functions.
struct Handles {
    handle: header::cusolverDnHandle_t,
    parameters: header::cusolverDnParams_t,
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
    let real = if is_double { cudaDataType::CUDA_R_64F } else { cudaDataType::CUDA_R_32F };
    let call = Call { functions, handles: &handles, real, info: pointer(info) };
    // SAFETY: the caller guarantees the memory.
    unsafe { call.submit(work, allocate) }
}

/// What all calls have in common.
struct Call<'c> {
    functions: &'c Functions,
    handles: &'c Handles,
    real: cudaDataType,
    info: *mut c_int,
}

const UPPER: cublasFillMode_t = cublasFillMode_t::CUBLAS_FILL_MODE_UPPER;
const VECTORS: cusolverEigMode_t = cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR;

/// The columns of U and rows of Vᵀ that belong to singular values.
const THIN: c_schar = b'S' as c_schar;

impl Call<'_> {
    /// # Safety
    ///
    /// As for [`submit`].
    unsafe fn submit(&self, work: Work, allocate: &mut dyn FnMut(usize) -> Result<usize>) -> Result<()> {
        let Self { functions: f, handles, real, info } = *self;
        let (h, p) = (handles.handle, handles.parameters);
        let is_double = real == cudaDataType::CUDA_R_64F;
        // Asks for the bytes, allocates them, and calls the function with both.
        macro_rules! with_workspace {
            ($name:literal, $size:ident, $run:ident, ($($arg:expr),*)) => {{
                let (mut device_bytes, mut host_bytes) = (0, 0);
                // SAFETY: the caller guarantees the matrices; the call writes two numbers.
                checked($name, unsafe { call!(f, header::$size(h, p, $($arg,)* &mut device_bytes, &mut host_bytes)) })?;
                let device = pointer(allocate(device_bytes)?);
                let mut host = vec![0u8; host_bytes];
                // SAFETY: as above, and there are as many bytes as asked for. What is on the host is used during the call.
                checked($name, unsafe { call!(f, header::$run(h, p, $($arg,)* device, device_bytes, host.as_mut_ptr().cast(), host_bytes, info)) })
            }};
        }
        match work {
            Work::Lu { n, a, pivots } => {
                let (n, a) = (n as i64, pointer(a));
                let (mut device_bytes, mut host_bytes) = (0, 0);
                // SAFETY: the caller guarantees the matrix; the call writes two numbers.
                let status = unsafe {
                    call!(f, header::cusolverDnXgetrf_bufferSize(h, p, n, n, real, a, n, real, &mut device_bytes, &mut host_bytes))
                };
                checked("cusolverDnXgetrf", status)?;
                let (device, mut host) = (pointer(allocate(device_bytes)?), vec![0u8; host_bytes]);
                let host = host.as_mut_ptr().cast();
                // SAFETY: as above, and there are as many bytes as asked for.
                let status = unsafe {
                    call!(
                        f,
                        header::cusolverDnXgetrf(
                            h,
                            p,
                            n,
                            n,
                            real,
                            a,
                            n,
                            pointer(pivots),
                            real,
                            device,
                            device_bytes,
                            host,
                            host_bytes,
                            info
                        )
                    )
                };
                checked("cusolverDnXgetrf", status)
            }
            Work::SolveByLu { n, columns, a, pivots, b, transposed } => {
                let (n, columns) = (n as i64, columns as i64);
                let (a, pivots, b) = (pointer(a), pointer(pivots), pointer(b));
                let operation = if transposed { cublasOperation_t::CUBLAS_OP_T } else { cublasOperation_t::CUBLAS_OP_N };
                // SAFETY: the caller guarantees the matrices.
                let status =
                    unsafe { call!(f, header::cusolverDnXgetrs(h, p, operation, n, columns, real, a, n, pivots, real, b, n, info)) };
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
                let [m, k] = [m, k].map(|count| c_int::try_from(count).expect("the caller has compared it"));
                let mut elements = 0;
                // SAFETY: the caller guarantees the matrices; the call writes a number.
                let status = unsafe {
                    if is_double {
                        call!(f, header::cusolverDnDorgqr_bufferSize(h, m, k, k, pointer(a), m, pointer(tau), &mut elements))
                    } else {
                        call!(f, header::cusolverDnSorgqr_bufferSize(h, m, k, k, pointer(a), m, pointer(tau), &mut elements))
                    }
                };
                checked("cusolverDnXorgqr", status)?;
                let device = allocate(elements.unsigned_abs() as usize * size_of::<f64>())?;
                // SAFETY: as above, and there are as many elements as asked for.
                let status = unsafe {
                    if is_double {
                        call!(f, header::cusolverDnDorgqr(h, m, k, k, pointer(a), m, pointer(tau), pointer(device), elements, info))
                    } else {
                        call!(f, header::cusolverDnSorgqr(h, m, k, k, pointer(a), m, pointer(tau), pointer(device), elements, info))
                    }
                };
                checked("cusolverDnXorgqr", status)
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

fn pointer<T>(address: usize) -> *mut T {
    ptr::without_provenance_mut(address)
}

fn checked(call: &'static str, status: Status) -> Result<()> {
    check(&CUSOLVER, call, status, status_name)
}

fn create_handles(functions: &Functions, queue: &Queue) -> Result<Handles> {
    let (mut handle, mut parameters) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: a context is current, and the call writes one handle.
    checked("cusolverDnCreate", unsafe { call!(functions, header::cusolverDnCreate(&mut handle)) })?;
    // SAFETY: the handle was just created, and the stream is never destroyed.
    checked("cusolverDnSetStream", unsafe { call!(functions, header::cusolverDnSetStream(handle, queue.stream.cast())) })?;
    // SAFETY: the call writes one handle.
    checked("cusolverDnCreateParams", unsafe { call!(functions, header::cusolverDnCreateParams(&mut parameters)) })?;
    Ok(Handles { handle, parameters })
}

/// The name of a `cusolverStatus_t`.
fn status_name(status: Status) -> &'static str {
    match status.0 {
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
