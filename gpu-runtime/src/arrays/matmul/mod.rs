//! Products of matrices.
//!
//! ```text
//! operands ──Batches, Matrices──▶ as many matrices each: views with three axes, mostly no copies
//!     │ MatrixElement::multiply
//!     ├──▶ blas: cuBLAS, or the crate gemm on the CPU            feature `blas`, floats and complex numbers
//!     ├──▶ ours: kernels in this crate's language, or loops      every number
//!     │      └──▶ tiles: large matrices of `f32` on a GPU
//!     ├──▶ halves, tf32: large matrices on a GPU                 in tiles, by tensor cores: `f16` and `bf16`; `f32`, if asked for
//!     └──▶ through: products of other elements around `ours`     halves by `f32`, complex numbers by their parts
//! ```
//!
//! A product in an expression ([`lazy`]) that tensor cores can multiply is one of the inputs of the kernel that computes the rest ([`deferred`]).

#[cfg(feature = "blas")]
mod blas;
mod deferred;
mod element;
#[cfg(feature = "half")]
pub(super) mod halves;
mod lazy;
pub(super) mod ours;
pub(super) mod tensor_cores;
pub(super) mod tf32;
#[cfg(any(feature = "complex", feature = "half"))]
pub(super) mod through;
pub(super) mod tiles;

use std::panic::Location;

pub use element::MatrixElement;
pub use lazy::{Product, matmul, matmul_with};

use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::Num;
use crate::source::Element;
use crate::ufunc::product::TileElement;
use crate::ufunc::{ArrayLike, broadcast_shapes, give_to_arrays, lazy};
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
    /// An operand with one axis is a row on the left and a column on the right, and the result lacks its axis. With more than two axes, the
    /// last two are those of matrices, and the leading ones are broadcast. Transposes are read where they are.
    ///
    /// With the feature `blas`, cuBLAS multiplies floats and complex numbers on a GPU, and the crate gemm on the CPU. Without the
    /// feature, or where cuBLAS is not installed, this crate's own kernel does. Sums of `f16` and `bf16` are `f32`, rounded once. The order
    /// of additions is not specified: floats of different devices may differ in the last digits.
    ///
    /// The result can be an operand where it is made, `a.matmul(&b)? + &bias`. In an expression, the function [`matmul`] is its lazy form.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the inner extents or the numbers of matrices differ, or an operand has no axes;
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

    /// [`matmul`](Self::matmul) of `f32` with another precision.
    ///
    /// # Errors
    ///
    /// As for [`matmul`](Self::matmul).
    #[track_caller]
    fn matmul_with<B: ArrayLike<Item = f32>>(self, other: B, precision: Precision) -> Result<DeviceArray<f32>>
    where
        Self: ArrayLike<Item = f32>,
    {
        let (a, b) = (self.lazy(), other.lazy());
        let (a, b) = (a.stored_with(&b)?, b.stored_with(&a)?);
        product_of_views(a.view(), b.view(), precision.of_f32().0)
    }
}

/// The precision of the operands of a [product of matrices](Products::matmul_with) of `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// That of `f32`, as for [`matmul`](Products::matmul).
    #[default]
    Full,
    /// A GPU may round the operands to TF32, with 10 bits of precision, before its tensor cores multiply them. The CPU does not.
    Tf32,
}

impl Precision {
    /// What multiplies `f32`, and what tensor cores multiply of it.
    fn of_f32(self) -> (Multiply<f32>, Option<TileElement>) {
        match self {
            Self::Full => (f32::multiply, None),
            Self::Tf32 => (element::multiply_tf32, Some(TileElement::Tf32)),
        }
    }
}

give_to_arrays! { Products }

/// A function that multiplies as many matrices.
type Multiply<T> = unsafe fn(DeviceView<'_, T>, DeviceView<'_, T>) -> Result<DeviceArray<T>>;

#[track_caller]
fn product_of_views<T: Element>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, multiply: Multiply<T>) -> Result<DeviceArray<T>> {
    let (of_a, of_b) = (a.shape(), b.shape());
    let Some(Batches { leading, shape_a, shape_b }) = Batches::of(of_a, of_b) else {
        return Err(mismatch(of_a, of_b));
    };
    check_devices("matmul", &a, &b)?;
    let (a, b) = (if of_a.rank() == 1 { a.insert_axis(0) } else { a }, if of_b.rank() == 1 { b.insert_axis(1) } else { b });
    let number = Shape::from_extents(&leading).and_then(|shape| shape.checked_len());
    let batch = number.ok_or(Error::TooManyElements { function: "matmul", shape: of_a.into(), location: Location::caller() })?;
    let merged = |[rows, columns]: [usize; 2]| [batch, rows, columns];
    let (a, b) = (Matrices::of(a, &leading, shape_a, merged(shape_a))?, Matrices::of(b, &leading, shape_b, merged(shape_b))?);
    // SAFETY: both are as many matrices, whose inner extents were compared, and so were the devices.
    let c = unsafe { multiply(a.view(), b.view())? };
    let mut shape = leading;
    shape.extend((of_a.rank() > 1).then_some(shape_a[0]));
    shape.extend((of_b.rank() > 1).then_some(shape_b[1]));
    c.reshape(Shape::from_extents(&shape).expect("there are as many axes as an operand has"))
}

/// Adds the product of two matrices to another one.
#[track_caller]
pub(crate) fn add_product<T: MatrixElement + Num>(
    a: DeviceView<'_, T>,
    b: DeviceView<'_, T>,
    sum: DeviceArray<T>,
) -> Result<DeviceArray<T>> {
    let [[rows, inner], [of_b, columns]] = [&a, &b].map(|matrix| <[usize; 2]>::try_from(matrix.shape().extents()).expect("a matrix"));
    assert!(inner == of_b && sum.shape() == [rows, columns] && a.device() == b.device() && a.device() == sum.device());
    let mut sum = sum.reshape([1, rows, columns])?;
    // SAFETY: the extents and devices were compared.
    if !unsafe { T::add_product(a.insert_axis(0), b.insert_axis(0), &mut sum)? } {
        sum += a.matmul(b)?;
    }
    sum.reshape([rows, columns])
}

#[track_caller]
fn mismatch(a: Shape, b: Shape) -> Error {
    let help = match a.rank().min(b.rank()) {
        0 => "both must be vectors or matrices",
        _ => "the last axis of the first and the axis before the last of the second must be equal, and numbers of matrices equal or 1",
    };
    Error::shape_mismatch("matmul", a, b, help)
}

/// How operands are matrices: those of the leading axes, which are broadcast.
struct Batches {
    leading: Vec<usize>,
    shape_a: [usize; 2],
    shape_b: [usize; 2],
}

impl Batches {
    /// Those of operands of these shapes, if they go together.
    fn of(a: Shape, b: Shape) -> Option<Self> {
        let split = |shape: Shape, is_row: bool| match *shape.extents() {
            [] => None,
            [len] if is_row => Some((Shape::from([]), [1, len])),
            [len] => Some((Shape::from([]), [len, 1])),
            [ref leading @ .., rows, columns] => Some((Shape::from_extents(leading)?, [rows, columns])),
        };
        let ((of_a, shape_a), (of_b, shape_b)) = (split(a, true)?, split(b, false)?);
        let leading = broadcast_shapes(&[of_a, of_b]).ok().filter(|_| shape_a[1] == shape_b[0])?;
        Some(Self { leading: leading.extents().to_vec(), shape_a, shape_b })
    }
}

/// As many matrices, along the first of three axes.
enum Matrices<'a, T: Element> {
    InPlace(DeviceView<'a, T>),
    Copied(DeviceArray<T>),
}

impl<'a, T: Element> Matrices<'a, T> {
    /// The matrices of `view`, repeated to the leading axes, along three axes: where they are, unless no stride leads from one to the next.
    #[track_caller]
    fn of(view: DeviceView<'a, T>, leading: &[usize], matrix: [usize; 2], merged: [usize; 3]) -> Result<Self> {
        let shape = Shape::from_extents(&[leading, &matrix].concat()).expect("there are as many axes as an operand has");
        let repeated = view.broadcast_to(shape)?;
        match repeated.reshape(merged) {
            Ok(matrices) => Ok(Self::InPlace(matrices)),
            Err(_) => Ok(Self::Copied(lazy(repeated).collect()?.reshape(merged)?)),
        }
    }

    fn view(&self) -> DeviceView<'_, T> {
        match self {
            Self::InPlace(view) => *view,
            Self::Copied(array) => array.view(),
        }
    }
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

pub(super) fn extents<T: Element>(view: &DeviceView<'_, T>) -> [usize; 3] {
    view.shape().extents().try_into().expect("there are three axes")
}
