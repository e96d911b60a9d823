//! Reductions: lazy arrays reduced to one value, or along one axis.
//!
//! ```text
//! Lazy<E> ──Request──▶ inputs, Plan ──▶ cpu:  tasks, each with the loops of fold.rs
//!                                   └─▶ cuda: one kernel, of all.cu, rows.cu, columns.cu or each.cu
//! ```
//!
//! The function must be associative **and commutative**, as for Numba's `@cuda.reduce` and JAX's `lax.reduce`: each accumulator takes every
//! n-th element. The order in which elements are combined ([`partition`]) depends only on the shape and the device, so a result is the same
//! in every run; floats of different devices may differ in the last digits. A function may have no identity: every reduction here starts
//! from a first element.

mod cascade;
mod code;
mod cpu;
mod cuda;
#[cfg(feature = "cluster")]
mod devices;
mod fold;
pub(super) mod functions;
mod methods;
mod partition;
pub(super) mod summands;

#[cfg(feature = "cluster")]
pub(crate) use devices::reduce_each;
#[cfg(feature = "cluster")]
pub(crate) use functions::{Max, Min, Sum};
pub use methods::Reductions;
pub use summands::{Accumulator, Flag, Number, Summand};

use std::panic::Location;

use code::LoadItem;
use fold::Folds;

use super::axis::{Axes, AxisShape};
use super::collect::Request;
use super::cuda::Launcher;
use super::formula::Folding;
use super::input::Inputs;
use super::item::{Bits, ItemBits, MAX_COMPONENTS, addresses, assert_combinable};
use super::plan::Plan;
use super::{Code, Expression, Item, Lazy, ReduceFunction};
use crate::compile::used;
use crate::failure::called_or;
use crate::memory::Shape;
use crate::{Error, Result};

/// All elements folded into one value, on the host: for generated code.
///
/// # Errors
///
/// [`Error::EmptyReduction`] if there are no elements and `F` has no identity; those of [`Lazy::collect`]; and
/// [`Error::KernelFailed`].
#[track_caller]
pub fn reduce<F: ReduceFunction, E: Expression<Item = F::Output>>(lazy: Lazy<E>) -> Result<F::Output> {
    reduce_meanwhile::<F, E>(lazy, &mut || ())
}

/// The same, and calls `meanwhile` while a GPU is at work: for work on other devices.
#[track_caller]
fn reduce_meanwhile<F, E>(lazy: Lazy<E>, meanwhile: &mut dyn FnMut()) -> Result<F::Output>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    const { assert_combinable::<F::Output>() };
    // SAFETY: the inputs are those of the code.
    unsafe { Reduction::<F>::of::<E::Code>().fold(lazy.inputs(), meanwhile, Location::caller()) }
}

/// The elements folded along axes, counted from 0, into arrays of the shape without them: for generated code.
///
/// # Errors
///
/// [`Error::AxisOutOfRange`]; [`Error::RepeatedAxis`]; [`Error::EmptyReduction`] if the axes have no elements and `F` has no identity;
/// those of [`Lazy::collect`].
#[track_caller]
pub fn reduce_axis<F, E>(lazy: Lazy<E>, axes: impl Into<Axes>) -> Result<<F::Output as Item>::Arrays>
where
    F: ReduceFunction,
    E: Expression<Item = F::Output>,
{
    const { assert_combinable::<F::Output>() };
    // SAFETY: the inputs are those of the code.
    unsafe { Reduction::<F>::of::<E::Code>().fold_axes(lazy.inputs(), axes.into(), Location::caller()) }
}

/// A function that folds the elements of an expression, on either kind of device. The expression's type is forgotten here: what follows is
/// compiled for each function.
struct Reduction<F: ReduceFunction> {
    folding: Folding,
    on_cpu: Folds<F::Output>,
}

impl<F: ReduceFunction> Reduction<F> {
    fn of<C: Code<Item = F::Output>>() -> Self {
        Self { folding: Folding::of::<C, F>(), on_cpu: Folds::of::<F, C>() }
    }

    /// All elements folded into one, asked for at `place`.
    ///
    /// # Safety
    ///
    /// The inputs are those that the code names.
    unsafe fn fold(self, inputs: Inputs<'_>, meanwhile: &mut dyn FnMut(), place: &'static Location<'static>) -> Result<F::Output> {
        let function = called_or(F::NAME);
        let mut request = Request::new(function, inputs, place)?;
        if request.len == 0 {
            request.device.queue().synchronize()?;
            return F::identity().ok_or(Error::EmptyReduction { function, location: place });
        }
        let _copies = request.bring_inputs()?;
        let inputs = &request.inputs.list;
        let plan = Plan::of(request.shape, inputs, &[]);
        let on_cpu = || {
            let axis = AxisShape { outer: 1, len: request.len, inner: 1 };
            if used::is_asked() {
                // SAFETY: nothing is launched.
                unsafe { cuda::reduce(Launcher::Asked, self.folding, &plan, inputs, &mut || ())? };
            }
            let mut bits = ItemBits::default();
            let outputs = addresses(&mut bits, F::Output::COMPONENTS);
            // SAFETY: the operands are those of the plan, and in host memory; there is room for each component.
            let outcome = unsafe { cpu::reduce_axis::<F>(self.on_cpu, &plan, inputs, axis, &outputs) };
            request.own_failure(outcome.map(|()| bits))
        };
        let on_gpu = |queue| {
            // SAFETY: the operands are those of the plan, and on this GPU.
            let words = unsafe { cuda::reduce(request.launcher(queue), self.folding, &plan, inputs, meanwhile) };
            words.map(|words| words.map(Bits))
        };
        let queue = request.device.queue();
        let mut bits = ItemBits::default();
        let fold = || queue.dispatch(on_cpu, on_gpu).map(|folded| bits = folded);
        queue.with_failures_of_writers(&request.uses(), || request.ordered(fold))?;
        // SAFETY: each component is there: written by the fold, or zero, which every element type has.
        Ok(unsafe { Item::load(&addresses(&mut bits, F::Output::COMPONENTS), 0) })
    }

    /// The elements folded along axes, asked for at `place`.
    ///
    /// # Safety
    ///
    /// As for [`fold`](Self::fold).
    unsafe fn fold_axes(self, inputs: Inputs<'_>, axes: Axes, place: &'static Location<'static>) -> Result<<F::Output as Item>::Arrays> {
        let function = called_or(F::NAME);
        let mut request = Request::new(function, inputs, place)?;
        let reduced = axes.reduce(function, request.shape, place)?;
        let (axis, shape) = (reduced.axis, reduced.shape);
        if axis.len == 0 && axis.results() > 0 {
            let identity = F::identity().ok_or(Error::EmptyReduction { function, location: place })?;
            return filled(&request, shape, identity);
        }
        let (arrays, targets) = F::Output::allocate(&request.device, shape)?;
        let _copies = request.bring_inputs()?;
        let from = reduced.gather(&mut request.inputs.list);
        let inputs = &request.inputs.list;
        let plan = Plan::of(from, inputs, &[]);
        request.execute(
            // SAFETY: the operands are those of the plan, and in host memory; the arrays are new, of the results' shape.
            || unsafe { cpu::reduce_axis::<F>(self.on_cpu, &plan, inputs, axis, &targets) },
            // SAFETY: the operands are those of the plan, and on this GPU; the arrays are new, of the results' shape.
            |launcher| unsafe {
                let foldings = [self.folding, Folding::of::<LoadItem<F::Output>, F>()];
                cuda::reduce_axis(launcher, &request.device, foldings, &plan, inputs, axis, &targets)
            },
        )?;
        Ok(arrays)
    }
}

/// New arrays of `shape` on the request's device, every item of which is `value`.
fn filled<I: Item>(request: &Request<'_>, shape: Shape, value: I) -> Result<I::Arrays> {
    let (arrays, targets) = I::allocate(&request.device, shape)?;
    let len = shape.checked_len().expect("there is memory for it");
    let (vecs, sources) = I::reserve(len)?;
    let mut places = [std::ptr::null_mut(); MAX_COMPONENTS];
    places[..sources.len()].copy_from_slice(&sources);
    for index in 0..len {
        // SAFETY: the vectors have room for `len` items.
        unsafe { value.store(&places, index) };
    }
    for ((&source, &target), component) in sources.iter().zip(&targets).zip(I::COMPONENTS) {
        // SAFETY: both have room for `len` elements of the component, which were written to the source.
        unsafe { request.device.queue().upload(source, target, len * component.size)? };
    }
    drop(vecs);
    Ok(arrays)
}

#[cfg(test)]
pub(super) mod tests;
