//! Everything that a program with kernels needs: `use gpu_runtime::prelude::*;`.

pub use crate::intrinsics::*;
pub use crate::{Device, DeviceArray, DeviceSlice, DeviceSliceMut, gpu_device, gpu_kernel};
pub use crate::{Lazy, iota, lazy};
