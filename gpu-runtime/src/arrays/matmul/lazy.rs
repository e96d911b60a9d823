//! A product of matrices as a part of an expression.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{MatrixElement, Multiply, Precision};
use crate::Result;
use crate::memory::DeviceArray;
use crate::ufunc::product::{Deferred as _, TileElement};
use crate::ufunc::{ArrayLike, Expression, Inputs, Lazy, Load};

/// The product of two matrices as a lazy array: [`Products::matmul`](crate::Products::matmul), whose elements other array functions take in one kernel.
///
/// Nothing is computed until the expression is used. Then the product is multiplied once, also for clones of the expression, and one kernel
/// computes the rest of the expression from its elements.
///
/// On a GPU with tensor cores, `collect` does both in **one** kernel where the product is of `f16` or `bf16`, or of `f32` by [`matmul_with`], large, the only
/// one of the expression, and no clone of it is left: `(matmul(&x, &weights) + &bias).map(…)`, with a scale for each row, another array, a cast. An
/// element means the same either way: the product is rounded to the type of its elements before the rest is computed.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[1.0f32, -2.0, 3.0, 4.0])?.reshape([2, 2])?;
/// let (weights, bias) = (device.eye::<f32>(2)?, device.to_device(&[0.5, 1.0])?);
/// // NumPy: np.maximum(x @ weights + bias, 0)
/// let layer = (matmul(&x, &weights) + &bias).max_with(0.0).collect()?;
/// assert_eq!(layer.to_host()?, [1.5, 0.0, 3.5, 5.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// The call that uses the expression, `collect` for example, returns those of [`matmul`](crate::Products::matmul).
pub fn matmul<A: ArrayLike<Item: MatrixElement>, B: ArrayLike<Item = A::Item>>(a: A, b: B) -> Lazy<Product<A::Expression, B::Expression>> {
    Lazy::new(Product::new(a.lazy(), b.lazy(), MatrixElement::multiply, A::Item::ON_TENSOR_CORES))
}

/// [`matmul`] of `f32` with another precision: [`Products::matmul_with`](crate::Products::matmul_with) as a lazy array.
///
/// ```
/// use gpu_runtime::{Precision, matmul_with, prelude::*};
///
/// let x = Device::cpu().to_device(&[1.0f32, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
/// assert_eq!((matmul_with(&x, &x, Precision::Tf32) * 0.5).to_host()?, [3.5, 5.0, 7.5, 11.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`matmul`].
pub fn matmul_with<A: ArrayLike<Item = f32>, B: ArrayLike<Item = f32>>(
    a: A,
    b: B,
    precision: Precision,
) -> Lazy<Product<A::Expression, B::Expression>> {
    let (multiply, on_tensor_cores) = precision.of_f32();
    Lazy::new(Product::new(a.lazy(), b.lazy(), multiply, on_tensor_cores))
}

/// A product in an expression: see [`matmul`].
pub struct Product<A: Expression<Item: MatrixElement>, B>(pub(super) Rc<Operands<A, B>>);

pub(super) struct Operands<A: Expression<Item: MatrixElement>, B> {
    pub(super) a: Lazy<A>,
    pub(super) b: Lazy<B>,
    multiply: Multiply<A::Item>,
    /// What tensor cores can multiply of it.
    pub(super) on_tensor_cores: Option<TileElement>,
    /// Since the expression was used.
    product: OnceCell<DeviceArray<A::Item>>,
}

impl<A: Expression<Item: MatrixElement>, B: Expression<Item = A::Item>> Operands<A, B> {
    pub(super) fn product(&self) -> Result<&DeviceArray<A::Item>> {
        if let Some(product) = self.product.get() {
            return Ok(product);
        }
        let (a, b) = (self.a.stored_with(&self.b)?, self.b.stored_with(&self.a)?);
        let product = super::product_of_views(a.view(), b.view(), self.multiply)?;
        Ok(self.product.get_or_init(|| product))
    }
}

impl<A: Expression<Item: MatrixElement>, B> Product<A, B> {
    fn new(a: Lazy<A>, b: Lazy<B>, multiply: Multiply<A::Item>, on_tensor_cores: Option<TileElement>) -> Self {
        Self(Rc::new(Operands { a, b, multiply, on_tensor_cores, product: OnceCell::new() }))
    }
}

impl<A: Expression<Item: MatrixElement>, B> Clone for Product<A, B> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

// SAFETY: one array of the item, which is what `Load` reads; without it, no code runs.
unsafe impl<A: Expression<Item: MatrixElement>, B: Expression<Item = A::Item>> Expression for Product<A, B> {
    type Item = A::Item;
    type Code = Load<A::Item>;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        let is_computed = self.0.product.get().is_some();
        if inputs.defers() && !is_computed && self.device().is_some() {
            return match self.0.shape() {
                Ok(shape) => inputs.deferred::<A::Item>(self, shape),
                Err(error) => inputs.fail(error),
            };
        }
        self.compute(inputs);
    }
}
