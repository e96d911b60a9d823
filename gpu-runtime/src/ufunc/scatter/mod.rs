//! Updates of scattered elements, with repeated indices: NumPy's `ufunc.at`.

mod cuda;
mod native;
mod runs;

pub(crate) use cuda::ScatterKernel;
pub(crate) use runs::RunKernel;

use std::panic::Location;

use native::Native;
use runs::{Targets, Update};

use super::collect::{Request, find_device};
use super::cpu::{Buffers, RUN, for_each_element};
use super::cuda::{BLOCK, Launcher};
use super::expression::ArrayInput;
use super::formula::Formula;
use super::input::{Input, Place};
use super::plan::Plan;
use super::zip::zip;
use super::{ArrayFunction, ArrayMut, Component, Expression, Lazy, Number, ReduceFunction};
use crate::backend::{Access, MemoryUse, cpu};
use crate::compile::used;
use crate::failure::{KernelFailure, Work, called_or};
use crate::memory::{DeviceArray, DeviceSliceMut};
use crate::ops::arithmetic::sealed::Sealed;
use crate::scalar::{Integer, Num};
use crate::source::{Element, Sites};
use crate::{Error, Result};

/// An integer type for the indices of scattered updates and of [`Histograms::bincount`](crate::Histograms::bincount).
///
/// Negative numbers do not count from the end; they are out of bounds, as in Rust.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` cannot be indices",
    label = "not an integer",
    note = "convert them first, such as `array.cast::<u32>()`"
)]
pub trait IndexElement: Element + Num + Sealed {
    /// The index as a 64-bit number; a negative index becomes larger than any length.
    #[doc(hidden)]
    fn to_index(self) -> u64;
}

macro_rules! index_elements {
    ($($T:ident),*) => {
        $(
            impl IndexElement for $T {
                #[inline(always)]
                fn to_index(self) -> u64 {
                    self as u64
                }
            }
        )*
    };
}

index_elements!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// The site of an index that is out of bounds.
pub(in crate::ufunc) static OUT_OF_BOUNDS: Sites = Sites::new(file!(), concat!(line!(), ":", column!(), "i"), &[]);

/// `target[i] = f(target[i], value)` for each index and value, repeated indices included: NumPy's `ufunc.at`.
///
/// Indices and values are broadcast together. Updates of an element happen one after the other, in the order of the indices, with these
/// exceptions on a GPU:
///
/// * A function of `#[reduce]`, and a ready-made one that is associative, such as `mul`, may combine neighbouring values of an element
///   first. The result is the same, but for the last bits of floats, which are the same in every run.
/// * For some ready-made functions, CUDA has atomic operations: `add`, `sub`, minima and maxima of 32- and 64-bit numbers. They happen in
///   any order, so the last bits of sums of floats may change from run to run. Those of `f32` treat denormals as zero. Values for few
///   elements are added up first, and a sum that is zero is not added, so that an element of -0.0 may stay or become 0.0.
///
/// # Errors
///
/// [`BroadcastMismatch`](crate::Error::BroadcastMismatch) if the shapes of indices and values cannot be broadcast together,
/// [`ArraysOnDifferentDevices`](crate::Error::ArraysOnDifferentDevices), [`Compile`](crate::Error::Compile). The next call that waits
/// reports an index that is out of bounds; some of the other updates have been made.
#[track_caller]
pub fn at<'a, F, T, I, V>(target: impl ArrayMut<'a, Item = T>, indices: Lazy<I>, values: Lazy<V>) -> Result<()>
where
    T: Element,
    F: ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    let mut target = target.into_view_mut();
    if let Some(elements) = target.reborrow().as_slice_mut() {
        return update::<F, T, I, V>(elements, None, indices, values);
    }
    // Elements that are apart are updated in a copy, which takes their place.
    let mut copy = Lazy::new(ArrayInput(target.view())).collect()?;
    update::<F, T, I, V>(copy.slice_mut(..), None, indices, values)?;
    target.copy_from(&copy)
}

/// The values of each of `groups` groups, reduced by a function: for generated code.
///
/// # Errors
///
/// [`EmptyGroup`](crate::Error::EmptyGroup) if a group has no values and the function has no identity, and as for [`at`].
#[track_caller]
pub fn reduce_by<F, T, I, V>(values: Lazy<V>, keys: Lazy<I>, groups: usize) -> Result<DeviceArray<T>>
where
    T: Element,
    F: ReduceFunction + ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    let (function, location) = (called_or(F::NAME), Location::caller());
    let pairs = zip(keys.clone(), values.clone());
    let device = find_device(function, &pairs.inputs(), location)?;
    if let Some(identity) = F::identity() {
        let mut reduced = device.full(groups, identity)?;
        update::<F, T, I, V>(reduced.slice_mut(..), None, keys, values)?;
        return Ok(reduced);
    }
    let mut reduced = DeviceArray::unspecified(&device, groups.into())?;
    let mut stored = device.zeros::<bool>(groups)?;
    update::<F, T, I, V>(reduced.slice_mut(..), Some(&mut stored), keys, values)?;
    match stored.to_host()?.iter().position(|&is_stored| !is_stored) {
        Some(group) => Err(Error::EmptyGroup { function, group, location }),
        None => Ok(reduced),
    }
}

/// Updates the elements of `target`. If these have no values yet, `stored` says of each whether it has got one.
#[track_caller]
fn update<F, T, I, V>(
    target: DeviceSliceMut<'_, T>,
    mut stored: Option<&mut DeviceArray<bool>>,
    indices: Lazy<I>,
    values: Lazy<V>,
) -> Result<()>
where
    T: Element,
    F: ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    let pairs = zip(indices.clone(), values);
    let (len, first) = (target.len(), target.pointer());
    let stored = stored.as_mut().map_or(std::ptr::null_mut(), |stored| stored.slice_mut(..).pointer());
    let mut inputs = pairs.inputs();
    inputs.choose(Place::Target, target.device());
    let mut request = Request::new(called_or(F::NAME), inputs, Location::caller())?;
    request.targets.push(target.memory_use(Access::Write));
    if request.len == 0 {
        return Ok(());
    }
    let _copies = request.bring_inputs()?;
    let plan = Plan::of(request.shape, &request.inputs.list, &[]);
    let native = Native::of::<F>().filter(|_| stored.is_null());
    let inputs = &request.inputs.list;
    let job = CpuJob { plan: &plan, inputs, target: first, stored, len };
    // SAFETY: the operands of the plan are the inputs, in host memory, and the target is borrowed exclusively.
    let on_cpu = || unsafe { update_in_order::<F, T, I, V>(&job) };
    if let Some(native) = native {
        let of_pairs = (Formula::folded::<Code<I, V>, F>(), native, Component::of::<T>());
        // SAFETY: as above, on this GPU.
        return request.execute(on_cpu, |launcher| unsafe { cuda::update(launcher, of_pairs, &plan, inputs, first.addr() as u64, len) });
    }
    let (of, targets) = (Update::of::<Code<I, V>, F, T>(), Targets { first: first.addr() as u64, len, stored: stored.addr() as u64 });
    let by_runs = |launch: Launch<'_>| match (of.bits_for_all(len), u32::try_from(len)) {
        (Some(bits), _) => {
            let pairs = runs::Pairs::AsGiven::<u32>(plan.len);
            let of = (of, Some(bits));
            // SAFETY: the operands of the plan are the inputs, on this GPU if something is launched, and the targets are borrowed exclusively.
            launch(&[], &|launcher| unsafe { runs::update_by_runs(launcher, &request.device, of, (&plan, inputs), pairs, targets) })
        }
        (None, Ok(_)) => update_by_runs::<u32, I>(&request, indices.clone(), of, &plan, targets, launch),
        (None, Err(_)) => update_by_runs::<u64, I>(&request, indices.clone(), of, &plan, targets, launch),
    };
    if request.device.is_gpu() {
        return by_runs(&|sorted, run| request.execute_with(sorted, || unreachable!("the device is a GPU"), run));
    }
    if used::is_asked() {
        by_runs(&|_, run| run(Launcher::Asked))?;
    }
    request.execute(on_cpu, |_| Ok(()))
}

/// What launches kernels.
type Run<'r> = &'r dyn Fn(Launcher) -> Result<()>;

/// What calls it, in an operation that also uses this memory.
type Launch<'l> = &'l dyn Fn(&[MemoryUse<'_>], Run<'_>) -> Result<()>;

/// Calls `launch` with what updates the targets on a GPU, some pairs at a time.
#[track_caller]
fn update_by_runs<K: Integer + Number, I: Expression<Item: IndexElement>>(
    request: &Request<'_>,
    indices: Lazy<I>,
    of: Update,
    plan: &Plan,
    targets: Targets,
    launch: Launch<'_>,
) -> Result<()> {
    let (device, inputs) = (&request.device, &request.inputs.list[..]);
    let table_bits = of.bits_of_tables(targets.len);
    runs::for_each_sorted::<K, I>(device, indices, request.shape, (targets.len, table_bits.unwrap_or(0)), |sorted| {
        // SAFETY: the operands of the plan are the inputs, on this GPU if something is launched, and the targets are borrowed exclusively.
        launch(&sorted.uses(), &|launcher| unsafe {
            runs::update_by_runs(launcher, device, (of, table_bits), (plan, inputs), runs::Pairs::Sorted(sorted), targets)
        })
    })
}

/// The code of the pairs of indices and values.
type Code<I, V> = <(I, V) as Expression>::Code;

/// What an update on the CPU works on.
struct CpuJob<'j, T> {
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    target: *mut T,
    /// Which elements have a value, unless all have.
    stored: *mut bool,
    len: usize,
}

// SAFETY: one worker uses it.
unsafe impl<T> Sync for CpuJob<'_, T> {}

/// # Safety
///
/// The plan's operands are the inputs, in host memory and as large as it says. Nothing else uses the target, which has `len`
/// elements, and `stored`, which has as many if it is not null.
unsafe fn update_in_order<F, T, I, V>(job: &CpuJob<'_, T>) -> std::result::Result<(), KernelFailure>
where
    T: Element,
    F: ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    // One range: the order of updates matters.
    cpu::for_each_range(F::NAME, Work::elements(BLOCK), job.plan.len, job.plan.len, &|thread, range| {
        let mut buffers = Buffers::new(job.inputs.len());
        for start in range.clone().step_by(RUN) {
            let update = |_, (index, value): (I::Item, T)| {
                let index = thread.in_function(&OUT_OF_BOUNDS).index(index.to_index() as usize, job.len, 0)?;
                // SAFETY: the index was just checked, and the target is not used by anything else.
                unsafe {
                    let element = job.target.add(index);
                    let has_value = job.stored.is_null() || job.stored.add(index).replace(true);
                    element.write(if has_value { F::call(thread, (element.read(), value))? } else { value });
                }
                Ok(())
            };
            let run = start..range.end.min(start + RUN);
            // SAFETY: the caller guarantees the inputs.
            unsafe { for_each_element::<Code<I, V>>(job.plan, job.inputs, &mut buffers, thread, run, update)? };
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
