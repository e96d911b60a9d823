//! Products of matrices.
//!
//! ```text
//! operands with 1 to 3 axes ──operands──▶ as many matrices each: views with three axes, no copies
//!     │ MatrixElement::multiply
//!     ├──▶ blas: cuBLAS, or the crate gemm on the CPU            feature `blas`, floats and complex numbers
//!     ├──▶ ours: kernels in this crate's language, or loops      every number
//!     │      └──▶ tiles: large matrices of `f32` on a GPU
//!     └──▶ through: products of other elements around `ours`     halves by `f32`, complex numbers by their parts
//! ```

#[cfg(feature = "blas")]
mod blas;
mod element;
mod lazy;
pub(super) mod ours;
#[cfg(any(feature = "complex", feature = "half"))]
pub(super) mod through;
pub(super) mod tiles;

use std::panic::Location;

pub use element::MatrixElement;
pub use lazy::{Product, matmul};

use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::source::Element;
use crate::ufunc::{ArrayLike, give_to_arrays};
use crate::{Error, Result};

/// Products of vectors and matrices.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let a = Device::cpu().to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
/// assert_eq!(a.matmul(a.view().t())?.to_host()?, [14.0, 32.0, 32.0, 77.0]); // NumPy: a @ a.T
/// let x = Device::cpu().to_device(&[1.0f32, 0.0, -1.0])?;
/// assert_eq!(a.matmul(&x)?.to_host()?, [-2.0, -2.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Products: ArrayLike {
    /// The product of two matrices: `x @ other`, `np.matmul(x, other)`. Integers wrap around.
    ///
    /// An operand with one axis is a row on the left and a column on the right, and the result lacks its axis. With three axes, operands
    /// are as many matrices as the first axis says, and one matrix goes with all of the other operand. Transposes are read where they are.
    ///
    /// With the feature `blas`, cuBLAS multiplies floats and complex numbers on a GPU, and the crate gemm on the CPU. Without the
    /// feature, or where cuBLAS is not installed, this crate's own kernel does. Sums of `f16` and `bf16` are `f32`, rounded once. The order
    /// of additions is not specified: floats of different devices may differ in the last digits.
    ///
    /// The result can be an operand where it is made, `a.matmul(&b)? + &bias`. In an expression, the function [`matmul`] is its lazy form.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the inner extents or the numbers of matrices differ, or an operand has no axes or more than three;
    /// [`Error::ArraysOnDifferentDevices`]; and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn matmul<B: ArrayLike<Item = Self::Item>>(self, other: B) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: MatrixElement,
    {
        let (a, b) = (self.lazy(), other.lazy());
        let (a, b) = (a.stored_with(&b)?, b.stored_with(&a)?);
        product_of_views(a.view(), b.view(), MatrixElement::multiply)
    }

    /// The same where a GPU may round the operands to TF32, with 10 bits of precision, before it multiplies: faster with cuBLAS, and
    /// without it the same as [`matmul`](Self::matmul).
    ///
    /// # Errors
    ///
    /// As for [`matmul`](Self::matmul).
    #[track_caller]
    fn matmul_tf32<B: ArrayLike<Item = f32>>(self, other: B) -> Result<DeviceArray<f32>>
    where
        Self: ArrayLike<Item = f32>,
    {
        let (a, b) = (self.lazy(), other.lazy());
        let (a, b) = (a.stored_with(&b)?, b.stored_with(&a)?);
        product_of_views(a.view(), b.view(), element::multiply_tf32)
    }
}

give_to_arrays! { Products }

/// A function that multiplies as many matrices.
type Multiply<T> = unsafe fn(DeviceView<'_, T>, DeviceView<'_, T>) -> Result<DeviceArray<T>>;

#[track_caller]
fn product_of_views<T: Element>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, multiply: Multiply<T>) -> Result<DeviceArray<T>> {
    let (of_a, of_b) = (a.shape(), b.shape());
    let Some([a, b]) = operands(a, b) else {
        let help = match [of_a.rank(), of_b.rank()].iter().all(|rank| (1..=3).contains(rank)) {
            true => {
                "the last axis of the first and the axis before the last of the second must be equal, and numbers of matrices equal or 1"
            }
            false => "both must be vectors, matrices or, with three axes, as many matrices",
        };
        return Err(Error::shape_mismatch("matmul", of_a, of_b, help));
    };
    check_devices("matmul", &a, &b)?;
    let ([batch, rows, _], columns) = (extents(&a), b.shape().extents()[2]);
    // SAFETY: what `operands` returns has such shapes, and the devices were compared.
    let c = unsafe { multiply(a, b)? };
    let mut shape = vec![];
    shape.extend((of_a.rank() == 3 || of_b.rank() == 3).then_some(batch));
    shape.extend((of_a.rank() > 1).then_some(rows));
    shape.extend((of_b.rank() > 1).then_some(columns));
    c.reshape(Shape::from_extents(&shape).expect("there are at most three axes"))
}

#[track_caller]
pub(super) fn check_devices<T: Element>(function: &'static str, a: &DeviceView<'_, T>, b: &DeviceView<'_, T>) -> Result<()> {
    if a.device() == b.device() {
        return Ok(());
    }
    let (first_device, second_device) = (a.device().to_string(), b.device().to_string());
    let (first, second) = ("argument 1".into(), "argument 2".into());
    Err(Error::ArraysOnDifferentDevices { function, first, first_device, second, second_device, location: Location::caller() })
}

/// The operands as as many matrices, if their shapes go together.
fn operands<'a, T: Element>(a: DeviceView<'a, T>, b: DeviceView<'a, T>) -> Option<[DeviceView<'a, T>; 2]> {
    let matrices = |view: DeviceView<'a, T>, vector: usize| match view.rank() {
        1 => Some(view.insert_axis(vector).insert_axis(0)),
        2 => Some(view.insert_axis(0)),
        3 => Some(view),
        _ => None,
    };
    let (a, b) = (matrices(a, 0)?, matrices(b, 1)?);
    let ([of_a, rows, inner], [of_b, same, columns]) = (extents(&a), extents(&b));
    let batch = if of_a == 1 { of_b } else { of_a };
    if inner != same {
        return None;
    }
    Some([a.broadcast_to([batch, rows, inner]).ok()?, b.broadcast_to([batch, inner, columns]).ok()?])
}

fn extents<T: Element>(view: &DeviceView<'_, T>) -> [usize; 3] {
    view.shape().extents().try_into().expect("there are three axes")
}
