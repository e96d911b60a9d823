//! What can be an element of a matrix.

#[cfg(feature = "half")]
use super::halves;
#[cfg(feature = "complex")]
use super::through;
use super::{ours, tf32, tiles};
use crate::Result;
use crate::memory::{DeviceArray, DeviceView};
use crate::ops::arithmetic::sealed::Sealed;
use crate::ufunc::Summand;
use crate::ufunc::product::TileElement;

/// An element of matrices: a number of Rust, and with the features `half` and `complex` those of the crates half and num-complex.
#[diagnostic::on_unimplemented(message = "matrices of `{Self}` cannot be multiplied", label = "not a number")]
pub trait MatrixElement: Summand + Sealed {
    /// The products of as many matrices.
    ///
    /// # Safety
    ///
    /// Both are on one device, have three axes and as many matrices, and the last extent of `a` is the middle one of `b`.
    #[doc(hidden)]
    unsafe fn multiply(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>) -> Result<DeviceArray<Self>>;

    /// Adds them to `c`, unless nothing is faster than to multiply first: then it returns `false`.
    ///
    /// # Safety
    ///
    /// As for [`multiply`](Self::multiply), and `c` has the shape of the products, and is on that device.
    #[doc(hidden)]
    unsafe fn add_product(_a: DeviceView<'_, Self>, _b: DeviceView<'_, Self>, _c: &mut DeviceArray<Self>) -> Result<bool> {
        Ok(false)
    }

    /// The number 1.
    #[doc(hidden)]
    const UNIT: Self;

    /// What tensor cores multiply of such matrices, without being asked for less precision.
    #[doc(hidden)]
    const ON_TENSOR_CORES: Option<TileElement> = None;
}

/// Elements, and what multiplies them without BLAS.
macro_rules! elements {
    ($($T:ty: $multiply:path, $unit:expr;)*) => {$(
        impl MatrixElement for $T {
            const UNIT: Self = $unit;

            // Large, and compiled only where it is used.
            #[inline]
            #[track_caller]
            unsafe fn multiply(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>) -> Result<DeviceArray<Self>> {
                $multiply(a, b)
            }
        }
    )*};
}

/// The same for elements that BLAS multiplies.
macro_rules! blas_elements {
    ($($T:ty: $multiply:path, $unit:expr $(, $on_tensor_cores:ident)?;)*) => {$(
        impl MatrixElement for $T {
            const UNIT: Self = $unit;
            $(const ON_TENSOR_CORES: Option<TileElement> = Some(TileElement::$on_tensor_cores);)?

            // Large, and compiled only where it is used.
            #[inline]
            #[track_caller]
            unsafe fn multiply(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>) -> Result<DeviceArray<Self>> {
                #[cfg(feature = "blas")]
                if let Some(product) = super::blas::multiply(a, b)? {
                    return Ok(product);
                }
                $multiply(a, b)
            }

            #[cfg(feature = "blas")]
            #[track_caller]
            unsafe fn add_product(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: &mut DeviceArray<Self>) -> Result<bool> {
                super::blas::add_product(a, b, c)
            }
        }
    )*};
}

elements! {
    i8: ours::multiply, 1;
    i16: ours::multiply, 1;
    i32: ours::multiply, 1;
    i64: ours::multiply, 1;
    isize: ours::multiply, 1;
    u8: ours::multiply, 1;
    u16: ours::multiply, 1;
    u32: ours::multiply, 1;
    u64: ours::multiply, 1;
    usize: ours::multiply, 1;
}

blas_elements! {
    f32: tiles::multiply, 1.0;
    f64: ours::multiply, 1.0;
}

#[cfg(feature = "half")]
blas_elements! {
    half::f16: halves::multiply, half::f16::ONE, F16;
    half::bf16: halves::multiply, half::bf16::ONE, Bf16;
}

#[cfg(feature = "complex")]
blas_elements! {
    num_complex::Complex<f32>: through::multiply_parts, num_complex::Complex::new(1.0, 0.0);
    num_complex::Complex<f64>: through::multiply_parts, num_complex::Complex::new(1.0, 0.0);
}

/// The product of `f32`, which may be rounded to TF32 first.
///
/// # Safety
///
/// As for [`MatrixElement::multiply`].
#[inline]
#[track_caller]
pub(super) unsafe fn multiply_tf32(a: DeviceView<'_, f32>, b: DeviceView<'_, f32>) -> Result<DeviceArray<f32>> {
    #[cfg(feature = "blas")]
    if let Some(product) = super::blas::multiply_tf32(a, b)? {
        return Ok(product);
    }
    tf32::multiply(a, b)
}
