//! Core arrays as functions in Rust take them, for generated code.

use crate::backend::cpu::SliceMut;
use crate::source::Element;

/// The input at `address`.
///
/// # Safety
///
/// For `'a` it is a core array of `T` with these extents, and nobody writes to it.
#[inline(always)]
pub unsafe fn core_slice<'a, T: Element>(address: *mut u8, extents: &[usize]) -> &'a [T] {
    // SAFETY: the caller guarantees the elements.
    unsafe { std::slice::from_raw_parts(address.cast(), len(extents)) }
}

/// The output at `address`.
///
/// # Safety
///
/// For `'a` it is a core array of `T` with these extents, and nothing else uses it.
#[inline(always)]
pub unsafe fn core_slice_mut<'a, T: Element>(address: *mut u8, extents: &[usize]) -> SliceMut<'a, T> {
    // SAFETY: the caller guarantees the elements.
    unsafe { SliceMut::from_raw_parts(address.cast(), len(extents)) }
}

/// How many elements a core array with these extents has.
#[inline(always)]
pub(super) fn len(extents: &[usize]) -> usize {
    // Where this wraps around, another extent is 0, or there would be no memory for the array.
    extents.iter().fold(1, |len, &extent| len.wrapping_mul(extent))
}
