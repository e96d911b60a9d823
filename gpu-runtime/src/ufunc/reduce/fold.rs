//! The two loops of reductions on the CPU, which rustc vectorises where the function allows it.

use std::marker::PhantomData;
use std::ops::Range;

use crate::backend::cpu::{Stop, Thread};
use crate::ufunc::cpu::VectorLoop;
use crate::ufunc::{Code, ReduceFunction};

/// Accumulators of a row: enough vectors of any type to hide how long an addition takes.
const LANES: usize = 32;

/// Folds the elements of `range`, at least one, of the run of `row` into one.
pub(super) struct FoldRow<'t, F, C: Code> {
    pub(super) row: C::Row,
    pub(super) range: Range<usize>,
    pub(super) thread: &'t Thread<'t>,
    pub(super) function: PhantomData<F>,
}

impl<F: ReduceFunction, C: Code<Item = F::Output>> VectorLoop for FoldRow<'_, F, C> {
    type Output = Result<F::Output, Stop>;

    #[inline(always)]
    unsafe fn run(self) -> Self::Output {
        let Self { row, range, thread, .. } = self;
        // SAFETY: the caller guarantees the range.
        let element = |i: usize| unsafe { C::at(row, i, thread) };
        let combine = |a, b| F::combine(thread, a, b);
        let first = element(range.start)?;
        if range.len() < LANES {
            return (range.start + 1..range.end).try_fold(first, |folded, i| combine(folded, element(i)?));
        }
        let mut lanes = [first; LANES];
        for (lane, item) in lanes.iter_mut().enumerate().skip(1) {
            *item = element(range.start + lane)?;
        }
        let mut at = range.start + LANES;
        while at + LANES <= range.end {
            for (lane, item) in lanes.iter_mut().enumerate() {
                *item = combine(*item, element(at + lane)?)?;
            }
            at += LANES;
        }
        for (lane, i) in (at..range.end).enumerate() {
            lanes[lane] = combine(lanes[lane], element(i)?)?;
        }
        let mut width = LANES / 2;
        while width > 0 {
            for lane in 0..width {
                lanes[lane] = combine(lanes[lane], lanes[lane + width])?;
            }
            width /= 2;
        }
        Ok(lanes[0])
    }
}

/// Folds the elements of `range` of the run of `row`, which are rows of `width` elements, into the accumulators of as many
/// columns from `first` on. Where those are missing, the first row becomes them.
pub(super) struct FoldColumns<'t, F: ReduceFunction, C: Code> {
    pub(super) row: C::Row,
    pub(super) range: Range<usize>,
    pub(super) width: usize,
    pub(super) columns: &'t mut Vec<F::Output>,
    pub(super) first: usize,
    pub(super) thread: &'t Thread<'t>,
}

impl<F: ReduceFunction, C: Code<Item = F::Output>> VectorLoop for FoldColumns<'_, F, C> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    unsafe fn run(self) -> Self::Output {
        let Self { row, range, width, columns, first, thread } = self;
        // SAFETY: the caller guarantees the range.
        let element = |i: usize| unsafe { C::at(row, i, thread) };
        let mut at = range.start;
        if columns.len() == first {
            for column in 0..width {
                columns.push(element(at + column)?);
            }
            at += width;
        }
        let columns = &mut columns[first..first + width];
        while at < range.end {
            for (column, item) in columns.iter_mut().enumerate() {
                *item = F::combine(thread, *item, element(at + column)?)?;
            }
            at += width;
        }
        Ok(())
    }
}
