//! Counting on the CPU: counts for each worker, added at the end. Whole numbers add up to the same in any order.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Binning;
use crate::backend::cpu::{self, Stop, Thread};
use crate::failure::{KernelFailure, Work};
use crate::ufunc::Code;
use crate::ufunc::cpu::{Buffers, GRAIN, RUN, for_each_element};
use crate::ufunc::folded::Consumer;
use crate::ufunc::input::Input;
use crate::ufunc::plan::Plan;

/// What the workers share.
struct Job<'j, B> {
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    binning: &'j B,
}

// SAFETY: the inputs are only read.
unsafe impl<B: Sync> Sync for Job<'_, B> {}

/// How many elements of `C` are in each bin.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names and in host memory, as large as it says.
pub(super) unsafe fn count<C: Code, B: Binning<C::Item>>(
    plan: &Plan,
    inputs: &[Input<'_>],
    binning: &B,
) -> Result<Vec<u64>, KernelFailure> {
    let job = &Job { plan, inputs, binning };
    // A worker takes the counts that another has left between two ranges: there are never more than workers.
    let idle: Mutex<Vec<Vec<u64>>> = Mutex::default();
    let bins = binning.count();
    // A range has at least as many elements as there are bins, so that making counts does not outweigh counting.
    cpu::for_each_range(B::Name::NAME, Work::Fold, plan.len, GRAIN.max(bins), &|thread, range| {
        let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut counts = taken.unwrap_or_else(|| vec![0; bins]);
        // SAFETY: the caller guarantees the inputs.
        unsafe { job.add_counts::<C>(&mut counts, thread, range)? };
        idle.lock().unwrap_or_else(PoisonError::into_inner).push(counts);
        Ok(())
    })?;
    let mut all = idle.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut sum = all.pop().unwrap_or_else(|| vec![0; bins]);
    for counts in all {
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    Ok(sum)
}

impl<B> Job<'_, B> {
    /// Adds the elements of a range to `counts`.
    ///
    /// # Safety
    ///
    /// As for [`count`].
    unsafe fn add_counts<C: Code>(&self, counts: &mut [u64], thread: &Thread<'_>, range: Range<usize>) -> Result<(), Stop>
    where
        B: Binning<C::Item>,
    {
        let mut buffers = Buffers::new(self.inputs.len());
        for first in range.clone().step_by(RUN) {
            let add = |_, value| {
                if let Some(bin) = self.binning.bin(value, thread)? {
                    counts[bin] += 1;
                }
                Ok(())
            };
            // SAFETY: the caller guarantees the inputs.
            unsafe { for_each_element::<C>(self.plan, self.inputs, &mut buffers, thread, first..range.end.min(first + RUN), add)? };
        }
        Ok(())
    }
}
