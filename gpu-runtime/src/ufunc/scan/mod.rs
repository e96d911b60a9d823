//! Prefix scans: what a function makes of all elements up to each one, along an axis. NumPy's `ufunc.accumulate`.
//!
//! An axis is cut into chunks. A first pass folds each chunk; a second starts in each chunk from the folds of the chunks before it, and stores.
//! Axes that are short, or so many that they keep the device busy one chunk each, take the second pass only; so do long rows on a GPU, where a
//! chunk waits for the chunks before it (see `cuda`). Where the chunks end, and in which order their folds are combined, depends on the shape
//! alone, so floats have the same bits in every run.
//!
//! Only neighbours are combined, in order: the function must be associative, but need not be commutative.

mod cpu;
mod cuda;
mod methods;

pub(crate) use cuda::ScanKernel;
pub use methods::Scans;

use std::panic::Location;

use super::axis::AxisShape;
use super::collect::Request;
use super::cpu::{FillRun, fill_run};
use super::formula::Folding;
use super::input::Inputs;
use super::item::assert_combinable;
use super::plan::Plan;
use super::{Expression, Item, Lazy, ReduceFunction};
use crate::memory::Axis;
use crate::{Error, Result};

/// Which elements count for the result at an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Span {
    /// Those before it, and its own.
    Inclusive,
    /// Those before it.
    Exclusive,
}

/// Folds the elements along `axis` with `F`, and stores the fold up to each element, its own included. A number by itself has axis 0.
#[track_caller]
pub fn accumulate<F, E>(lazy: Lazy<E>, axis: impl Axis) -> Result<<F::Output as Item>::Arrays>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    scan::<F, E>(F::NAME, &lazy, axis, Span::Inclusive)
}

/// [`accumulate`] along the last axis.
#[track_caller]
pub fn accumulate_last<F, E>(lazy: Lazy<E>) -> Result<<F::Output as Item>::Arrays>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    let axis = lazy.rank().saturating_sub(1);
    accumulate::<F, E>(lazy, axis)
}

/// Folds the elements along `axis` with `F`, and stores the fold of those before each element; the identity for the first.
#[track_caller]
pub fn accumulate_exclusive<F, E>(lazy: Lazy<E>, axis: impl Axis) -> Result<<F::Output as Item>::Arrays>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    scan::<F, E>(F::NAME, &lazy, axis, Span::Exclusive)
}

/// `name` is what messages call it.
#[track_caller]
fn scan<F, E>(name: &'static str, lazy: &Lazy<E>, axis: impl Axis, span: Span) -> Result<<F::Output as Item>::Arrays>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    const { assert_combinable::<F::Output>() };
    let code = (Folding::of::<E::Code, F>(), fill_run::<E::Code> as FillRun<F::Output>);
    // As in NumPy, a number by itself is an array of one element.
    let axis = axis.of(lazy.rank().max(1));
    // SAFETY: the inputs are those of the code.
    unsafe { scan_inputs::<F>(name, lazy.inputs(), code, axis, span, Location::caller()) }
}

/// The scan of an expression whose type is forgotten, asked for at `place`: compiled for each function only.
///
/// # Safety
///
/// The inputs are those of an expression with that code.
unsafe fn scan_inputs<F: ReduceFunction>(
    name: &'static str,
    inputs: Inputs<'_>,
    (folding, fill): (Folding, FillRun<F::Output>),
    axis: usize,
    span: Span,
    place: &'static Location<'static>,
) -> Result<<F::Output as Item>::Arrays> {
    if span == Span::Exclusive && F::identity().is_none() {
        return Err(Error::NoIdentity { function: name, location: place });
    }
    let mut request = Request::new(name, inputs, place)?;
    let shape = if request.shape.rank() == 0 { 1.into() } else { request.shape };
    let axis = axis.checked_at(name, shape, place)?;
    let (arrays, targets) = F::Output::allocate(&request.device, shape)?;
    if request.len == 0 {
        return Ok(arrays);
    }
    let axis = AxisShape::new(shape, axis);
    let _copies = request.bring_inputs()?;
    let plan = Plan::of(shape, &request.inputs.list, &[]);
    let inputs = &request.inputs.list;
    request.execute(
        // SAFETY: the operands of the plan are the inputs, in host memory; the targets are new, with an element for each.
        || unsafe { cpu::scan::<F>(fill, &plan, inputs, axis, span, &targets) },
        // SAFETY: as above, on this GPU.
        |launcher| unsafe { cuda::scan(launcher, &request.device, &cuda::Scan::of::<F>(folding, axis, span), &plan, inputs, &targets) },
    )?;
    Ok(arrays)
}

#[cfg(test)]
mod tests;
