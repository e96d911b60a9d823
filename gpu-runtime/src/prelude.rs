//! All items that most programs with kernels need: `use gpu_runtime::prelude::*;`.

#[cfg(feature = "fft")]
pub use crate::Fourier;
#[cfg(feature = "linalg")]
pub use crate::LinearAlgebra;
pub use crate::atomic::{Atomic, AtomicCounter, AtomicF32, AtomicF64};
#[cfg(feature = "half")]
pub use crate::atomic::{AtomicBf16, AtomicF16};
#[doc(hidden)]
pub use crate::foreign::methods::*;
pub use crate::intrinsics::*;
pub use crate::scalar::{DeviceBits, DeviceInt32, DeviceMath, DeviceOrdering, DeviceRounding, DeviceWord, Float, Integer, Num, Signed};
pub use crate::vector::{Float2, Float3, Float4};
pub use crate::{
    Arrangements, ArrayLike, ArrayMut, CsrMatrix, Elementwise, Filters, Groups, Histograms, Interpolation, Lazy, Mask, Matrices,
    Normalizations, Pad, Products, Reductions, Repetitions, Scans, Selections, Sets, Show, Signals, Sorting, Statistics, concatenate,
    einsum, einsum_of, iota, keep_dims, lazy, lexsort, matmul, stack, stepped,
};
pub use crate::{
    Column, Device, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, DeviceView, DeviceViewMut, Graph, GraphData, KernelData, Stream,
    Tile, View, ViewMut, gpu_device, gpu_kernel, guvectorize, ptx, reduce, vectorize,
};
#[doc(hidden)]
pub use crate::{MethodsOfViews as _, OtherNames as _};
