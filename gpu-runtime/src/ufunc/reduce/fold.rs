//! The two loops of reductions on the CPU, which rustc vectorises where the function allows it.

use std::marker::PhantomData;
use std::ops::Range;

use crate::backend::cpu::{Stop, Thread};
use crate::ufunc::code::{Row, Rows};
use crate::ufunc::cpu::{VectorLoop, vectorised};
use crate::ufunc::{Code, ReduceFunction};

/// Accumulators of a row: enough vectors of any type to hide how long an addition takes.
const LANES: usize = 32;

/// A run in parts.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// The elements of the run.
    pub(super) run: usize,
    /// Where the first part ends, which may be after the run.
    pub(super) end: usize,
    /// The elements of the other parts.
    pub(super) len: usize,
}

impl Cut {
    /// The parts. The last may be cut off by the end of the run.
    #[inline(always)]
    fn parts(self) -> impl Iterator<Item = Range<usize>> {
        let Self { run, mut end, len } = self;
        let mut at = 0;
        std::iter::from_fn(move || {
            let part = at..run.min(end);
            (at, end) = (part.end, end.wrapping_add(len));
            (!part.is_empty()).then_some(part)
        })
    }
}

type FoldIntoItems<I> = unsafe fn(&[Row], Cut, &Thread<'_>, &mut Vec<I>) -> Result<(), Stop>;
type FoldIntoColumns<I> = unsafe fn(&[Row], Cut, Columns<'_, I>, &Thread<'_>) -> Result<(), Stop>;

/// What folds the elements of a run of an expression, whose type is forgotten. So what cuts arrays into runs and keeps their results is
/// compiled for each function, and not for each expression.
#[derive(Clone, Copy)]
pub(super) struct Folds<I> {
    /// [`fold_rows`].
    pub(super) rows: FoldIntoItems<I>,
    /// [`fold_columns`].
    pub(super) columns: FoldIntoColumns<I>,
}

impl<I> Folds<I> {
    /// Those of the elements of `C` with `F`.
    pub(super) fn of<F: ReduceFunction<Output = I>, C: Code<Item = I>>() -> Self {
        Self { rows: fold_rows::<F, C>, columns: fold_columns::<F, C> }
    }
}

/// Folds each part into one, which is added to `folded`.
///
/// # Safety
///
/// The rows are of the run, of the types that `C` names.
unsafe fn fold_rows<F: ReduceFunction, C: Code<Item = F::Output>>(
    rows: &[Row],
    cut: Cut,
    thread: &Thread<'_>,
    folded: &mut Vec<F::Output>,
) -> Result<(), Stop> {
    // SAFETY: the caller guarantees the rows.
    unsafe { vectorised(FoldRows::<F, C> { row: C::row(&mut Rows(rows.iter())), cut, folded, thread, function: PhantomData }) }
}

/// Folds the rows of each part into one.
///
/// # Safety
///
/// As for [`fold_rows`], and the parts are whole rows of `width` elements.
unsafe fn fold_columns<F: ReduceFunction, C: Code<Item = F::Output>>(
    rows: &[Row],
    cut: Cut,
    columns: Columns<'_, F::Output>,
    thread: &Thread<'_>,
) -> Result<(), Stop> {
    // SAFETY: the caller guarantees the rows.
    unsafe { vectorised(FoldColumns::<F, C> { row: C::row(&mut Rows(rows.iter())), cut, columns, thread }) }
}

struct FoldRows<'t, F: ReduceFunction, C: Code> {
    row: C::Row,
    cut: Cut,
    folded: &'t mut Vec<F::Output>,
    thread: &'t Thread<'t>,
    function: PhantomData<F>,
}

impl<F: ReduceFunction, C: Code<Item = F::Output>> VectorLoop for FoldRows<'_, F, C> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    unsafe fn run(self) -> Self::Output {
        let Self { row, cut, folded, thread, .. } = self;
        // SAFETY: the caller guarantees the run.
        let element = |i: usize| unsafe { C::at(row, i, thread) };
        let combine = |a, b| F::combine(thread, a, b);
        for part in cut.parts() {
            let first = element(part.start)?;
            if part.len() < LANES {
                folded.push((part.start + 1..part.end).try_fold(first, |folded, i| combine(folded, element(i)?))?);
                continue;
            }
            let mut lanes = [first; LANES];
            for (lane, item) in lanes.iter_mut().enumerate().skip(1) {
                *item = element(part.start + lane)?;
            }
            let mut at = part.start + LANES;
            while at + LANES <= part.end {
                for (lane, item) in lanes.iter_mut().enumerate() {
                    *item = combine(*item, element(at + lane)?)?;
                }
                at += LANES;
            }
            for (lane, i) in (at..part.end).enumerate() {
                lanes[lane] = combine(lanes[lane], element(i)?)?;
            }
            let mut width = LANES / 2;
            while width > 0 {
                for lane in 0..width {
                    lanes[lane] = combine(lanes[lane], lanes[lane + width])?;
                }
                width /= 2;
            }
            folded.push(lanes[0]);
        }
        Ok(())
    }
}

/// Accumulators of columns.
pub(super) struct Columns<'t, I> {
    /// They grow: where those of a part are missing, its first row becomes them.
    pub(super) accumulators: &'t mut Vec<I>,
    /// Where those of the first part begin; those of the next follow them.
    pub(super) first: usize,
    /// How many a part has.
    pub(super) width: usize,
}

struct FoldColumns<'t, F: ReduceFunction, C: Code> {
    row: C::Row,
    cut: Cut,
    columns: Columns<'t, F::Output>,
    thread: &'t Thread<'t>,
}

impl<F: ReduceFunction, C: Code<Item = F::Output>> VectorLoop for FoldColumns<'_, F, C> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    unsafe fn run(self) -> Self::Output {
        let Self { row, cut, columns: Columns { accumulators, mut first, width }, thread } = self;
        // SAFETY: the caller guarantees the run.
        let element = |i: usize| unsafe { C::at(row, i, thread) };
        for part in cut.parts() {
            let mut at = part.start;
            if accumulators.len() == first {
                for column in 0..width {
                    accumulators.push(element(at + column)?);
                }
                at += width;
            }
            let columns = &mut accumulators[first..first + width];
            while at < part.end {
                for (column, item) in columns.iter_mut().enumerate() {
                    *item = F::combine(thread, *item, element(at + column)?)?;
                }
                at += width;
            }
            first += width;
        }
        Ok(())
    }
}
