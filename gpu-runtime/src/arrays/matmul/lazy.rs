//! A product of matrices as a part of an expression.

use std::cell::OnceCell;
use std::rc::Rc;

use super::MatrixElement;
use crate::Result;
use crate::memory::DeviceArray;
use crate::ufunc::{ArrayLike, Expression, Inputs, Lazy, Load};

/// The product of two matrices as a lazy array: [`Products::matmul`](crate::Products::matmul), whose elements other array functions take in one kernel.
///
/// Nothing is computed until the expression is used. Then the product is multiplied once, also for clones of the expression, and one kernel
/// computes the rest of the expression from its elements.
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
    Lazy::new(Product(Rc::new(Operands { a: a.lazy(), b: b.lazy(), product: OnceCell::new() })))
}

/// A product in an expression: see [`matmul`].
pub struct Product<A: Expression<Item: MatrixElement>, B>(Rc<Operands<A, B>>);

struct Operands<A: Expression<Item: MatrixElement>, B> {
    a: Lazy<A>,
    b: Lazy<B>,
    /// Since the expression was used.
    product: OnceCell<DeviceArray<A::Item>>,
}

impl<A: Expression<Item: MatrixElement>, B: Expression<Item = A::Item>> Operands<A, B> {
    fn product(&self) -> Result<&DeviceArray<A::Item>> {
        if let Some(product) = self.product.get() {
            return Ok(product);
        }
        let (a, b) = (self.a.stored_with(&self.b)?, self.b.stored_with(&self.a)?);
        let product = super::product_of_views(a.view(), b.view(), MatrixElement::multiply)?;
        Ok(self.product.get_or_init(|| product))
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
        match self.0.product() {
            Ok(product) => inputs.array(&product.view()),
            Err(error) => inputs.fail(error),
        }
    }
}
