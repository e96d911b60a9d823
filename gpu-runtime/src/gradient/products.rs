//! Products of traced arrays: linear in each of their two operands.

use super::backward::Part;
use super::chain::{Differentiable, nodes_of};
use super::node::Node;
use super::traced::{IntoTraced, Real, Stored, Traced};
use crate::arrays::{Labels, Products as _, Signals as _, einsum};
use crate::functions;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::ufunc::{Lazy, lazy};
use crate::{Error, Result};
use std::rc::Rc;

/// # Products
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The product of matrices, or of a matrix and a vector: [`matmul`](crate::Products::matmul). A constant on the left is
    /// [`constant`](super::constant)`(&x).matmul(&w)`.
    ///
    /// # Errors
    ///
    /// As for [`matmul`](crate::Products::matmul).
    #[track_caller]
    pub fn matmul<B: IntoTraced<'a, T, Expression: Differentiable<'a, T>>>(&self, other: B) -> Result<Stored<'a, T>> {
        let (a, b) = (self.expression.keep()?, other.into_traced().keep()?);
        let (of_a, of_b) = (Lazy::new(a.clone()), Lazy::new(b.clone()));
        let (value, rank_a, rank_b) = ((&of_a).matmul(&of_b)?, of_a.shape()?.rank(), of_b.shape()?.rank());
        bilinear(
            a,
            b,
            value,
            |a, b| a.matmul(b),
            move |gradient, b| Ok(Part::Product(as_matrices(gradient, rank_a, rank_b)?, transposed_or_matrix(b, 0))),
            move |a, gradient| {
                let (a, gradient) = (transposed_or_matrix(a, 1), as_matrices(gradient, rank_a, rank_b)?);
                if rank_b > 1 {
                    return Ok(Part::Product(a, gradient));
                }
                let columns = a.matmul(gradient)?;
                let shape = columns.shape();
                columns.reshape(of_extents(&shape.extents()[..shape.rank() - 1])).map(Part::Array)
            },
        )
    }

    /// The sums of products of the elements of two arrays, as labels of their axes say: [`einsum`](fn@crate::einsum).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (x, y) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[3.0, 4.0, 5.0])?);
    /// let by_x = grad(&x, |x| x.einsum("i,j->ij", &y)?.sum())?;
    /// assert_eq!(by_x.to_host()?, [12.0, 12.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`einsum`](fn@crate::einsum); and [`Error::ShapeMismatch`] if an array has a label twice.
    #[track_caller]
    pub fn einsum<B: IntoTraced<'a, T, Expression: Differentiable<'a, T>>>(&self, labels: &str, other: B) -> Result<Stored<'a, T>> {
        let (a, b) = (self.expression.keep()?, other.into_traced().keep()?);
        let (of_a, of_b) = (Lazy::new(a.clone()), Lazy::new(b.clone()));
        let (shape_a, shape_b) = (of_a.shape()?, of_b.shape()?);
        let parsed = match Labels::parse(labels) {
            Ok(parsed) => parsed,
            Err(help) => return Err(Error::shape_mismatch("einsum", shape_a, shape_b, help)),
        };
        let has_twice = |labels: &[char]| labels.iter().enumerate().any(|(i, label)| labels[..i].contains(label));
        if has_twice(&parsed.a) || has_twice(&parsed.b) {
            let help = "a label that one array has twice has no gradient: take the diagonal of a constant, or multiply by `eye`";
            return Err(Error::shape_mismatch("einsum", shape_a, shape_b, help));
        }
        let (by_a, by_b) = (EinsumGradient::new(&parsed.out, &parsed.b, &parsed.a), EinsumGradient::new(&parsed.out, &parsed.a, &parsed.b));
        bilinear(
            a,
            b,
            einsum(labels, &of_a, &of_b)?,
            |a, b| einsum(labels, a, b),
            move |gradient, b| by_a.pull_back(gradient, b, shape_a).map(Part::Array),
            move |a, gradient| by_b.pull_back(gradient, a, shape_b).map(Part::Array),
        )
    }

    /// The convolution of two arrays with one axis, with all places where they overlap: [`convolve`](crate::Signals::convolve).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (x, weights) = (device.to_device(&[1.0, 2.0, 3.0])?, device.to_device(&[0.5, 0.25])?);
    /// let by_weights = grad(&weights, |weights| weights.convolve(&x)?.sum())?;
    /// assert_eq!(by_weights.to_host()?, [6.0, 6.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`convolve`](crate::Signals::convolve).
    #[track_caller]
    pub fn convolve<B: IntoTraced<'a, T, Expression: Differentiable<'a, T>>>(&self, weights: B) -> Result<Stored<'a, T>> {
        let (x, weights) = (self.expression.keep()?, weights.into_traced().keep()?);
        let value = (&Lazy::new(x.clone())).convolve(&Lazy::new(weights.clone()))?;
        bilinear(
            x,
            weights,
            value,
            |x, weights| x.convolve(weights),
            |gradient, weights| correlated(gradient, weights).map(Part::Array),
            |x, gradient| correlated(gradient, x).map(Part::Array),
        )
    }
}

/// A product that is linear in both arrays. `by_a` computes the gradient by `a` from the gradient and `b`; `by_b` computes that by `b` from `a`
/// and the gradient.
#[track_caller]
fn bilinear<'a, T: Real, A: Differentiable<'a, T, Item = T>, B: Differentiable<'a, T, Item = T>>(
    a: A,
    b: B,
    value: DeviceArray<T>,
    product: impl Fn(DeviceView<'_, T>, DeviceView<'_, T>) -> Result<DeviceArray<T>>,
    by_a: impl for<'v> Fn(DeviceView<'v, T>, DeviceView<'v, T>) -> Result<Part<'v, T>> + 'a,
    by_b: impl for<'v> Fn(DeviceView<'v, T>, DeviceView<'v, T>) -> Result<Part<'v, T>> + 'a,
) -> Result<Stored<'a, T>> {
    let (of_a, of_b) = (Lazy::new(a.clone()), Lazy::new(b.clone()));
    let (da, db) = (Traced::new(a.clone()).tangent()?, Traced::new(b.clone()).tangent()?);
    let from_a = match &da {
        Some(da) => Some(product(da.view(), of_b.stored_with(&of_a)?.view())?),
        None => None,
    };
    let from_b = match &db {
        Some(db) => Some(product(of_a.stored_with(&of_b)?.view(), db.view())?),
        None => None,
    };
    let tangent = match (from_a, from_b) {
        (Some(from_a), Some(from_b)) => Some(functions::add::map(&from_a, &from_b).collect()?),
        (from_a, from_b) => from_a.or(from_b),
    };
    let mut parents = nodes_of(&a);
    b.nodes(&mut parents);
    let ways_back = Rc::new((a, b, by_a, by_b));
    let of_change = ways_back.clone();
    let node = Node::computed(value, tangent, parents, move |_, gradient, gradients| {
        let (a, b, by_a, by_b) = &*ways_back;
        if A::VARIES {
            gradients.add(a, by_a(gradient.view(), of_b.stored_with(&of_a)?.view())?)?;
        }
        if B::VARIES {
            gradients.add(b, by_b(of_a.stored_with(&of_b)?.view(), gradient.view())?)?;
        }
        Ok(())
    });
    Ok(Traced::new(node.bending(move |_, _, gradient, changes| {
        let (a, b, by_a, by_b) = &*of_change;
        if A::VARIES
            && let Some(db) = &db
        {
            changes.add(a, by_a(gradient.view(), db.view())?)?;
        }
        if B::VARIES
            && let Some(da) = &da
        {
            changes.add(b, by_b(da.view(), gradient.view())?)?;
        }
        Ok(())
    })))
}

/// The gradient of a product with vectors as matrices: a vector on the left is a row, one on the right a column.
#[track_caller]
fn as_matrices<T: Real>(gradient: DeviceView<'_, T>, rank_a: usize, rank_b: usize) -> Result<DeviceView<'_, T>> {
    let mut extents = gradient.shape().extents().to_vec();
    extents.extend((rank_b == 1).then_some(1));
    if rank_a == 1 {
        extents.insert(extents.len() - 1, 1);
    }
    gradient.reshape(of_extents(&extents))
}

/// The transposed matrices; of a vector, the matrix with one more axis.
fn transposed_or_matrix<T: Real>(x: DeviceView<'_, T>, axis_of_vector: usize) -> DeviceView<'_, T> {
    if x.rank() == 1 { x.insert_axis(axis_of_vector) } else { transposed(x) }
}

pub(super) fn transposed<T: Real>(matrices: DeviceView<'_, T>) -> DeviceView<'_, T> {
    let rank = matrices.rank();
    matrices.swap_axes(rank - 2, rank - 1)
}

/// What brings the gradient of an `einsum` back to one of its arrays: another one, of the gradient and the other array.
struct EinsumGradient {
    labels: String,
    /// For each axis, whether only this array has it. It was summed by itself, so the gradient is repeated along it.
    is_summed: Vec<bool>,
}

impl EinsumGradient {
    fn new(out: &[char], other: &[char], own: &[char]) -> Self {
        let is_summed: Vec<bool> = own.iter().map(|label| !out.contains(label) && !other.contains(label)).collect();
        let found = own.iter().zip(&is_summed).filter(|(_, is_summed)| !**is_summed).map(|(label, _)| label);
        let labels = out.iter().chain(&[',']).chain(other).chain(&['-', '>']).chain(found).collect();
        Self { labels, is_summed }
    }

    #[track_caller]
    fn pull_back<T: Real>(&self, gradient: DeviceView<'_, T>, other: DeviceView<'_, T>, shape: Shape) -> Result<DeviceArray<T>> {
        let part = einsum(&self.labels, gradient, other)?;
        if !self.is_summed.contains(&true) {
            return Ok(part);
        }
        let extents: Vec<usize> =
            shape.extents().iter().zip(&self.is_summed).map(|(&extent, &is_summed)| if is_summed { 1 } else { extent }).collect();
        lazy(part.view().reshape(of_extents(&extents))?.broadcast_to(shape)?).collect()
    }
}

/// The sums of the products of `gradient` and `other` at each place where `other` lies in it.
#[track_caller]
fn correlated<T: Real>(gradient: DeviceView<'_, T>, other: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let whole = gradient.convolve(other.reverse_axis(0))?;
    lazy(whole.view().slice_axis(0, other.len() - 1..gradient.len())).collect()
}

fn of_extents(extents: &[usize]) -> Shape {
    Shape::from_extents(extents).expect("a product has as many axes as an operand, and each vector one more")
}
