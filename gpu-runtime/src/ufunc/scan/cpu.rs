//! Scans on the CPU: chunks of rows in parallel, the same ones for any number of workers.
//!
//! A row here is what lies side by side at one index of the axis, `inners` elements; an accumulator for each makes the scan
//! along any axis a loop over contiguous memory. Where a row is longer than a run, its columns are cut too. Chunks are of
//! consecutive rows and pass over the end of the axis, where the accumulators start anew: many short axes are as good as
//! a long one.

use std::ops::Range;
use std::sync::OnceLock;

use super::Span;
use crate::backend::cpu::{self, Stop, Thread};
use crate::failure::{KernelFailure, Work};
use crate::ufunc::axis::AxisShape;
use crate::ufunc::cpu::{Buffers, FillRun, GRAIN, RUN, prepare_rows};
use crate::ufunc::input::Input;
use crate::ufunc::item::{MAX_COMPONENTS, Targets};
use crate::ufunc::plan::Plan;
use crate::ufunc::{Item, ReduceFunction};

/// How rows and columns are cut: a function of the shape alone.
struct Division {
    axis: AxisShape,
    /// Columns that are taken together.
    width: usize,
    /// Rows that are.
    height: usize,
}

/// Rows and columns that one worker takes.
struct Chunk {
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Division {
    fn new(axis: AxisShape) -> Self {
        let width = axis.inner.min(RUN);
        let mut height = (GRAIN / width).max(1);
        if axis.len <= height {
            // No axis is cut, and there is nothing to fold beforehand.
            height -= height % axis.len;
        }
        Self { axis, width, height }
    }

    fn rows(&self) -> usize {
        self.axis.outer * self.axis.len
    }

    /// How many chunks there are along the rows and along the columns; they are numbered in C order.
    fn chunks(&self) -> [usize; 2] {
        [self.rows().div_ceil(self.height), self.axis.inner.div_ceil(self.width)]
    }

    fn chunk(&self, number: usize) -> Chunk {
        let across = self.chunks()[1];
        let (row, column) = (number / across * self.height, number % across * self.width);
        Chunk { rows: row..self.rows().min(row + self.height), columns: column..self.axis.inner.min(column + self.width) }
    }

    /// The first row of the axis that a chunk leaves unfinished, if it does.
    fn unfinished(&self, chunk: &Chunk) -> Option<usize> {
        let done = chunk.rows.end % self.axis.len;
        (done > 0).then(|| chunk.rows.end - done)
    }
}

/// What the workers share.
struct Job<'j, I> {
    fill: FillRun<I>,
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    division: Division,
    targets: Targets,
}

// SAFETY: inputs are only read, and every element of a target is written by one worker.
unsafe impl<I> Sync for Job<'_, I> {}

impl<I> Job<'_, I> {
    fn targets(&self) -> Targets {
        self.targets
    }
}

/// The accumulators of a chunk's columns. None where no element has been met yet.
type Prefix<F> = Vec<<F as crate::ufunc::ArrayFunction>::Output>;

/// Stores the scan with `F` of an expression, of which `fill` is, at `targets`.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the expression names and in host memory, as large as it says. Each target has
/// room for the elements, and nothing else uses it.
pub(super) unsafe fn scan<F: ReduceFunction>(
    fill: FillRun<F::Output>,
    plan: &Plan,
    inputs: &[Input<'_>],
    axis: AxisShape,
    span: Span,
    targets: &[*mut u8],
) -> Result<(), KernelFailure> {
    let mut all = [std::ptr::null_mut(); MAX_COMPONENTS];
    all[..targets.len()].copy_from_slice(targets);
    let job = &Job { fill, plan, inputs, division: Division::new(axis), targets: all };
    let [down, across] = job.division.chunks();
    // What lies before each chunk, of the axis that it continues with.
    let before: Vec<OnceLock<Prefix<F>>> = (0..down * across).map(|_| OnceLock::new()).collect();
    // SAFETY: the caller guarantees the inputs.
    unsafe { fold_chunks::<F>(job, &before)? };

    cpu::for_each_range(F::NAME, Work::Fold, down * across, 1, &|thread, numbers| {
        let targets = job.targets();
        for number in numbers {
            let chunk = job.division.chunk(number);
            let mut prefix = before[number].get().cloned().unwrap_or_default();
            // SAFETY: the caller guarantees the inputs and targets; each index is passed once.
            unsafe {
                match span {
                    Span::Inclusive => visit::<F>(job, thread, &chunk, &mut prefix, |i, _, after| after.store(&targets, i))?,
                    Span::Exclusive => visit::<F>(job, thread, &chunk, &mut prefix, |i, before, _| before.store(&targets, i))?,
                }
            };
        }
        Ok(())
    })
}

/// Fills in what lies before each chunk that continues with the axis of the one above it.
///
/// # Safety
///
/// As for [`scan`].
unsafe fn fold_chunks<F: ReduceFunction>(job: &Job<'_, F::Output>, before: &[OnceLock<Prefix<F>>]) -> Result<(), KernelFailure> {
    let division = &job.division;
    let [down, across] = division.chunks();
    if (0..down).all(|row| division.unfinished(&division.chunk(row * across)).is_none()) {
        return Ok(());
    }
    let sums: Vec<OnceLock<Prefix<F>>> = before.iter().map(|_| OnceLock::new()).collect();
    cpu::for_each_range(F::NAME, Work::Fold, down * across, 1, &|thread, numbers| {
        for number in numbers {
            let chunk = division.chunk(number);
            if let Some(begin) = division.unfinished(&chunk) {
                let mut prefix = Prefix::<F>::new();
                let tail = Chunk { rows: begin.max(chunk.rows.start)..chunk.rows.end, columns: chunk.columns };
                // SAFETY: the caller guarantees the inputs.
                unsafe { visit::<F>(job, thread, &tail, &mut prefix, |_, _, _| ())? };
                let _ = sums[number].set(prefix);
            }
        }
        Ok(())
    })?;
    cpu::for_each_range(F::NAME, Work::Fold, across, 1, &|thread, columns| {
        for column in columns {
            let mut prefix: Option<Prefix<F>> = None;
            for row in 0..down {
                let number = row * across + column;
                let chunk = division.chunk(number);
                if let Some(prefix) = &prefix {
                    let _ = before[number].set(prefix.clone());
                }
                prefix = match (division.unfinished(&chunk), sums[number].get(), prefix) {
                    (Some(begin), Some(sums), Some(prefix)) if begin < chunk.rows.start => {
                        Some(prefix.iter().zip(sums).map(|(&prefix, &sum)| F::combine(thread, prefix, sum)).collect::<Result<_, _>>()?)
                    }
                    (_, sums, _) => sums.cloned(),
                };
            }
        }
        Ok(())
    })
}

/// Goes through a chunk, and calls `put` for each element with its index and the folds of what comes before it (the
/// identity for nothing, if there is one) and of that with itself.
///
/// # Safety
///
/// As for [`scan`].
unsafe fn visit<F: ReduceFunction>(
    job: &Job<'_, F::Output>,
    thread: &Thread<'_>,
    chunk: &Chunk,
    prefix: &mut Prefix<F>,
    mut put: impl FnMut(usize, F::Output, F::Output),
) -> Result<(), Stop> {
    let AxisShape { len, inner: inners, .. } = job.division.axis;
    let width = chunk.columns.len();
    // Whole rows follow each other in memory.
    let most = if width == inners { (RUN / width).max(1) } else { 1 };
    let mut buffers = Buffers::new(job.inputs.len());
    let mut items: Vec<F::Output> = Vec::with_capacity(RUN);
    let mut row = chunk.rows.start;
    while row < chunk.rows.end {
        let rows = most.min(chunk.rows.end - row);
        let first = row * inners + chunk.columns.start;
        let count = rows * width;
        items.clear();
        // SAFETY: the caller guarantees the inputs; there is room for a run.
        unsafe {
            let run = first..first + count;
            (job.fill)(prepare_rows(job.plan, job.inputs, &mut buffers, &run), run, thread, items.as_mut_ptr())?;
        }
        // SAFETY: all of them were written.
        unsafe { items.set_len(count) };

        let mut done = 0;
        while done < rows {
            let at = (row + done) % len;
            if at == 0 {
                prefix.clear();
            }
            let part = (len - at).min(rows - done);
            let (begin, end) = (done * width, (done + part) * width);
            fold::<F>(thread, &items[begin..end], width, prefix, |i, before, after| {
                // Where there is more than a row, rows follow each other.
                put(first + begin + i, before, after);
            })?;
            done += part;
        }
        row += rows;
    }
    Ok(())
}

/// Folds rows of the same axis into the accumulators.
#[inline]
fn fold<F: ReduceFunction>(
    thread: &Thread<'_>,
    items: &[F::Output],
    width: usize,
    prefix: &mut Prefix<F>,
    mut put: impl FnMut(usize, F::Output, F::Output),
) -> Result<(), Stop> {
    let mut rest = items;
    if prefix.is_empty() {
        let first;
        (first, rest) = items.split_at(width);
        let identity = F::identity();
        for (i, &item) in first.iter().enumerate() {
            put(i, identity.unwrap_or(item), item);
        }
        prefix.extend_from_slice(first);
    }
    let begin = items.len() - rest.len();
    if let [prefix] = prefix.as_mut_slice() {
        // A local: the compiler cannot know that storing elements leaves the accumulator alone.
        let mut before = *prefix;
        for (i, &item) in rest.iter().enumerate() {
            let after = F::combine(thread, before, item)?;
            put(begin + i, before, after);
            before = after;
        }
        *prefix = before;
        return Ok(());
    }
    for (row, items) in rest.chunks_exact(width).enumerate() {
        for (i, (prefix, &item)) in prefix.iter_mut().zip(items).enumerate() {
            let after = F::combine(thread, *prefix, item)?;
            put(begin + row * width + i, *prefix, after);
            *prefix = after;
        }
    }
    Ok(())
}
