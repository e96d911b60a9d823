//! Write GPU kernels as ordinary Rust functions, and run them on NVIDIA GPUs and on the CPU.
//!
//! A function with the attribute `#[gpu_kernel]` becomes CUDA C, which is compiled when it is first launched; a launcher of
//! the same name and parameters; and native Rust, which is what runs on the CPU. Nothing is needed to build but stable
//! Rust. To run on a GPU takes NVIDIA's driver and NVRTC: [`diagnostics()`] says what is there and what is missing.
//!
//! | here | CUDA C | Numba |
//! |---|---|---|
//! | [`Device::to_device`], [`DeviceArray::to_host`] | `cudaMemcpy` | `cuda.to_device(x)`, `x.copy_to_host()` |
//! | [`Device::zeros`] | `cudaMalloc`, `cudaMemset` | `cuda.device_array(n)` |
//! | `kernel(&x, &mut out).launch(grid, block)?` | `kernel<<<grid, block>>>(x, out)` | `kernel[grid, block](x, out)` |
//! | `kernel(&x, &mut out).forall(n)?` | with `cudaOccupancyMaxPotentialBlockSize` | `kernel.forall(n)(x, out)` |
//! | [`Device::synchronize`] | `cudaDeviceSynchronize()` | `cuda.synchronize()` |
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
pub mod atomic;
mod backend;
pub mod block;
#[doc(hidden)]
pub mod calls;
mod compile;
mod constant;
mod device;
mod diagnostics;
mod dims;
mod error;
pub mod functions;
pub mod intrinsics;
mod kernel;
mod memory;
#[macro_use]
mod numbers;
mod ops;
pub mod prelude;
pub mod rng;
pub mod scalar;
mod ufunc;
pub mod vector;

pub use backend::cpu::{View, ViewMut};
pub use backend::cuda::GpuSummary;
pub use compile::{Architecture, CompileError, NvrtcStatus, ParseArchitectureError, SourceText, nvrtc_status};
pub use device::{Device, MemoryInfo};
pub use diagnostics::{Diagnostics, diagnostics};
pub use dims::{BlockDim, GridDim};
pub use error::{Error, Result};
pub use gpu_macros::{DeviceType, gpu_device, gpu_kernel, guvectorize, reduce, vectorize};
pub use kernel::{FailureCause, KernelAttributes, KernelFailure, Launch, Proved, ProvedFor, Safety, Unproved};
pub use memory::{
    DeviceArray, DeviceAtomicView, DeviceAtomics, DeviceSlice, DeviceSliceMut, DeviceType, DeviceView, DeviceViewMut, Element,
    IntoAtomicView, IntoDeviceAtomics, IntoDeviceSlice, IntoDeviceSliceMut, IntoView, IntoViewMut, MAX_RANK, Shape,
};
pub use scalar::{DeviceBits, DeviceInt32, DeviceMath, DeviceRounding, DeviceWord, Float, Integer, Num, Signed};
pub use ufunc::{Batch, BinElement, IndexElement, IntoLazy, IntoTarget, Item, Lazy, Number, iota, lazy};
