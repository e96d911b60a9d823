//! Everything that a program with kernels needs: `use gpu_runtime::prelude::*;`.

pub use crate::intrinsics::*;
pub use crate::scalar::{DeviceBits, DeviceMath, DeviceWord, Float, Integer, Num, Signed};
pub use crate::{
    Device, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, gpu_device, gpu_kernel, guvectorize, reduce, vectorize,
};
pub use crate::{Lazy, iota, lazy};
