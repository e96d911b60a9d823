//! Array expressions on the CPU: a loop over runs of elements that rustc vectorises.
//!
//! Elements are computed in C order, in runs. For a run, every input is either one value or consecutive elements: those of
//! an array that is accessed so already, or copies of its elements in a buffer that stays in the first cache. The loop
//! body therefore knows no strides and no shapes, and becomes vector instructions, of the widest kind the processor has.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::null_mut;

use super::blocks::{self, Block, Blocks, Turned};
use super::code::{Row, Rows};
use super::cuda::BLOCK;
use super::formula::Formula;
use super::input::{Input, InputKind};
use super::item::{MAX_COMPONENTS, Targets};
use super::pieces::{Piece, Pieces};
use super::plan::{Access, Operand, Plan};
use super::strided::{self, Place};
use super::{Code, Component, Item};
use crate::backend::cpu::{self, Stop, Thread};
use crate::failure::{KernelFailure, Work};

/// The most elements of a run that uses buffers: with a handful of inputs in them, as many as the first cache holds.
pub(super) const RUN: usize = 2048;

/// Elements of a run with buffers, where all operands are in memory: the first cache holds them together, so that a copy is still there
/// when it is read, and the processor fetches what follows in each of them without a pause.
pub(super) const SHORT: usize = 512;

/// Elements that a worker takes at a time.
pub(super) const GRAIN: usize = 32 * RUN;

/// Room for elements: aligned for every element type, which rustc checks, and for vector registers.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(#[allow(dead_code, reason = "only its memory is used")] [MaybeUninit<u8>; 64]);

impl Line {
    /// Room for `len` elements of so many bytes, as the capacity of a vector.
    pub(super) fn room_for(len: usize, size: usize) -> Vec<Self> {
        Vec::with_capacity(len.saturating_mul(size).div_ceil(size_of::<Self>()))
    }
}

/// Computes the elements of a run from their rows and stores them: [`store_run`] of one expression, whose type is erased. So the code that
/// cuts arrays into runs is compiled once, and not for each expression.
pub(super) type StoreRun = unsafe fn(&[Row], Range<usize>, &Thread<'_>, &Targets) -> Result<(), Stop>;

/// What the workers share of a run over all elements.
struct Job<'j> {
    plan: &'j Plan,
    inputs: &'j [Input<'j>],
    outputs: &'j [*mut u8],
    components: &'static [Component],
    store: StoreRun,
}

impl Job<'_> {
    /// The most elements of a run: whole periods of an input that repeats them, so that its buffer stays as it is, else whole rows.
    fn run_len(&self) -> usize {
        let periods = self.plan.operands[..self.inputs.len()].iter().filter_map(|operand| self.plan.period(operand));
        let mut units = periods.filter(|&period| period <= RUN).chain(self.plan.extents.last().copied().filter(|&row| row <= SHORT));
        units.next().map_or(SHORT, |unit| (SHORT / unit).max(1) * unit)
    }

    /// The runs of a range. With buffers, they have a limited length and end at the ends of rows, so that parts of rows are used where they
    /// are, and many short rows are copied at once.
    fn runs(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (most, unit) = if self.needs_buffers() {
            let most = self.run_len();
            (most, self.plan.extents.last().copied().filter(|&row| row > most).unwrap_or(most))
        } else {
            (range.len(), usize::MAX)
        };
        let mut rest = range;
        std::iter::from_fn(move || {
            let run = rest.start..rest.start + rest.len().min(most).min(unit - rest.start % unit);
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

/// Computes the elements of an expression, by its formula and its [`store_run`], and stores them at `outputs`.
///
/// # Safety
///
/// The plan's operands are `inputs`, of the types that the expression names and in host memory, and then `outputs`, which nothing else
/// uses, and all of them are as large as it says.
pub(super) unsafe fn map(
    Formula { name, components, .. }: Formula,
    store: StoreRun,
    plan: &Plan,
    inputs: &[Input<'_>],
    outputs: &[*mut u8],
) -> Result<(), KernelFailure> {
    let job = &Job { plan, inputs, outputs, components, store };
    if let Some(blocks) = Blocks::of(plan) {
        return cpu::for_each_range(name, Work::elements(BLOCK), blocks.count(), blocks.grain(), &|thread, range| {
            let mut buffers = Buffers::new(job.inputs.len() + job.outputs.len());
            let end = range.end;
            for number in range {
                let block = blocks.block(number);
                // SAFETY: the caller guarantees the operands.
                unsafe { buffers.turn(job, &blocks, &block) };
                let next = (number + 1 < end).then(|| blocks.block(number + 1));
                let to_turn: Vec<_> = next.iter().flat_map(|next| turned_inputs(job, &blocks, next)).collect();
                for (row, run) in block.runs() {
                    if let Some(after) = block.after(row, next.as_ref()) {
                        fetch_run(job, after);
                    }
                    if let Some(next) = &next {
                        to_turn.iter().for_each(|&(_, elements, size)| next.fetch(size, elements, &block, row, run.len()));
                    }
                    buffers.first = row * block.pitch;
                    // SAFETY: the caller guarantees the operands.
                    unsafe { map_run(job, &mut buffers, thread, run)? };
                }
            }
            Ok(())
        });
    }
    cpu::for_each_range(name, Work::elements(BLOCK), plan.len, GRAIN, &|thread, range| {
        let mut buffers = Buffers::new(job.inputs.len() + job.outputs.len());
        for run in job.runs(range) {
            // SAFETY: the caller guarantees the operands.
            unsafe { map_run(job, &mut buffers, thread, run)? };
        }
        Ok(())
    })
}

/// Buffers, made when first used.
pub(super) struct Buffers {
    of_runs: Vec<Option<Vec<Line>>>,
    /// Of the inputs that repeat their elements, where in the period the buffer begins, and how many elements it has.
    repeated: Vec<Option<(usize, usize)>>,
    /// The inputs that follow another axis, for a whole block, and which of their elements is computed first.
    of_blocks: Vec<Option<Turned>>,
    first: usize,
    /// The rows of the inputs for the run at hand.
    rows: Vec<Row>,
}

impl Buffers {
    pub(super) fn new(operands: usize) -> Self {
        let (of_runs, of_blocks) = ((0..operands).map(|_| None).collect(), (0..operands).map(|_| None).collect());
        Self { of_runs, repeated: vec![None; operands], of_blocks, first: 0, rows: Vec::with_capacity(operands) }
    }

    /// Room for a run of an operand, whose elements have so many bytes.
    fn get(&mut self, operand: usize, size: usize) -> *mut u8 {
        self.of_runs[operand].get_or_insert_with(|| Line::room_for(RUN, size)).as_mut_ptr().cast()
    }

    /// Copies what inputs have of a block, if they follow the axis of its rows.
    ///
    /// # Safety
    ///
    /// As for [`map`].
    unsafe fn turn(&mut self, job: &Job<'_>, blocks: &Blocks<'_>, block: &Block) {
        for (number, elements, size) in turned_inputs(job, blocks, block) {
            let turned = self.of_blocks[number].get_or_insert_with(|| blocks.room(size));
            // SAFETY: the caller guarantees the elements of the input, of which these are some.
            unsafe { turned.fill(size, elements, block) };
        }
    }

    /// The elements of an input in the row, if the block was copied.
    fn turned_row(&self, operand: usize, size: usize) -> Option<Row> {
        self.of_blocks[operand].as_ref().map(|turned| Row::Elements(turned.from(self.first, size)))
    }
}

/// What the inputs that follow the axis of the rows have of a block: their numbers, elements, and the bytes of an element.
fn turned_inputs(job: &Job<'_>, blocks: &Blocks<'_>, block: &Block) -> impl Iterator<Item = (usize, Place<*const u8>, usize)> {
    job.inputs.iter().zip(&job.plan.operands).enumerate().filter_map(|(number, (input, operand))| {
        let (first, of_rows) = (input.kind.pointer()?, blocks.turn(operand)?);
        let Piece { offset, strides: [_, stride], .. } = Pieces::new(job.plan, operand, block.start..block.start + 1).next()?;
        let first = first.wrapping_offset(offset * input.size as isize);
        Some((number, Place { first, strides: [of_rows, stride] }, input.size))
    })
}

/// Asks for the elements of a run that is not next to the one before, in the operands that have them in place.
fn fetch_run(job: &Job<'_>, run: Range<usize>) {
    let inputs = job.inputs.iter().map(|input| (input.kind.pointer(), input.size));
    let outputs = job.outputs.iter().zip(job.components).map(|(&output, component)| (Some(output.cast_const()), component.size));
    for ((first, size), operand) in inputs.chain(outputs).zip(&job.plan.operands) {
        if let (Some(first), Some(offset)) = (first, in_place(job.plan, operand, &run)) {
            blocks::fetch(first.wrapping_offset(offset * size as isize), run.len() * size);
        }
    }
}

/// # Safety
///
/// As for [`map`].
unsafe fn map_run(job: &Job<'_>, buffers: &mut Buffers, thread: &Thread<'_>, run: Range<usize>) -> Result<(), Stop> {
    let of_outputs = &job.plan.operands[job.inputs.len()..];
    let mut targets = [null_mut(); MAX_COMPONENTS];
    let mut is_buffered = [false; MAX_COMPONENTS];
    for (number, (operand, component)) in of_outputs.iter().zip(job.components).enumerate() {
        let in_place = in_place(job.plan, operand, &run);
        is_buffered[number] = in_place.is_none();
        targets[number] = match in_place {
            Some(offset) => job.outputs[number].wrapping_offset(offset * component.size as isize),
            None => buffers.get(job.inputs.len() + number, component.size),
        };
    }
    // SAFETY: the caller guarantees the inputs; the rows and the targets are of this run.
    unsafe { (job.store)(prepare_rows(job.plan, job.inputs, buffers, &run), run.clone(), thread, &targets)? };
    for (number, (operand, component)) in of_outputs.iter().zip(job.components).enumerate() {
        if is_buffered[number] {
            let (buffer, first) = (targets[number], job.outputs[number]);
            for Piece { at, rows, columns, offset, strides } in Pieces::new(job.plan, operand, run.clone()) {
                let from = Place { first: buffer.wrapping_add(at * component.size).cast_const(), strides: [columns as isize, 1] };
                let to = Place { first: first.wrapping_offset(offset * component.size as isize), strides };
                // SAFETY: the buffer holds the run; the caller guarantees the output.
                unsafe { strided::copy(component.size, from, to, [rows, columns]) };
            }
        }
    }
    Ok(())
}

/// The [`StoreRun`] of an expression.
///
/// # Safety
///
/// The rows are of `run` and of the types that `C` names; the targets have room for the elements, and nothing else uses them.
pub(super) unsafe fn store_run<C: Code>(rows: &[Row], run: Range<usize>, thread: &Thread<'_>, targets: &Targets) -> Result<(), Stop> {
    // A copy: so the optimiser sees that no store changes it.
    let targets = *targets;
    let store = move |i, item: C::Item| {
        // SAFETY: the caller guarantees the targets.
        unsafe { item.store(&targets, i) };
        Ok(())
    };
    // SAFETY: the caller guarantees the rows.
    unsafe { for_each::<C>(rows, run, thread, store) }
}

/// As [`StoreRun`], of elements that are kept as they are: [`fill_run`].
pub(super) type FillRun<I> = unsafe fn(&[Row], Range<usize>, &Thread<'_>, *mut I) -> Result<(), Stop>;

/// The [`FillRun`] of an expression.
///
/// # Safety
///
/// The rows are of `run` and of the types that `C` names; there is room for the elements from `first` on, and nothing else uses it.
pub(super) unsafe fn fill_run<C: Code>(rows: &[Row], run: Range<usize>, thread: &Thread<'_>, first: *mut C::Item) -> Result<(), Stop> {
    let store = move |i, item| {
        // SAFETY: the caller guarantees the room.
        unsafe { first.add(i).write(item) };
        Ok(())
    };
    // SAFETY: the caller guarantees the rows.
    unsafe { for_each::<C>(rows, run, thread, store) }
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
    unsafe { for_each::<C>(prepare_rows(plan, inputs, buffers, &run), run, thread, each) }
}

/// The rows of all inputs for a run.
///
/// # Safety
///
/// The plan's first operands are `inputs`, in host memory and as large as it says. The buffers are for as many operands.
pub(super) unsafe fn prepare_rows<'b>(plan: &Plan, inputs: &[Input<'_>], buffers: &'b mut Buffers, run: &Range<usize>) -> &'b [Row] {
    buffers.rows.clear();
    for (number, (input, operand)) in inputs.iter().zip(&plan.operands).enumerate() {
        // SAFETY: the caller guarantees the input.
        let row = unsafe { row_of(number, input, operand, plan, buffers, run) };
        buffers.rows.push(row);
    }
    &buffers.rows
}

/// The row of the input with that number for a run.
///
/// # Safety
///
/// As for [`for_each_element`].
unsafe fn row_of(number: usize, input: &Input<'_>, operand: &Operand, plan: &Plan, buffers: &mut Buffers, run: &Range<usize>) -> Row {
    if let Some(row) = buffers.turned_row(number, input.size) {
        return row;
    }
    if let (Some(first), Some(offset)) = (input.kind.pointer(), in_place(plan, operand, run)) {
        return Row::Elements(first.wrapping_offset(offset * input.size as isize));
    }
    let place = plan.period(operand).map(|period| run.start % period);
    if place.is_some_and(|place| buffers.repeated[number].is_some_and(|(filled, len)| filled == place && run.len() <= len)) {
        return Row::Elements(buffers.get(number, input.size));
    }
    buffers.repeated[number] = place.map(|place| (place, run.len()));
    // SAFETY: the caller guarantees the input.
    unsafe { prepare(input, operand, plan, run.clone(), || buffers.get(number, input.size)) }
}

/// Where the elements of a run are in an operand, if they are next to each other: how many elements after its first.
fn in_place(plan: &Plan, operand: &Operand, run: &Range<usize>) -> Option<isize> {
    match operand.access {
        Access::Flat => Some(run.start as isize),
        Access::Fixed => (run.len() == 1).then_some(0),
        Access::Strided if operand.strides.last() == Some(&1) => {
            let piece = Pieces::new(plan, operand, run.clone()).next()?;
            let follow = piece.rows == 1 || piece.strides[0] == piece.columns as isize;
            (follow && piece.len() == run.len()).then_some(piece.offset)
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
        InputKind::Scalar { pointer } => return Row::Value(pointer),
        InputKind::Device { pointer, .. } | InputKind::Host { pointer } | InputKind::Uploaded { pointer } => pointer,
        InputKind::Deferred { .. } => unreachable!("it was computed"),
        InputKind::Index { first } => {
            let buffer = buffer();
            Pieces::new(plan, operand, run).offsets().enumerate().for_each(|(i, offset)| {
                // SAFETY: the buffer has room for a run of 8-byte elements.
                unsafe { buffer.cast::<usize>().add(i).write(first.wrapping_add_signed(offset)) };
            });
            return Row::Elements(buffer);
        }
    };
    let buffer = buffer();
    for Piece { at, rows, columns, offset, strides } in Pieces::new(plan, operand, run) {
        let from = Place { first: first.wrapping_offset(offset * input.size as isize), strides };
        let to = Place { first: buffer.wrapping_add(at * input.size), strides: [columns as isize, 1] };
        // SAFETY: the buffer has room for a run; the caller guarantees the input.
        unsafe { strided::copy(input.size, from, to, [rows, columns]) };
    }
    Row::Elements(buffer)
}

/// A loop that is worth compiling for the vector instructions of this processor.
pub(crate) trait VectorLoop {
    type Output;

    /// Runs it. Implementations are `#[inline(always)]`, so that they are compiled for whatever calls them.
    ///
    /// # Safety
    ///
    /// The pointers in the loop are valid for its range; each implementation names them.
    unsafe fn run(self) -> Self::Output;
}

/// Runs `body`, compiled for the vector instructions of this processor. A debug build vectorises nothing, so it compiles each loop once.
///
/// # Safety
///
/// As for [`VectorLoop::run`].
pub(crate) unsafe fn vectorised<L: VectorLoop>(body: L) -> L::Output {
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
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

/// Computes the elements of a run, and calls `each` with the index in the run and the element.
///
/// # Safety
///
/// The rows are of `run` and of the types that `C` names.
unsafe fn for_each<C: Code>(
    rows: &[Row],
    run: Range<usize>,
    thread: &Thread<'_>,
    each: impl FnMut(usize, C::Item) -> Result<(), Stop>,
) -> Result<(), Stop> {
    // SAFETY: the caller guarantees the rows.
    unsafe { vectorised(ForEach::<C, _> { row: C::row(&mut Rows(rows.iter())), run, thread, each }) }
}

/// The loop of [`for_each`].
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
