//! Kernel types: the types that a value in a kernel can have, also those that device memory cannot hold.

use super::{CType, DeviceType};

/// A type that CUDA C has too: every [`DeviceType`], and `Option`, `Result` and `()`, whose layout in C is not that of Rust.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of kernels",
    label = "not a device type, nor an `Option` or a `Result` of such types",
    note = "a struct needs `#[derive(Clone, Copy, DeviceType)]` and `#[repr(C)]`"
)]
pub trait KernelType: 'static {
    /// Its name in CUDA C, and what that is defined as.
    #[doc(hidden)]
    fn kernel_c_type() -> CType;
}

impl<T: DeviceType> KernelType for T {
    fn kernel_c_type() -> CType {
        T::c_type()
    }
}

impl<T: KernelType> KernelType for Option<T> {
    fn kernel_c_type() -> CType {
        CType::Generic { name: "gr_option", snippet: "option", arguments: &[T::kernel_c_type] }
    }
}

impl<T: KernelType, E: KernelType> KernelType for Result<T, E> {
    fn kernel_c_type() -> CType {
        CType::Generic { name: "gr_result", snippet: "result", arguments: &[T::kernel_c_type, E::kernel_c_type] }
    }
}

impl KernelType for () {
    fn kernel_c_type() -> CType {
        CType::Library { name: "gr_unit", snippet: "unit" }
    }
}
