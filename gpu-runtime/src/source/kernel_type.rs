//! Kernel types: the types that a value in a kernel can have, also those that device memory cannot hold.

use super::CType;

/// A type that CUDA C has too: every [`DeviceType`](super::DeviceType), and `Option`, `Result` and `()` of any such types.
///
/// # Safety
///
/// `c_type` names a type of CUDA C, which becomes part of programs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of kernels",
    label = "not a device type, nor an `Option` or a `Result` of such types",
    note = "a struct needs `#[derive(Clone, Copy, DeviceType)]` and `#[repr(C)]`"
)]
pub unsafe trait KernelType: 'static {
    /// Its name in CUDA C, and what that is defined as.
    #[doc(hidden)]
    fn c_type() -> CType;
}

// SAFETY: a template of the snippet.
unsafe impl<T: KernelType> KernelType for Option<T> {
    fn c_type() -> CType {
        CType::Generic { name: "gr_option", snippet: "option", arguments: &[T::c_type] }
    }
}

// SAFETY: as above.
unsafe impl<T: KernelType, E: KernelType> KernelType for Result<T, E> {
    fn c_type() -> CType {
        CType::Generic { name: "gr_result", snippet: "result", arguments: &[T::c_type, E::c_type] }
    }
}

// SAFETY: a type of the snippet.
unsafe impl KernelType for () {
    fn c_type() -> CType {
        CType::Library { name: "gr_unit", snippet: "unit" }
    }
}
