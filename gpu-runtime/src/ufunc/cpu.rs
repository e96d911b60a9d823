//! Array expressions on the CPU: a loop over runs of elements that rustc vectorises.
//!
//! Elements are computed in C order, in runs. For a run, every input is either one value or consecutive elements: those of
//! an array that is accessed so already, or copies of its elements in a buffer that stays in the first cache. The loop
//! body therefore knows no strides and no shapes, and becomes vector instructions, of the widest kind the processor has.

use std::ops::Range;
use std::ptr::null_mut;

use super::blocks::{Block, Blocks};
use super::code::{Row, Rows};
use super::cuda::BLOCK;
use super::input::{Input, InputKind};
use super::item::MAX_COMPONENTS;
use super::pieces::{Piece, Pieces};
use super::plan::{Access, Operand, Plan};
use super::turn::Turned;
use super::{Code, Item};
use crate::backend::cpu::{self, Stop, Thread};
use crate::failure::{KernelFailure, Work};

/// The most elements of a run that uses buffers: with a handful of inputs in them, as many as the first cache holds.
pub(super) const RUN: usize = 1024;

/// Elements that a worker takes at a time.
pub(super) const GRAIN: usize = 32 * RUN;

/// The largest element, in bytes.
const ELEMENT_BYTES: usize = 16;

/// Room for the elements of a run, aligned for every element type and vector register.
#[repr(align(64))]
struct Buffer([u8; RUN * ELEMENT_BYTES]);

/// What the workers share of a run over all elements.
struct Job<'j> {
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    outputs: &'j [*mut u8],
}

impl Job<'_> {
    /// The most elements of a run: whole periods of an input that repeats them, so that its buffer stays as it is.
    fn run_len(&self) -> usize {
        let periods = || self.plan.operands[..self.inputs.len()].iter().filter_map(|operand| self.plan.period(operand));
        periods().find(|&period| period <= RUN).map_or(RUN, |period| RUN / period * period)
    }

    /// The runs of a range. With buffers, they have a limited length and end at the ends of long rows, so that parts of rows are used where
    /// they are.
    fn runs(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let most = if self.needs_buffers() { self.run_len() } else { range.len() };
        let row = self.plan.extents.last().copied().filter(|&row| self.needs_buffers() && row > most).unwrap_or(usize::MAX);
        let mut rest = range;
        std::iter::from_fn(move || {
            let to_row_end = row - rest.start % row;
            let run = rest.start..rest.start + rest.len().min(most).min(to_row_end);
            rest.start = run.end;
            (!run.is_empty()).then_some(run)
        })
    }

    /// Whether the elements of any operand do not lie in memory as the loop wants them.
    fn needs_buffers(&self) -> bool {
        let (of_inputs, of_outputs) = self.plan.operands.split_at(self.inputs.len());
        let is_buffered = |(input, operand): (&Input<'_>, &Operand)| match input.kind {
            InputKind::Scalar { .. } => false,
            InputKind::Index { .. } => true,
            _ => operand.access != Access::Flat,
        };
        self.inputs.iter().zip(of_inputs).any(is_buffered) || of_outputs.iter().any(|operand| operand.access == Access::Strided)
    }
}

// SAFETY: inputs are only read, and every element of an output is written by one worker.
unsafe impl Sync for Job<'_> {}

/// [`map`] of an expression.
pub(super) type Map = unsafe fn(&Plan, &[Input<'_>], &[*mut u8]) -> Result<(), KernelFailure>;

/// Computes the elements of `C` and stores them at `outputs`.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that `C` names and in host memory, and then `outputs`, which nothing else
/// uses, and all of them are as large as it says.
pub(super) unsafe fn map<C: Code>(plan: &Plan, inputs: &[Input<'_>], outputs: &[*mut u8]) -> Result<(), KernelFailure> {
    let job = Job { plan, inputs, outputs };
    let job = &job;
    if let Some(blocks) = Blocks::of(plan) {
        return cpu::for_each_range(C::NAME, Work::Elements { width: BLOCK }, blocks.count(), 1, &|thread, range| {
            let mut buffers = Buffers::new(job.inputs.len() + job.outputs.len());
            for block in range.map(|block| blocks.block(block)) {
                // SAFETY: the caller guarantees the operands.
                unsafe { buffers.turn(job, &blocks, &block) };
                for (row, run) in block.runs().enumerate() {
                    buffers.row = row;
                    // SAFETY: the caller guarantees the operands.
                    unsafe { map_run::<C>(job, &mut buffers, thread, run)? };
                }
            }
            Ok(())
        });
    }
    cpu::for_each_range(C::NAME, Work::Elements { width: BLOCK }, plan.len, GRAIN, &|thread, range| {
        let mut buffers = Buffers::new(job.inputs.len() + job.outputs.len());
        for run in job.runs(range) {
            // SAFETY: the caller guarantees the operands.
            unsafe { map_run::<C>(job, &mut buffers, thread, run)? };
        }
        Ok(())
    })
}

/// Buffers, made when first used.
pub(super) struct Buffers {
    of_runs: Vec<Option<Box<Buffer>>>,
    /// Of the inputs that repeat their elements, where in the period the buffer begins, and how many elements it has.
    repeated: Vec<Option<(usize, usize)>>,
    /// The inputs that follow another axis, for a whole block, and which of its rows is computed.
    of_blocks: Vec<Option<Turned>>,
    row: usize,
}

impl Buffers {
    pub(super) fn new(operands: usize) -> Self {
        let (of_runs, of_blocks) = ((0..operands).map(|_| None).collect(), (0..operands).map(|_| None).collect());
        Self { of_runs, repeated: vec![None; operands], of_blocks, row: 0 }
    }

    fn get(&mut self, operand: usize) -> *mut u8 {
        self.of_runs[operand].get_or_insert_with(|| Box::new(Buffer([0; RUN * ELEMENT_BYTES]))).0.as_mut_ptr()
    }

    /// Copies what inputs have of a block, if they follow the axis of its rows.
    ///
    /// # Safety
    ///
    /// As for [`map`].
    unsafe fn turn(&mut self, job: &Job<'_>, blocks: &Blocks<'_>, block: &Block) {
        for (number, (input, operand)) in job.inputs.iter().zip(&job.plan.operands).enumerate() {
            if let (Some(first), Some(of_rows)) = (input.kind.pointer(), blocks.turn(operand))
                && let Some(Piece { offset, stride, .. }) = Pieces::new(job.plan, operand, block.start..block.start + 1).next()
            {
                let first = first.wrapping_offset(offset * input.size as isize);
                // SAFETY: the caller guarantees the elements of the input, of which these are some.
                unsafe {
                    let turned = self.of_blocks[number].get_or_insert_with(|| Turned::new(input.size));
                    turned.fill(first, input.size, [block.rows, block.columns], [of_rows, stride]);
                }
            }
        }
    }

    /// The elements of an input in the row, if the block was copied.
    fn turned_row(&self, operand: usize, size: usize) -> Option<Row> {
        self.of_blocks[operand].as_ref().map(|turned| Row::Elements(turned.row(self.row, size)))
    }
}

/// # Safety
///
/// As for [`map`].
unsafe fn map_run<C: Code>(job: &Job<'_>, buffers: &mut Buffers, thread: &Thread<'_>, run: Range<usize>) -> Result<(), Stop> {
    // SAFETY: the caller guarantees the inputs.
    let row = unsafe { prepare_row::<C>(job.plan, job.inputs, buffers, run.clone()) };
    let of_outputs = &job.plan.operands[job.inputs.len()..];
    let mut targets = [null_mut(); MAX_COMPONENTS];
    let mut is_buffered = [false; MAX_COMPONENTS];
    for (number, (operand, component)) in of_outputs.iter().zip(C::Item::COMPONENTS).enumerate() {
        let in_place = in_place(job.plan, operand, &run);
        is_buffered[number] = in_place.is_none();
        targets[number] = match in_place {
            Some(offset) => job.outputs[number].wrapping_offset(offset * component.size as isize),
            None => buffers.get(job.inputs.len() + number),
        };
    }
    let store = move |i, item: C::Item| {
        // SAFETY: the targets are of this run.
        unsafe { item.store(&targets, i) };
        Ok(())
    };
    // SAFETY: the rows are of this run.
    unsafe { vectorised(ForEach::<C, _> { row, run: run.clone(), thread, each: store })? };
    for (number, (operand, component)) in of_outputs.iter().zip(C::Item::COMPONENTS).enumerate() {
        if is_buffered[number] {
            let (buffer, first) = (targets[number], job.outputs[number]);
            // SAFETY: the buffer holds the run; the caller guarantees the output.
            unsafe {
                match component.size {
                    1 => scatter::<u8>(buffer, first, operand, job.plan, run.clone()),
                    2 => scatter::<u16>(buffer, first, operand, job.plan, run.clone()),
                    4 => scatter::<u32>(buffer, first, operand, job.plan, run.clone()),
                    8 => scatter::<[u32; 2]>(buffer, first, operand, job.plan, run.clone()),
                    _ => scatter::<[u64; 2]>(buffer, first, operand, job.plan, run.clone()),
                }
            }
        }
    }
    Ok(())
}

/// Computes the elements of a run, at most [`RUN`], and calls `each` with the index in the run and the element.
///
/// # Safety
///
/// The plan's first operands are `inputs`, of the types that `C` names, in host memory and as large as it says. The buffers
/// are for as many operands.
pub(super) unsafe fn for_each_element<C: Code>(
    plan: &Plan,
    inputs: &[Input<'_>],
    buffers: &mut Buffers,
    thread: &Thread<'_>,
    run: Range<usize>,
    each: impl FnMut(usize, C::Item) -> Result<(), Stop>,
) -> Result<(), Stop> {
    // SAFETY: the caller guarantees the inputs, and the rows are of this run.
    unsafe {
        let row = prepare_row::<C>(plan, inputs, buffers, run.clone());
        vectorised(ForEach::<C, _> { row, run, thread, each })
    }
}

/// The rows of all inputs for a run.
///
/// # Safety
///
/// As for [`for_each_element`].
pub(super) unsafe fn prepare_row<C: Code>(plan: &Plan, inputs: &[Input<'_>], buffers: &mut Buffers, run: Range<usize>) -> C::Row {
    let mut rows = Vec::with_capacity(inputs.len());
    for (number, input) in inputs.iter().enumerate() {
        let operand = &plan.operands[number];
        if let Some(row) = buffers.turned_row(number, input.size) {
            rows.push(row);
            continue;
        }
        if let (Some(first), Some(offset)) = (input.kind.pointer(), in_place(plan, operand, &run)) {
            rows.push(Row::Elements(first.wrapping_offset(offset * input.size as isize)));
            continue;
        }
        let place = plan.period(operand).map(|period| run.start % period);
        if place.is_some_and(|place| buffers.repeated[number].is_some_and(|(filled, len)| filled == place && run.len() <= len)) {
            rows.push(Row::Elements(buffers.get(number)));
            continue;
        }
        buffers.repeated[number] = place.map(|place| (place, run.len()));
        // SAFETY: the caller guarantees the input.
        rows.push(unsafe { prepare(input, operand, plan, run.clone(), || buffers.get(number)) });
    }
    // SAFETY: there is a row for each input, in order.
    unsafe { C::row(&mut Rows(rows.iter())) }
}

/// Where the elements of a run are in an operand, if they are next to each other: how many elements after its first.
fn in_place(plan: &Plan, operand: &Operand, run: &Range<usize>) -> Option<isize> {
    match operand.access {
        Access::Flat => Some(run.start as isize),
        Access::Fixed => (run.len() == 1).then_some(0),
        Access::Strided if operand.strides.last() == Some(&1) => {
            Pieces::new(plan, operand, run.clone()).next().filter(|piece| piece.len == run.len()).map(|piece| piece.offset)
        }
        Access::Strided => None,
    }
}

/// The row of an input for a run, whose elements are not next to each other in memory.
///
/// # Safety
///
/// The input is as the plan says.
unsafe fn prepare(input: &Input<'_>, operand: &Operand, plan: &Plan, run: Range<usize>, buffer: impl FnOnce() -> *mut u8) -> Row {
    let first = match input.kind {
        InputKind::Scalar { bits } => return Row::Value(bits),
        InputKind::Device { pointer, .. } | InputKind::Host { pointer } | InputKind::Uploaded { pointer } => pointer,
        InputKind::Index { first } => {
            let buffer = buffer();
            for Piece { at, len, offset, stride } in Pieces::new(plan, operand, run) {
                for i in 0..len {
                    let index = first.wrapping_add_signed(offset + i as isize * stride);
                    // SAFETY: the buffer has room for a run of 8-byte elements.
                    unsafe { buffer.cast::<usize>().add(at + i).write(index) };
                }
            }
            return Row::Elements(buffer);
        }
    };
    let buffer = buffer();
    // SAFETY: the buffer has room for a run; the caller guarantees the input.
    unsafe {
        match input.size {
            1 => gather::<u8>(first, buffer, operand, plan, run),
            2 => gather::<u16>(first, buffer, operand, plan, run),
            4 => gather::<u32>(first, buffer, operand, plan, run),
            // Complex numbers of two `f32` are aligned as these.
            8 => gather::<[u32; 2]>(first, buffer, operand, plan, run),
            _ => gather::<[u64; 2]>(first, buffer, operand, plan, run),
        }
    }
    Row::Elements(buffer)
}

/// Copies the elements of a run to `buffer`; `W` has their size, and no larger alignment.
///
/// # Safety
///
/// As for [`prepare`], and `buffer` has room.
unsafe fn gather<W: Copy>(first: *const u8, buffer: *mut u8, operand: &Operand, plan: &Plan, run: Range<usize>) {
    let (first, buffer) = (first.cast::<W>(), buffer.cast::<W>());
    for Piece { at, len, offset, stride } in Pieces::new(plan, operand, run) {
        let (source, target) = (first.wrapping_offset(offset), buffer.wrapping_add(at));
        // SAFETY: the offsets are those of elements of the input, and the buffer has room for the run.
        unsafe {
            match stride {
                1 => target.copy_from_nonoverlapping(source, len),
                0 => std::slice::from_raw_parts_mut(target, len).fill(source.read()),
                // With a constant, rustc makes vector instructions of it.
                -1 => (0..len).for_each(|i| target.add(i).write(source.sub(i).read())),
                2 => (0..len).for_each(|i| target.add(i).write(source.add(2 * i).read())),
                _ => (0..len).for_each(|i| target.add(i).write(source.wrapping_offset(i as isize * stride).read())),
            }
        }
    }
}

/// Copies the elements of a run from `buffer` to an output; `W` has their size, and no larger alignment.
///
/// # Safety
///
/// As for [`prepare`], for an output.
unsafe fn scatter<W: Copy>(buffer: *const u8, first: *mut u8, operand: &Operand, plan: &Plan, run: Range<usize>) {
    let (buffer, first) = (buffer.cast::<W>(), first.cast::<W>());
    for Piece { at, len, offset, stride } in Pieces::new(plan, operand, run) {
        let (source, target) = (buffer.wrapping_add(at), first.wrapping_offset(offset));
        // SAFETY: the offsets are those of elements of the output, and no two of an output are the same.
        unsafe {
            match stride {
                1 => target.copy_from_nonoverlapping(source, len),
                _ => (0..len).for_each(|i| target.wrapping_offset(i as isize * stride).write(source.add(i).read())),
            }
        }
    }
}

/// A loop that is worth compiling for the vector instructions of this processor.
pub(crate) trait VectorLoop {
    type Output;

    /// Runs it. Implementations are `#[inline(always)]`, so that they are compiled for whatever calls them.
    ///
    /// # Safety
    ///
    /// What the loop was made of says.
    unsafe fn run(self) -> Self::Output;
}

/// Runs `body`, compiled for the vector instructions of this processor.
///
/// # Safety
///
/// As for [`VectorLoop::run`].
pub(crate) unsafe fn vectorised<L: VectorLoop>(body: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        /// # Safety
        ///
        /// As for `vectorised`, and the processor has these features.
        #[target_feature(enable = "avx2,fma")]
        unsafe fn with_avx2<L: VectorLoop>(body: L) -> L::Output {
            // SAFETY: the caller guarantees the same.
            unsafe { body.run() }
        }
        // SAFETY: the features were just found; the caller guarantees the rest.
        return unsafe { with_avx2(body) };
    }
    // SAFETY: the caller guarantees the same.
    unsafe { body.run() }
}

/// Computes the elements of `run`, of which `row` must be, and calls `each` with the index in the run and the element.
struct ForEach<'t, C: Code, E> {
    row: C::Row,
    run: Range<usize>,
    thread: &'t Thread<'t>,
    each: E,
}

impl<C: Code, E: FnMut(usize, C::Item) -> Result<(), Stop>> VectorLoop for ForEach<'_, C, E> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    unsafe fn run(mut self) -> Result<(), Stop> {
        for i in 0..self.run.len() {
            // SAFETY: the caller guarantees the rows.
            if let Err(Stop) = unsafe { C::at(self.row, i, self.thread) }.and_then(|item| (self.each)(i, item)) {
                self.thread.blame_element(self.run.start + i, BLOCK);
                return Err(Stop);
            }
        }
        Ok(())
    }
}
