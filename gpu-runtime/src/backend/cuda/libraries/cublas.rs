//! cuBLAS: products of matrices.

use std::ffi::c_void;
use std::ptr;
use std::sync::LazyLock;

use cudarc::cublas::sys::{self as header, cublasComputeType_t, cublasGemmAlgo_t, cublasOperation_t, cudaDataType};

use super::per_queue::PerQueue;
use super::{Loaded, Requirement, check, load};
use crate::Result;
use crate::backend::cuda::Queue;
use crate::backend::cuda::sys::CUstream;
use crate::compile::search::LibraryName;
use crate::compile::symbols::{Status, call, functions};

static CUBLAS: Requirement = Requirement {
    name: LibraryName {
        title: "cuBLAS",
        stem: "cublas",
        python_package: "cublas",
        variable: "GPU_RUNTIME_CUBLAS",
        oldest_major: 12,
        loader_names: if cfg!(windows) {
            &["cublas64_13.dll", "cublas64_12.dll"]
        } else {
            &["libcublas.so.13", "libcublas.so.12", "libcublas.so"]
        },
    },
    beside: &["cublasLt"],
    help: "`pip install nvidia-cublas` (CUDA 13) or `nvidia-cublas-cu12`, or install the CUDA toolkit (12.0 or later)",
};

functions! {
    /// The functions of cuBLAS that this crate calls.
    Functions {
        cublasCreate_v2
        cublasSetStream_v2
        cublasSetWorkspace_v2
        cublasGemmStridedBatchedEx_64
    }
}

static FUNCTIONS: LazyLock<Loaded<Functions>> = LazyLock::new(|| load(&CUBLAS, Functions::of));

/// A handle whose calls run on the stream of one queue.
struct Handled(header::cublasHandle_t);

// SAFETY: cuBLAS lets any thread use a handle, one at a time.
unsafe impl Send for Handled {}

static HANDLES: PerQueue<Handled> = PerQueue::new();

/// The types of the elements, and of the sums.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(all(feature = "complex", feature = "half")), allow(dead_code, reason = "some are those of other crates"))]
pub(crate) enum Scalars {
    F32,
    /// `f32` rounded to 10 bits of precision before the products, which tensor cores compute.
    Tf32,
    F64,
    /// Sums are `f32`.
    F16,
    /// Sums are `f32`.
    Bf16,
    ComplexF32,
    ComplexF64,
}

impl Scalars {
    fn types(self) -> (cudaDataType, cublasComputeType_t) {
        use cublasComputeType_t::{CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F};
        use cudaDataType::{CUDA_C_32F, CUDA_C_64F, CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F, CUDA_R_64F};
        match self {
            Self::F32 => (CUDA_R_32F, CUBLAS_COMPUTE_32F),
            Self::Tf32 => (CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32),
            Self::F64 => (CUDA_R_64F, CUBLAS_COMPUTE_64F),
            Self::F16 => (CUDA_R_16F, CUBLAS_COMPUTE_32F),
            Self::Bf16 => (CUDA_R_16BF, CUBLAS_COMPUTE_32F),
            Self::ComplexF32 => (CUDA_C_32F, CUBLAS_COMPUTE_32F),
            Self::ComplexF64 => (CUDA_C_64F, CUBLAS_COMPUTE_64F),
        }
    }
}

/// Matrices in memory, as many as there are products: elements of a row are next to each other, or of a column if it is `by_columns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matrices {
    pub(crate) address: usize,
    pub(crate) by_columns: bool,
    /// Elements between two rows, or columns.
    pub(crate) leading: i64,
    /// Elements between two matrices.
    pub(crate) stride: i64,
}

/// `c = a · b`, for each matrix of a batch, or `c += a · b`.
pub(crate) struct Product {
    pub(crate) scalars: Scalars,
    pub(crate) batch: i64,
    pub(crate) rows: i64,
    pub(crate) inner: i64,
    pub(crate) columns: i64,
    pub(crate) a: Matrices,
    pub(crate) b: Matrices,
    /// By rows.
    pub(crate) c: Matrices,
    pub(crate) adds: bool,
}

/// Whether cuBLAS is installed. The first call loads it.
pub(crate) fn is_installed() -> bool {
    FUNCTIONS.is_ok()
}

/// Bytes that a product in a graph gets to work in: what NVIDIA advises for the GPUs that need most. Elsewhere, cuBLAS has memory of its own,
/// which products at other times use too.
pub(crate) const WORKSPACE: usize = 32 << 20;

/// Puts a product on the queue, or adds it to the graph that this thread records, with the address of a [`WORKSPACE`].
///
/// # Safety
///
/// The matrices must be in memory of the queue's GPU, ordered as for any work on the queue, and `c` share no memory with the others; so must
/// the workspace. The same holds whenever the graph is launched.
pub(crate) unsafe fn multiply(queue: &Queue, product: &Product, workspace: Option<usize>) -> Result<()> {
    let functions = FUNCTIONS.as_ref().map_err(crate::Error::from)?;
    let handle = HANDLES.of(queue, || create_handle(functions, queue))?;
    let Some(workspace) = workspace else {
        // SAFETY: the caller guarantees the matrices.
        return unsafe { submit(functions, &handle, product) };
    };
    let captured = queue.capture(None, |stream| {
        set_stream(functions, &handle, stream)?;
        let memory = ptr::without_provenance_mut(workspace);
        // SAFETY: the handle is ours alone, and the caller guarantees the memory.
        let status = unsafe { call!(functions, header::cublasSetWorkspace_v2(handle.0, memory, WORKSPACE)) };
        check(&CUBLAS, "cublasSetWorkspace", status, status_name)?;
        // SAFETY: as above.
        unsafe { submit(functions, &handle, product) }
    });
    // With a stream, the handle gets back memory of its own.
    captured.and(set_stream(functions, &handle, queue.stream))
}

/// Puts a product on the stream of the handle.
///
/// # Safety
///
/// As for [`multiply`].
unsafe fn submit(functions: &Functions, handle: &Handled, product: &Product) -> Result<()> {
    let Product { scalars, batch, rows, inner, columns, a, b, c, adds } = product;
    let (element, compute) = scalars.types();
    // 1 and 0 of any type: the imaginary part of a complex number is 0 too.
    let (one_f32, one_f64, zero) = ([1.0f32, 0.0], [1.0f64, 0.0], [0.0f64; 2]);
    let one: *const c_void =
        if compute == cublasComputeType_t::CUBLAS_COMPUTE_64F { one_f64.as_ptr().cast() } else { one_f32.as_ptr().cast() };
    let of_c = if *adds { one } else { zero.as_ptr().cast() };
    let operation = |matrices: &Matrices| match matrices.by_columns {
        false => cublasOperation_t::CUBLAS_OP_N,
        true => cublasOperation_t::CUBLAS_OP_T,
    };
    let address = |matrices: &Matrices| ptr::without_provenance::<c_void>(matrices.address);
    // cuBLAS counts by columns. Matrices by rows are their transposes by columns, and the transpose of `a · b` is `bᵀ · aᵀ`.
    // SAFETY: the caller guarantees the matrices; the numbers are read during the call.
    let status = unsafe {
        call!(
            functions,
            header::cublasGemmStridedBatchedEx_64(
                handle.0,
                operation(b),
                operation(a),
                *columns,
                *rows,
                *inner,
                one,
                address(b),
                element,
                b.leading,
                b.stride,
                address(a),
                element,
                a.leading,
                a.stride,
                of_c,
                address(c).cast_mut(),
                element,
                c.leading,
                c.stride,
                *batch,
                compute,
                cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
            )
        )
    };
    check(&CUBLAS, "cublasGemmStridedBatchedEx", status, status_name)
}

fn create_handle(functions: &Functions, queue: &Queue) -> Result<Handled> {
    let mut handle = ptr::null_mut();
    // SAFETY: a context is current, and the call writes one handle.
    check(&CUBLAS, "cublasCreate", unsafe { call!(functions, header::cublasCreate_v2(&mut handle)) }, status_name)?;
    let handle = Handled(handle);
    set_stream(functions, &handle, queue.stream)?;
    Ok(handle)
}

fn set_stream(functions: &Functions, handle: &Handled, stream: CUstream) -> Result<()> {
    // SAFETY: the handle is never destroyed. The stream is that of a queue, which is not either, or of a capture, in which it is replaced.
    check(&CUBLAS, "cublasSetStream", unsafe { call!(functions, header::cublasSetStream_v2(handle.0, stream.cast())) }, status_name)
}

/// The name of a `cublasStatus_t`.
fn status_name(status: Status) -> &'static str {
    match status.0 {
        1 => "CUBLAS_STATUS_NOT_INITIALIZED",
        3 => "CUBLAS_STATUS_ALLOC_FAILED",
        7 => "CUBLAS_STATUS_INVALID_VALUE",
        8 => "CUBLAS_STATUS_ARCH_MISMATCH",
        11 => "CUBLAS_STATUS_MAPPING_ERROR",
        13 => "CUBLAS_STATUS_EXECUTION_FAILED",
        14 => "CUBLAS_STATUS_INTERNAL_ERROR",
        15 => "CUBLAS_STATUS_NOT_SUPPORTED",
        _ => "unknown status",
    }
}
