//! Counting on the CPU: counts for each worker, added at the end. Whole numbers add up to the same in any order.

use std::sync::{Mutex, PoisonError};

use super::Binning;
use crate::backend::cpu;
use crate::kernel::KernelFailure;
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
    cpu::for_each_range(B::Name::NAME, plan.len, GRAIN.max(bins), |thread, range| {
        let job = job; // All of it, which is `Sync`, rather than the fields that are named below.
        let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut counts = taken.unwrap_or_else(|| vec![0; bins]);
        let mut buffers = Buffers::new(job.inputs.len());
        for first in range.clone().step_by(RUN) {
            let count = |_, value| {
                if let Some(bin) = job.binning.bin(value, thread)? {
                    counts[bin] += 1;
                }
                Ok(())
            };
            // SAFETY: the caller vouches for the inputs.
            unsafe { for_each_element::<C>(job.plan, job.inputs, &mut buffers, thread, first..range.end.min(first + RUN), count)? };
        }
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
