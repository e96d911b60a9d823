//! Updates of scattered elements, with repeated indices: NumPy's `ufunc.at`.

mod cuda;
mod native;

pub(crate) use cuda::ScatterKernel;

use std::panic::Location;

use super::collect::Request;
use super::cpu::{Buffers, RUN, for_each_element};
use super::cuda::BLOCK;
use super::input::{Input, Place};
use super::plan::Plan;
use super::zip::zip;
use super::{ArrayFunction, Expression, Lazy};
use crate::Result;
use crate::backend::{Access, cpu};
use crate::failure::{KernelFailure, Work, called_or};
use crate::memory::DeviceArray;
use crate::ops::arithmetic::sealed::Sealed;
use crate::source::{Element, Sites};

/// An integer type for the indices of scattered updates and of [`Histograms::bincount`](crate::Histograms::bincount).
///
/// Negative numbers do not count from the end; they are out of bounds, as in Rust.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` cannot be indices",
    label = "not an integer",
    note = "convert them first, such as `array.cast::<u32>()`"
)]
pub trait IndexElement: Element + Sealed {
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
/// Indices and values are broadcast together. On the CPU, updates happen one after the other, in order. On a GPU, they happen in any order,
/// and each is atomic: with a function that is commutative and associative, the result is the same as on the CPU; with other functions, it
/// is the result of *some* order. Float addition is not associative, so its last bits may change from run to run.
///
/// # Errors
///
/// [`BroadcastMismatch`](crate::Error::BroadcastMismatch) if the shapes of indices and values cannot be broadcast together,
/// [`ArraysOnDifferentDevices`](crate::Error::ArraysOnDifferentDevices), [`Compile`](crate::Error::Compile). The next call that waits
/// reports an index that is out of bounds; some of the other updates have been made.
#[track_caller]
pub fn at<F, T, I, V>(target: &mut DeviceArray<T>, indices: Lazy<I>, values: Lazy<V>) -> Result<()>
where
    T: Element,
    F: ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    let pairs = zip(indices, values);
    let (len, first) = (target.len(), target.slice_mut(..).pointer());
    let mut inputs = pairs.inputs();
    inputs.choose(Place::Target, target.device());
    let mut request = Request::new(called_or(F::NAME), inputs, Location::caller())?;
    request.target = Some(target.slice(..).memory_use(Access::Write));
    if request.len == 0 {
        return Ok(());
    }
    let _copies = request.bring_inputs()?;
    let plan = Plan::of(request.shape, &request.inputs.list, &[]);
    let job = CpuJob { plan: &plan, inputs: &request.inputs.list, target: first, len };
    request.execute(
        // SAFETY: the operands of the plan are the inputs, in host memory, and the target is borrowed exclusively.
        || unsafe { update_in_order::<F, T, I, V>(&job) },
        // SAFETY: as above, on this GPU.
        |launcher| unsafe { cuda::update::<Code<I, V>, F, T>(launcher, &plan, &request.inputs.list, first.addr() as u64, len) },
    )
}

/// The code of the pairs of indices and values.
type Code<I, V> = <(I, V) as Expression>::Code;

/// What an update on the CPU works on.
struct CpuJob<'j, T> {
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    target: *mut T,
    len: usize,
}

// SAFETY: one worker uses it.
unsafe impl<T> Sync for CpuJob<'_, T> {}

/// # Safety
///
/// The plan's operands are the inputs, in host memory and as large as it says. Nothing else uses the target, which has `len`
/// elements.
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
                    element.write(F::call(thread, (element.read(), value))?);
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
