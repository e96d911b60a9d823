//! Products that the kernel of an expression multiplies, by tensor cores.

use std::rc::Rc;

#[cfg(feature = "half")]
use super::halves;
use super::lazy::{Operands, Product};
use super::tensor_cores::{self, COLUMNS, Pieces, ROWS, THREADS};
use super::{Batches, Matrices, MatrixElement, check_devices, extents, mismatch, tf32};
use crate::Result;
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::memory::{DeviceView, Shape};
use crate::source::Element;
use crate::ufunc::product::{self, Deferred, TileElement, TileProduct, TiledProduct};
use crate::ufunc::{Expression, Inputs};

/// How tensor cores multiply matrices of such elements.
fn tiles_of(element: TileElement, is_right_by_columns: bool) -> TileProduct {
    let depth = match element {
        #[cfg(feature = "half")]
        TileElement::F16 | TileElement::Bf16 => halves::DEPTH,
        TileElement::Tf32 => tf32::DEPTH,
    };
    TileProduct { element, tile: [ROWS, COLUMNS], depth, threads: THREADS, is_right_by_columns }
}

/// How the matrices of a product lie along three axes.
struct Merged {
    /// The matrices, rows and columns of the product, and the inner extent.
    extents: [usize; 3],
    inner: usize,
    /// Whether all matrices on the left are multiplied by one on the right, so that they are the rows of one.
    is_one: bool,
}

impl Merged {
    /// Those of operands of these shapes, if they are matrices, and go together.
    fn of(a: Shape, b: Shape) -> Option<Self> {
        let Batches { leading, shape_a: [rows, inner], shape_b: [_, columns] } = Batches::of(a, b)?;
        let is_one = b.rank() == 2;
        let batch = leading.iter().product::<usize>();
        let extents = if is_one { [1, batch * rows, columns] } else { [batch, rows, columns] };
        (a.rank().min(b.rank()) > 1).then_some(Self { extents, inner, is_one })
    }
}

impl<A: Expression<Item: MatrixElement>, B: Expression<Item = A::Item>> Operands<A, B> {
    /// The shape of the product.
    pub(super) fn shape(&self) -> Result<Shape> {
        let (a, b) = (self.a.shape()?, self.b.shape()?);
        let Some(Batches { leading, shape_a, shape_b }) = Batches::of(a, b) else { return Err(mismatch(a, b)) };
        let mut shape = leading;
        shape.extend((a.rank() > 1).then_some(shape_a[0]));
        shape.extend((b.rank() > 1).then_some(shape_b[1]));
        Ok(Shape::from_extents(&shape).expect("there are as many axes as an operand has"))
    }
}

impl<A: Expression<Item: MatrixElement>, B: Expression<Item = A::Item>> Operands<A, B> {
    /// Whether tensor cores read the matrices on the right by columns: those of `f32` always, others where they lie so.
    fn is_right_by_columns(&self) -> bool {
        self.on_tensor_cores == Some(TileElement::Tf32) || self.b.array().is_some_and(|b| tensor_cores::is_by_columns(&b))
    }
}

impl<A: Expression<Item: MatrixElement>, B: Expression<Item = A::Item>> Deferred for Product<A, B> {
    fn device(&self) -> Option<&Device> {
        self.0.a.own_device().or_else(|| self.0.b.own_device())
    }

    fn compute<'s>(&'s self, inputs: &mut Inputs<'s>) {
        match self.0.product() {
            Ok(product) => inputs.array(&product.view()),
            Err(error) => inputs.fail(error),
        }
    }

    fn in_tiles(&self, device: Option<&Device>) -> Option<TiledProduct> {
        let product = tiles_of(self.0.on_tensor_cores?, self.0.is_right_by_columns());
        if Rc::strong_count(&self.0) > 1 || device.is_some_and(|device| !tensor_cores::are_on(device)) {
            return None;
        }
        let Merged { extents, inner, .. } = Merged::of(self.0.a.shape().ok()?, self.0.b.shape().ok()?)?;
        let fits = tensor_cores::have_steps(extents, inner, product.depth) && tensor_cores::are_busy(extents, device);
        fits.then_some(TiledProduct { extents, product })
    }

    fn with_operands(&self, submit: &mut dyn FnMut(&product::Operands, &[MemoryUse<'_>]) -> Result<()>) -> Result<()> {
        let (a, b) = (self.0.a.stored_with(&self.0.b)?, self.0.b.stored_with(&self.0.a)?);
        let (a, b) = (a.view(), b.view());
        check_devices("matmul", &a, &b)?;
        let (Some(Batches { leading, shape_a, shape_b }), Some(Merged { extents: of_product, inner, is_one })) =
            (Batches::of(a.shape(), b.shape()), Merged::of(a.shape(), b.shape()))
        else {
            return Err(mismatch(a.shape(), b.shape()));
        };
        let [batch, rows, columns] = of_product;
        let a = Matrices::of(a, &leading, shape_a, [batch, rows, inner])?;
        let b = Matrices::of(b, if is_one { &[] } else { &leading }, shape_b, [batch, inner, columns])?;
        let (a, b) = (a.view(), b.view());
        let (b, columns_of_b) = if self.0.is_right_by_columns() { (b.swap_axes(1, 2), inner) } else { (b, columns) };
        let (a, b) = (Pieces::of(a)?, Pieces::of(b)?);
        let (a, b) = (a.view(inner), b.view(columns_of_b));
        let operands = product::Operands { a: matrices(&a), b: matrices(&b) };
        submit(&operands, &[a.memory_use(Access::Read), b.memory_use(Access::Read)])
    }
}

fn matrices<T: Element>(view: &DeviceView<'_, T>) -> product::Matrices {
    let strides = view.strides().try_into().expect("there are three axes");
    product::Matrices { address: view.pointer().addr() as u64, extents: extents(view), strides }
}
