//! Reductions on the CPU.
//!
//! The elements are distributed over tasks whose number and size depend only on the shape, so the result is the same on every machine, with
//! any number of workers. A task computes runs of consecutive elements, as every array function does:
//!
//! * Along the last axis, the part of a run that belongs to one row is folded with [`LANES`] accumulators, which are vector
//!   registers. What the runs of a row give is folded pairwise.
//! * Along any other axis, a run lies across the columns, and each element goes to the accumulator of its column.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::cascade::Cascade;
use super::fold::{Columns, Cut, Folds};
use super::partition::Parts;
use crate::backend::cpu::{self, Stop, Thread};
use crate::failure::{KernelFailure, Work};
use crate::ufunc::axis::AxisShape;
use crate::ufunc::code::Row;
use crate::ufunc::cpu::{Buffers, GRAIN, RUN, prepare_rows};
use crate::ufunc::input::Input;
use crate::ufunc::item::{MAX_COMPONENTS, Targets};
use crate::ufunc::plan::Plan;
use crate::ufunc::{Item, ReduceFunction};

/// Tasks that are enough for any number of workers; more would only give more partial results.
const TASKS: usize = 256;

/// Columns of a task, where there are more: their accumulators stay in the second cache, and what is read of a row is long
/// enough for the processor to fetch ahead.
const COLUMNS: usize = 16 * RUN;

/// Rows of a part at least, so that partial results are few beside the elements.
const ROWS: usize = 16;

/// What the tasks share.
struct Job<'j, I> {
    folds: Folds<I>,
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    axis: AxisShape,
    targets: Targets,
}

// SAFETY: inputs are only read, and every result is written by one task.
unsafe impl<I> Sync for Job<'_, I> {}

/// Folds the elements of an expression, of which `folds` are, along the reduced axis, which has some, and stores the results at `outputs`, in
/// C order.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the expression names and in host memory, as large as it says; its shape is that of
/// `axis`. The outputs have room for the results, and nothing else uses them.
pub(super) unsafe fn reduce_axis<F: ReduceFunction>(
    folds: Folds<F::Output>,
    plan: &Plan,
    inputs: &[Input<'_>],
    axis: AxisShape,
    outputs: &[*mut u8],
) -> Result<(), KernelFailure> {
    if axis.results() == 0 {
        return Ok(());
    }
    let mut targets = [std::ptr::null_mut(); MAX_COMPONENTS];
    targets[..outputs.len()].copy_from_slice(outputs);
    let job = Job { folds, plan, inputs, axis, targets };
    if axis.inner <= RUN && axis.len * axis.inner <= GRAIN {
        // SAFETY: the caller guarantees the same.
        unsafe { reduce_slabs::<F>(&job) }
    } else {
        // SAFETY: the caller guarantees the same.
        unsafe { reduce_parts::<F>(&job) }
    }
}

/// For results of few elements: a task folds all that some outer indices have.
///
/// # Safety
///
/// As for [`reduce_axis`].
unsafe fn reduce_slabs<F: ReduceFunction>(job: &Job<'_, F::Output>) -> Result<(), KernelFailure> {
    let AxisShape { outer, len: reduced, inner } = job.axis;
    let slab = reduced * inner;
    cpu::for_each_range(F::NAME, Work::Fold, outer, GRAIN / slab, &|thread, range| {
        let store = |result: usize, item: F::Output| {
            // SAFETY: the caller guarantees the targets, and this task has the outer indices of the results.
            unsafe { item.store(&job.targets, range.start * inner + result) };
        };
        let mut task = Task::<F>::new(job, thread);
        let elements = range.start * slab..range.end * slab;
        // SAFETY: these are elements of the plan.
        unsafe { if inner == 1 { task.fold_rows(elements, reduced, store) } else { task.fold_columns(elements, reduced, inner, store) } }
    })
}

/// For results of many elements, or many results side by side: a task folds a part of the axis for one outer index and some of
/// the columns. Then the parts of each result are folded.
///
/// # Safety
///
/// As for [`reduce_axis`].
unsafe fn reduce_parts<F: ReduceFunction>(job: &Job<'_, F::Output>) -> Result<(), KernelFailure> {
    let AxisShape { outer, len: reduced, inner } = job.axis;
    let width = inner.min(COLUMNS);
    let tiles = inner.div_ceil(width);
    let Parts { count, chunk } = Parts::new(reduced, TASKS.div_ceil(outer.saturating_mul(tiles)), (GRAIN / width).max(ROWS));

    let mut partials: Vec<MaybeUninit<F::Output>> = Vec::new();
    if count > 1 {
        partials.reserve_exact(outer * count * inner);
    }
    let room = Shared(partials.as_mut_ptr());
    let room = &room;
    cpu::for_each_range(F::NAME, Work::Fold, outer * count * tiles, 1, &|thread, tasks| {
        let (part, tile) = (tasks.start / tiles, tasks.start % tiles);
        let rows = part % count * chunk..reduced.min((part % count + 1) * chunk);
        let columns = tile * width..inner.min((tile + 1) * width);
        let store = |column: usize, item: F::Output| {
            let index = part * inner + column;
            // SAFETY: there is room for each part and column, and this task has these. A single part is the result.
            unsafe { if count > 1 { room.0.add(index).write(MaybeUninit::new(item)) } else { item.store(&job.targets, index) } };
        };
        let mut task = Task::<F>::new(job, thread);
        let first = (part / count * reduced + rows.start) * inner;
        let elements = first..first + rows.len() * inner;
        // SAFETY: these are elements of the plan.
        unsafe {
            if inner == 1 {
                task.fold_rows(elements, rows.len(), store)
            } else if inner <= RUN {
                task.fold_columns(elements, rows.len(), inner, store)
            } else {
                task.fold_tile(elements, columns.clone(), store)
            }
        }
    })?;
    if count == 1 {
        return Ok(());
    }

    // SAFETY: no task failed, so each wrote what it had, and nobody writes any more.
    let partial = move |index: usize| unsafe { room.0.add(index).read().assume_init() };
    cpu::for_each_range(F::NAME, Work::Fold, outer * inner, (GRAIN / count).max(1), &|thread, results| {
        let combine = |a, b| F::combine(thread, a, b);
        let (mut cascade, mut columns) = (Cascade::default(), Vec::new());
        let mut result = results.start;
        while result < results.end {
            let (outer, column) = (result / inner, result % inner);
            let width = (results.end - result).min(inner - column);
            let first = outer * count * inner + column;
            if inner == 1 {
                (0..count).try_for_each(|part| cascade.push(partial(first + part), combine))?;
                columns.extend(cascade.finish(combine)?);
            } else {
                columns.extend((0..width).map(|column| partial(first + column)));
                for part in 1..count {
                    for (column, item) in columns.iter_mut().enumerate() {
                        *item = combine(*item, partial(first + part * inner + column))?;
                    }
                }
            }
            for item in columns.drain(..) {
                // SAFETY: the caller guarantees the targets, and this range has the result.
                unsafe { item.store(&job.targets, result) };
                result += 1;
            }
        }
        Ok(())
    })
}

/// A pointer that tasks share.
struct Shared<T>(*mut T);

// SAFETY: each task uses places of its own.
unsafe impl<T: Send> Sync for Shared<T> {}

/// What a task keeps while it folds.
struct Task<'t, F: ReduceFunction> {
    job: &'t Job<'t, F::Output>,
    thread: &'t Thread<'t>,
    buffers: Buffers,
    /// What the parts of a run give, or an accumulator for each column.
    items: Vec<F::Output>,
}

impl<'t, F: ReduceFunction> Task<'t, F> {
    fn new(job: &'t Job<'t, F::Output>, thread: &'t Thread<'t>) -> Self {
        Self { job, thread, buffers: Buffers::new(job.inputs.len()), items: Vec::new() }
    }

    /// Folds each `len` consecutive elements into one.
    ///
    /// # Safety
    ///
    /// The plan has these elements, and its inputs are in host memory.
    unsafe fn fold_rows(&mut self, elements: Range<usize>, len: usize, mut emit: impl FnMut(usize, F::Output)) -> Result<(), Stop> {
        let thread = self.thread;
        let combine = |a, b| F::combine(thread, a, b);
        let mut cascade = Cascade::default();
        let (mut number, mut end) = (0, elements.start + len);
        // Runs of whole rows, where these are short.
        for run in runs(elements, RUN / len * len) {
            let cut = Cut { run: run.len(), end: end - run.start, len };
            // SAFETY: the caller guarantees the elements.
            unsafe { (self.job.folds.rows)(prepare(self.job, &mut self.buffers, &run), cut, thread, &mut self.items)? };
            for item in self.items.drain(..) {
                if end > run.end {
                    cascade.push(item, combine)?;
                    continue;
                }
                let earlier = cascade.finish(combine)?;
                emit(number, if let Some(earlier) = earlier { combine(earlier, item)? } else { item });
                (number, end) = (number + 1, end + len);
            }
        }
        Ok(())
    }

    /// Folds each `height` consecutive rows of `width` elements, at most a run, into one row.
    ///
    /// # Safety
    ///
    /// As for [`fold_rows`](Self::fold_rows).
    unsafe fn fold_columns(
        &mut self,
        elements: Range<usize>,
        height: usize,
        width: usize,
        mut emit: impl FnMut(usize, F::Output),
    ) -> Result<(), Stop> {
        let slab = height * width;
        let (mut number, mut end) = (0, elements.start + slab);
        // Runs of whole slabs, or at least of whole rows.
        for run in runs(elements, if slab <= RUN { RUN / slab * slab } else { RUN / width * width }) {
            let cut = Cut { run: run.len(), end: end - run.start, len: slab };
            let columns = Columns { accumulators: &mut self.items, first: 0, width };
            // SAFETY: the caller guarantees the elements; the parts are whole rows, as the run is.
            unsafe { (self.job.folds.columns)(prepare(self.job, &mut self.buffers, &run), cut, columns, self.thread)? };
            let complete = if end > run.end { 0 } else { (run.end - end) / slab + 1 };
            for item in self.items.drain(..complete * width) {
                emit(number, item);
                number += 1;
            }
            end += complete * slab;
        }
        Ok(())
    }

    /// Folds some columns of whole rows.
    ///
    /// # Safety
    ///
    /// As for [`fold_rows`](Self::fold_rows).
    unsafe fn fold_tile(&mut self, rows: Range<usize>, columns: Range<usize>, mut emit: impl FnMut(usize, F::Output)) -> Result<(), Stop> {
        for start in rows.step_by(self.job.axis.inner) {
            for run in runs(start + columns.start..start + columns.end, RUN) {
                let (first, width) = (run.start - start - columns.start, run.len());
                let columns = Columns { accumulators: &mut self.items, first, width };
                let cut = Cut { run: width, end: width, len: width };
                // SAFETY: the caller guarantees the elements; the part is a row, as the run is.
                unsafe { (self.job.folds.columns)(prepare(self.job, &mut self.buffers, &run), cut, columns, self.thread)? };
            }
        }
        self.items.drain(..).zip(columns).for_each(|(item, column)| emit(column, item));
        Ok(())
    }
}

/// The rows of all inputs for a run.
///
/// # Safety
///
/// The plan has these elements, and its inputs are in host memory.
unsafe fn prepare<'b, I>(job: &Job<'_, I>, buffers: &'b mut Buffers, run: &Range<usize>) -> &'b [Row] {
    // SAFETY: the caller guarantees the same.
    unsafe { prepare_rows(job.plan, job.inputs, buffers, run) }
}

/// `elements` in runs, of `len` elements unless that is none.
fn runs(elements: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    let len = if len == 0 { RUN } else { len };
    let end = elements.end;
    elements.step_by(len).map(move |first| first..end.min(first + len))
}
