//! `base[index]` where the macro does not see the type of `base`: an array, or a user's type with `#[gpu_device] impl Index`.

use super::operator::{Operands, at};
use crate::backend::cpu::{Stop, Thread};
use crate::source::Callee;

/// The operator `base[index]`.
#[derive(Debug)]
pub enum Index {}

/// A type that has elements in kernels.
///
/// # Safety
///
/// The CUDA C of the function computes the same: that of `callee`, or that of arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed with `{Key}` in kernels",
    label = "not an array",
    note = "for your type, write `impl Index<{Key}>` with `#[gpu_device]`"
)]
pub unsafe trait IndexOperator<Key> {
    /// The type of the elements.
    type Output;
    /// `&self[key]`, which may fail at `site`.
    #[doc(hidden)]
    fn element(&self, key: Key, thread: &Thread<'_>, site: Option<u32>) -> Result<&Self::Output, Stop>;
    /// The CUDA C of a user's function.
    #[doc(hidden)]
    fn index_callee() -> Option<Callee> {
        None
    }
}

/// A type whose elements kernels can change.
///
/// # Safety
///
/// As for [`IndexOperator`].
#[diagnostic::on_unimplemented(
    message = "the elements of `{Self}` cannot be changed with an index of type `{Key}` in kernels",
    label = "not an array",
    note = "for your type, write `impl IndexMut<{Key}>` with `#[gpu_device]`"
)]
pub unsafe trait IndexMutOperator<Key>: IndexOperator<Key> {
    /// `&mut self[key]`, which may fail at `site`.
    #[doc(hidden)]
    fn element_mut(&mut self, key: Key, thread: &Thread<'_>, site: Option<u32>) -> Result<&mut Self::Output, Stop>;
    /// The CUDA C of a user's function.
    #[doc(hidden)]
    fn index_mut_callee() -> Option<Callee> {
        None
    }
}

// SAFETY: CUDA C checks the same index of the same array.
unsafe impl<T, const N: usize> IndexOperator<usize> for [T; N] {
    type Output = T;

    #[inline(always)]
    fn element(&self, key: usize, thread: &Thread<'_>, site: Option<u32>) -> Result<&T, Stop> {
        Ok(&self[thread.index(key, array_length(self), at(site))?])
    }
}

// SAFETY: as above.
unsafe impl<T, const N: usize> IndexMutOperator<usize> for [T; N] {
    #[inline(always)]
    fn element_mut(&mut self, key: usize, thread: &Thread<'_>, site: Option<u32>) -> Result<&mut T, Stop> {
        let key = thread.index(key, array_length(self), at(site))?;
        Ok(&mut self[key])
    }
}

/// `&base[key]`
#[inline(always)]
pub fn element<'b, Base: IndexOperator<Key>, Key>(
    base: &'b Base,
    key: Key,
    thread: &Thread<'_>,
    site: Option<u32>,
) -> Result<&'b Base::Output, Stop> {
    base.element(key, thread, site)
}

/// `&mut base[key]`
#[inline(always)]
pub fn element_mut<'b, Base: IndexMutOperator<Key>, Key>(
    base: &'b mut Base,
    key: Key,
    thread: &Thread<'_>,
    site: Option<u32>,
) -> Result<&'b mut Base::Output, Stop> {
    base.element_mut(key, thread, site)
}

/// The length of what must be an array: at most `isize::MAX`, as the proofs take for granted. Only elements of size zero could be more.
///
/// ```compile_fail,E0080
/// const LONG: [[f32; 0]; usize::MAX] = [[]; usize::MAX];
/// let length = gpu_runtime::__private::array_length(&LONG);
/// ```
#[inline]
#[must_use]
pub const fn array_length<T, const N: usize>(_array: &[T; N]) -> usize {
    const { assert!(N <= isize::MAX as usize, "an array in a kernel has at most `isize::MAX` elements") };
    N
}

impl<Op, Base: IndexOperator<Key>, Key> Operands<Op, (Base, Key)> {
    /// The CUDA C of a user's `Index`.
    #[must_use]
    pub fn index_callee(&self) -> Option<Callee> {
        Base::index_callee()
    }
}

impl<Op, Base: IndexMutOperator<Key>, Key> Operands<Op, (Base, Key)> {
    /// The CUDA C of a user's `IndexMut`.
    #[must_use]
    pub fn index_mut_callee(&self) -> Option<Callee> {
        Base::index_mut_callee()
    }
}
