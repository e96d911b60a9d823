//! Variables of loaded modules, through which kernels get addresses.

use std::ffi::CStr;

use super::driver::check;
use super::memory::Address;
use super::sys;
use crate::Result;

/// Whether compiled code, machine code or PTX, has a symbol of that name.
///
/// A variable is asked for only where it may be: to tools that watch the driver, a failed call looks like a mistake.
pub(super) fn is_named_in(code: &[u8], name: &CStr) -> bool {
    let name = name.to_bytes();
    let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    code.windows(name.len() + 1).any(|bytes| bytes.starts_with(name) && !goes_on(bytes[name.len()]))
}

/// A variable that holds a `T`, which C++ must lay out as Rust does. `None` if the compiler has left it out.
///
/// # Safety
///
/// `module` must be loaded in the current context.
pub(super) unsafe fn find<T>(module: sys::CUmodule, name: &CStr) -> Result<Option<Address>> {
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the caller guarantees the module; the call writes two numbers.
    match unsafe { sys::call!(cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr())) } {
        status if status == sys::CUresult::CUDA_ERROR_NOT_FOUND => return Ok(None),
        status => check("cuModuleGetGlobal", status)?,
    }
    assert_eq!(bytes, size_of::<T>(), "{name:?} is not laid out as the host expects");
    Ok(Some(address))
}

/// Gives a variable its value.
///
/// # Safety
///
/// `address` must come from [`find`] for the same `T`, in the current context.
pub(super) unsafe fn set<T>(address: Address, value: &T) -> Result<()> {
    // SAFETY: the variable is exactly as long; the source is read during the call.
    check("cuMemcpyHtoD", unsafe { sys::call!(cuMemcpyHtoD_v2(address, std::ptr::from_ref(value).cast(), size_of::<T>())) })
}

/// The value of a number that the program says.
///
/// # Safety
///
/// `module` must be loaded in the current context.
pub(super) unsafe fn number(module: sys::CUmodule, name: &CStr) -> Result<Option<u32>> {
    // SAFETY: the caller guarantees the module.
    let Some(address) = (unsafe { find::<u32>(module, name)? }) else { return Ok(None) };
    let mut value = 0u32;
    // SAFETY: the variable is exactly as long; the call writes the number.
    check("cuMemcpyDtoH", unsafe { sys::call!(cuMemcpyDtoH_v2(std::ptr::from_mut(&mut value).cast(), address, size_of::<u32>())) })?;
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_a_whole_where_it_ends() {
        assert!(is_named_in(b"..gr_target\0..", c"gr_target"));
        assert!(is_named_in(b".global .align 8 .b8 gr_target[24];", c"gr_target"));
        assert!(!is_named_in(b"..gr_target_2\0..", c"gr_target"));
        assert!(!is_named_in(b"", c"gr_target"));
    }
}
