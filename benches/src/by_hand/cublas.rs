//! cuBLAS's matrix product, from the library that the loader finds or that `CUBLAS_LIBRARY` names.

use std::ffi::{c_int, c_void};
use std::ptr;

use libloading::{Library, Symbol};

use super::{Cuda, Memory};
use crate::Result;

type Handle = *mut c_void;
type Multiply =
    unsafe extern "C" fn(Handle, c_int, c_int, c_int, c_int, c_int, *const f32, u64, c_int, u64, c_int, *const f32, u64, c_int) -> c_int;

/// cuBLAS's product of matrices of `f32`, without TF32.
#[derive(Debug)]
pub struct Sgemm {
    handle: Handle,
    multiply: Multiply,
    /// Keeps `multiply` loaded.
    _library: Library,
}

impl Sgemm {
    /// Loads cuBLAS, for launches on the stream of `cuda`.
    pub fn load(cuda: &Cuda) -> Result<Self> {
        let library = open()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the signatures are those of cublas_api.h, and the handle is never destroyed.
        unsafe {
            let create: Symbol<'_, unsafe extern "C" fn(*mut Handle) -> c_int> = library.get(b"cublasCreate_v2\0")?;
            let set_stream: Symbol<'_, unsafe extern "C" fn(Handle, *mut c_void) -> c_int> = library.get(b"cublasSetStream_v2\0")?;
            let multiply: Multiply = *library.get(b"cublasSgemm_v2\0")?;
            succeed(create(&mut handle))?;
            succeed(set_stream(handle, cuda.stream.cast()))?;
            Ok(Self { handle, multiply, _library: library })
        }
    }

    /// Queues `c = a b`, all of them `n` × `n` by rows.
    pub fn multiply(&self, a: &Memory<f32>, b: &Memory<f32>, c: &Memory<f32>, n: usize) -> Result<()> {
        assert!([a.len, b.len, c.len].iter().all(|len| *len == n * n));
        let (one, zero, size) = (1.0, 0.0, c_int::try_from(n)?);
        // cuBLAS reads by columns, where the three are transposed: cᵀ = bᵀ aᵀ.
        // SAFETY: the matrices have that many elements, and are never freed.
        succeed(unsafe {
            (self.multiply)(self.handle, 0, 0, size, size, size, &one, b.address, size, a.address, size, &zero, c.address, size)
        })
    }
}

fn open() -> Result<Library> {
    let named = std::env::var("CUBLAS_LIBRARY").ok();
    let mut reason = String::new();
    for name in named.as_deref().into_iter().chain(["libcublas.so.13", "libcublas.so.12"]) {
        // SAFETY: loading cuBLAS runs nothing but its own initialization.
        match unsafe { Library::new(name) } {
            Ok(library) => return Ok(library),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(reason.into())
}

fn succeed(status: c_int) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(format!("cuBLAS returned the status {status}").into()) }
}
