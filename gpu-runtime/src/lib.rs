//! Write GPU kernels as ordinary Rust functions, and run them on NVIDIA GPUs and on the CPU.
//!
//! ```
//! use gpu_runtime::prelude::*;
//!
//! /// Adds two vectors, one element per thread.
//! #[gpu_kernel]
//! fn add_kernel(x: &[i32], y: &[i32], out: &mut [i32]) {
//!     let i = grid_1d();
//!     if i < out.len() {
//!         out[i] = x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> gpu_runtime::Result<()> {
//!     let device = Device::best()?; // the first GPU, else this machine's CPU
//!     let x = device.to_device(&(0..4096).collect::<Vec<i32>>())?;
//!     let y = device.to_device(&vec![1; 4096])?;
//!     let mut out = device.zeros::<i32>(4096)?;
//!     add_kernel(&x, &y, &mut out).launch(32, 128)?;
//!     assert_eq!(out.to_host()?[..4], [1, 2, 3, 4]);
//!     Ok(())
//! }
//! ```
//!
//! A function with the attribute [`#[gpu_kernel]`](macro@gpu_kernel) becomes CUDA C, which is compiled when it is first launched; a
//! launcher of the same name and parameters; and native Rust, which runs on the CPU. To build, only stable Rust is needed. To run on a GPU,
//! NVIDIA's driver and NVRTC are needed: [`diagnostics()`] shows what is installed and what is missing.
//!
//! * The [`prelude`] has all items that most kernels and programs use. Kernels call [`intrinsics`], [`block`] functions, and your own
//!   functions, methods and traits with [`#[gpu_device]`](macro@gpu_device). They compute with numbers (see [`scalar`]), structs and enums
//!   that derive [`DeviceType`](derive@DeviceType), [vectors](vector), [atomics](atomic) and [random numbers](rng).
//! * Element-wise work needs no kernel: [`#[vectorize]`](macro@vectorize) turns a function of numbers into a function of arrays,
//!   [`#[reduce]`](macro@reduce) turns a function of two numbers into a reduction, and [`#[guvectorize]`](macro@guvectorize) turns a
//!   function of small arrays into a function of larger arrays. Together with operators and the ready-made [`functions`], they give [lazy
//!   arrays](Lazy), each compiled as one kernel.
//!
//! The features `complex`, `half` and `ndarray`, all off by default, add the complex numbers of the crate num-complex, the 16-bit floats of
//! the crate half, and copies from and to the arrays of the crate ndarray; `npy` adds NumPy's files of arrays. The features `blas`, `linalg` and `fft` add products of matrices,
//! linear algebra and Fourier transforms by NVIDIA's libraries and by crates for the CPU. The feature `cudarc` shares memory with the crate
//! cudarc. The feature `cluster` adds programs of several processes. The default feature `cuda-12000` chooses CUDA 12.0 for the declarations
//! of cudarc, of which a build has one version; later drivers work too. A book is in the folder `docs` of the repository: a tutorial, a
//! reference, and tables for readers who know Numba or CUDA C.
//!
//! | here | CUDA C | Numba |
//! |---|---|---|
//! | [`Device::to_device`], [`DeviceArray::to_host`] | `cudaMemcpy` | `cuda.to_device(x)`, `x.copy_to_host()` |
//! | [`Device::zeros`] | `cudaMalloc`, `cudaMemset` | `cuda.device_array(n)` |
//! | `kernel(&x, &mut out).launch(grid, block)?` | `kernel<<<grid, block>>>(x, out)` | `kernel[grid, block](x, out)` |
//! | `kernel(&x, &mut out).forall(n)?` | with `cudaOccupancyMaxPotentialBlockSize` | `kernel.forall(n)(x, out)` |
//! | [`Device::synchronize`] | `cudaDeviceSynchronize()` | `cuda.synchronize()` |
//! | [`Device::stream`], [`Launch::on`] | `cudaStreamCreate`, `<<<…, stream>>>` | `cuda.stream()`, `kernel[…, stream]` |
//! | [`Device::record`], [`Event::elapsed`] | `cudaEventRecord`, `cudaEventElapsedTime` | `cuda.event()` |
#![deny(missing_docs)]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("gpu-runtime needs a 64-bit target: `usize` has 64 bits on the GPU, and arrays of it are shared with the host");

// Generated code calls this crate by its name, in this crate too.
#[allow(unused_extern_crates)]
extern crate self as gpu_runtime;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod advice;
pub mod aot;
mod arrays;
pub mod atomic;
mod backend;
pub mod block;
#[doc(hidden)]
pub mod calls;
#[cfg(feature = "cluster")]
pub mod cluster;
mod compile;
mod constant;
mod device;
mod diagnostics;
mod dims;
mod error;
mod failure;
mod finished;
#[macro_use]
mod foreign;
mod fork;
pub mod functions;
pub mod gradient;
mod graph;
mod insertion_sort;
pub mod intrinsics;
mod kernel;
#[cfg(test)]
mod layers;
mod memory;
mod observe;
mod ops;
pub mod prelude;
pub mod rng;
pub mod scalar;
mod source;
mod stream;
pub mod support;
mod tile;
mod tools;
mod tune;
mod ufunc;
pub mod vector;

#[cfg(feature = "fft")]
pub use arrays::Fourier;
#[cfg(feature = "linalg")]
pub use arrays::LinearAlgebra;
#[cfg(feature = "npy")]
pub use arrays::NpzFile;
pub use arrays::{
    AttentionElement, CsrMatrix, Filters, Groups, Interpolation, Mask, Matrices, Normalizations, Pad, Precision, Products, Repetitions,
    Selections, Sets, Signals, Sorting, Statistics, einsum, einsum_of, lexsort, matmul, matmul_with,
};
pub use backend::cpu::{View, ViewMut};
pub use backend::cuda::{GpuSummary, KernelAttributes, MemoryAdvice};
pub use backend::{MemoryInfo, MemoryUsage};
pub use compile::{
    Architecture, Cache, CacheEntry, CompileError, NvrtcStatus, ParseArchitectureError, SourceText, UsedKernel, cache, kernels_of,
    nvrtc_status,
};
pub use device::Device;
pub use diagnostics::{Diagnostics, diagnostics};
pub use dims::{BlockDim, GridDim};
pub use error::{Error, MatrixProblem, Result};
pub use failure::{AccessKind, DataRace, FailureCause, IntegerOperation, IntegerOverflow, KernelFailure};
pub use finished::Finished;
pub use gpu_macros::{DeviceType, GraphData, KernelData, gpu_device, gpu_kernel, guvectorize, reduce, vectorize};
pub use graph::{Graph, GraphData};
pub use kernel::{KernelHandle, KernelReport, Launch, Launched, RaceFree, TileReport, VariantReport, prepare};
pub use memory::{
    Axis, CudaArrayInterface, DeviceArray, DeviceAtomicView, DeviceAtomics, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Dlpack,
    ForeignWork, MAX_RANK, PinnedVec, RawStream, Shape, ToHost, ToItem, stepped,
};
pub use observe::{Range, range};
pub use scalar::{Float, Integer, Num, Signed};
pub use source::{DeviceType, Element};
pub use stream::{Event, Stream};
#[doc(hidden)]
pub use support::{IndexElement, IntoAtomicView, IntoView, IntoViewMut};
pub use tile::{Column, Tile, TileElement, TileMut};
pub use tune::autotune;
pub use ufunc::{
    Arrangements, ArrayLike, ArrayMut, Axes, Batch, Elementwise, Histograms, IntoLazy, Lazy, Parts, Reductions, Scans, Show, Shown,
    concatenate, iota, keep_dims, lazy, stack,
};
#[doc(hidden)]
pub use ufunc::{List, MethodsOfViews, OtherNames, Tuple};
