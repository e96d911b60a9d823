//! Shared memory and barriers.
//!
//! The gradient of a shared array is another [array](super::arrays) in shared memory. It is added to by atomics, unless the proof of the adjoint says that the accesses are ordered. A barrier is a barrier
//! backward, so between two barriers are the same accesses as in the kernel: of an element that one thread has there, or that many read.
//!
//! The values of shared arrays that slopes need must be those of that time. The backward sweep computes blocks again, but it comes to what it reads
//! there when shared memory has other values, and it must not write what other threads still read. So:
//!
//! * What is read outside of loops is kept in a variable by the forward sweep ([`Step::Keep`]). A branch that is entered again does not read or write
//!   shared memory.
//! * A loop without barriers that is gone through again reads shared memory again, and does not write it. So nothing after the loop
//!   may write to the arrays whose values it needs, as far as the same iteration of the loop around it goes: else it is refused.
//! * A loop with barriers is gone through again by the whole block, with all that it writes, from its last iteration to its first. An array of which
//!   each iteration first writes all elements, one for each thread, needs nothing from before. Others have snapshots, as variables that change do: each
//!   thread keeps its share of the elements, so the size of the block must be known. Where no slope needs values, as in a tree of
//!   sums, nothing is computed again.
//! * A barrier in a branch is refused.

use super::own::Element;
use super::reverse::Reverse;
use super::snapshots::{CarriedArray, Shares, Snapshot};
use super::statements::zero_of;
use super::step::{Code, Outside, Step, Var, find_needed};
use crate::idents::word;
use crate::model::*;
use proc_macro2::{Ident, Span};
use std::collections::{HashMap, HashSet};

/// The body of a loop, or of the kernel: what is computed again is computed from its beginning.
#[derive(Default)]
pub(super) struct Frame {
    /// Variables for what branches read from shared memory.
    pub(super) kept: Vec<Step>,
    /// How many branches are around the statement.
    pub(super) branches: usize,
    /// Shared arrays that loops read again in the backward sweep.
    read_again: HashSet<Var>,
    /// Shared arrays of which each thread has written its element, so that all were written in this iteration.
    covered: HashSet<Var>,
    /// Those that may be read before that.
    exposed: HashSet<Var>,
    has_barriers: bool,
    /// A thread may have left it before its end.
    pub(super) has_exits: bool,
}

impl Frame {
    pub(super) fn is_in_branch(&self) -> bool {
        self.branches > 0
    }

    /// At a write. `reads`: of what was there before.
    pub(super) fn store(&mut self, array: Var, reads: bool, covers: bool) {
        if reads {
            self.expose(array);
        }
        if covers {
            self.covered.insert(array);
        }
    }

    /// At a read.
    pub(super) fn expose(&mut self, array: Var) {
        if !self.covered.contains(&array) {
            self.exposed.insert(array);
        }
    }

    /// At a read before anything else in the iteration.
    fn expose_first(&mut self, array: Var) {
        self.exposed.insert(array);
    }
}

impl Reverse<'_> {
    pub(super) fn has_shared_memory(&self) -> bool {
        self.function.locals.iter().any(|local| match local.ty {
            Type::Shared(_) => true,
            Type::Slice { .. } => local.param().is_none(),
            _ => false,
        })
    }

    /// Both sweeps of the body of a loop, or of the kernel.
    pub(super) fn frame(&mut self, run: &mut dyn FnMut(&mut Self)) -> (Vec<Step>, Vec<Step>, Frame) {
        self.frames.push(Frame::default());
        let (mut forward, reverse) = self.block(run);
        let mut frame = self.frames.pop().expect("it was pushed");
        forward.splice(0..0, std::mem::take(&mut frame.kept));
        (forward, reverse, frame)
    }

    pub(super) fn current(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a statement is in the kernel")
    }

    pub(super) fn in_branch<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.current().branches += 1;
        let result = run(self);
        self.current().branches -= 1;
        result
    }

    /// A part of an expression that is not always evaluated, or in the condition of a loop.
    pub(super) fn lazily<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.is_lazy, true);
        let result = run(self);
        self.is_lazy = before;
        result
    }

    /// The variables of all shared arrays, and of their gradients.
    fn shared_vars(&self) -> (Vec<Var>, Vec<Var>) {
        let mut arrays: Vec<_> = self.arrays.values().filter(|array| array.is_shared).collect();
        arrays.sort_by_key(|array| array.var);
        (arrays.iter().map(|array| array.var).collect(), arrays.iter().filter_map(|array| array.gradient).collect())
    }

    /// The gradients of shared arrays.
    pub(super) fn shared_gradients(&self) -> Vec<Var> {
        self.shared_vars().1
    }

    pub(super) fn is_shared(&self, var: Var) -> bool {
        self.versions.contains(&var)
    }

    /// A barrier of the kernel's, or a function that all threads of the block call together.
    pub(super) fn barrier(&mut self, span: Span) -> Option<()> {
        if !self.has_shared_memory() {
            return Some(());
        }
        if self.current().is_in_branch() {
            let message = "the gradient of a kernel: a barrier in a branch, or after an exit of a loop, is not supported\nhelp: move the barrier out of the `if`, which all threads of the block pass";
            return self.refuse(span, message);
        }
        self.frames.iter_mut().for_each(|frame| frame.has_barriers = true);
        self.has_collectives = true;
        let (arrays, gradients) = self.shared_vars();
        let all = [&arrays[..], &gradients].concat();
        self.push(vec![Step::Barrier(arrays)], vec![Step::Barrier(all)]);
        Some(())
    }

    /// At an exit: `if … { return; }` or `continue`.
    pub(super) fn note_exit(&mut self) {
        self.current().has_exits = true;
    }

    /// Refuses to overwrite what the gradient of a loop before reads again.
    pub(super) fn note_store(&mut self, var: Var, span: Span) -> Option<()> {
        if self.current().read_again.contains(&var) {
            let name = self.variables[var.0].name.clone();
            return self.refuse(
                span,
                format!("the gradient of a kernel: this overwrites `{name}`, whose values before are needed for the gradient of a loop above\nhelp: write to another shared array here"),
            );
        }
        Some(())
    }

    /// Whether each thread writes an element, and all elements are written: `s[t] = …` where the block has as many threads as the array has elements.
    pub(super) fn covers(&self, local: LocalId, indices: &[&Expr]) -> bool {
        if self.frames.last().is_none_or(Frame::is_in_branch) || self.frames.iter().any(|frame| frame.has_exits) {
            return false;
        }
        let array = &self.arrays[&local];
        let is_thread = |intrinsic: Intrinsic| matches!(intrinsic, Intrinsic::ThreadIdx);
        let Some(axes) = indices.iter().map(|index| self.axis_of(index, &is_thread)).collect::<Option<Vec<Axis>>>() else { return false };
        match (&axes[..], array.as_long_as_block) {
            ([axis], Some(length)) => *axis == length,
            _ => {
                let is_covered = |(axis, length)| self.is_within_block(axis, length);
                axes.len() == array.lengths.len()
                    && axes.iter().enumerate().all(|(at, axis)| !axes[..at].contains(axis))
                    && !axes.is_empty()
                    && axes.iter().copied().zip(&array.lengths).all(is_covered)
            }
        }
    }

    /// Whether a block has at least that many threads along the axis, by the attribute.
    fn is_within_block(&self, axis: Axis, length: &Length) -> bool {
        let FunctionKind::Kernel(KernelOptions { block: Some(block), .. }) = &self.function.kind else { return false };
        block.get(axis as usize).is_some_and(|extent| match (length.value(), extent.value()) {
            (Some(length), Some(extent)) => length <= extent,
            // A constant in the body may have the name of one outside.
            _ => length == extent && self.function.constants.is_empty(),
        })
    }

    /// The axis, of `thread_idx().x`, say, or of a variable that is that.
    pub(super) fn axis_of(&self, expr: &Expr, is_it: &dyn Fn(Intrinsic) -> bool) -> Option<Axis> {
        let is_base = |base: &Expr| matches!(base.kind, ExprKind::Intrinsic { intrinsic, .. } if is_it(intrinsic));
        match &expr.kind {
            ExprKind::Axis { base, axis, .. } => {
                let init = match base.kind {
                    ExprKind::Local(local) if !self.function.local(local).mutable => self.function.body.initial_value(local)?,
                    _ => base,
                };
                is_base(init).then_some(*axis)
            }
            ExprKind::Local(local) if !self.function.local(*local).mutable => {
                let declared = self.function.body.declaration(*local)?;
                let init = declared.init.as_ref()?;
                match (&declared.pattern.kind, &init.kind) {
                    (PatternKind::Bind { sub: None, .. }, _) => self.axis_of(init, is_it),
                    (PatternKind::Tuple(Sequence { parts, rest: None }), ExprKind::Tuple(values)) if parts.len() == values.len() => {
                        let names_it =
                            |part: &Pattern| matches!(part.kind, PatternKind::Bind { local: bound, sub: None, .. } if bound == *local);
                        self.axis_of(&values[parts.iter().position(names_it)?], is_it)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    // What is computed again.

    /// The shared arrays whose values these steps need, for the gradients.
    pub(super) fn shared_needed(&self, steps: &[Step]) -> Vec<Var> {
        if self.versions.is_empty() {
            return Vec::new();
        }
        let outside = Outside::of(steps);
        let wanted: Vec<Var> = outside.sets.keys().copied().filter(|var| self.variables[var.0].is_gradient).collect();
        let needed = find_needed(steps, wanted);
        needed.into_iter().filter(|var| self.is_shared(*var)).collect()
    }

    /// The steps of a branch, or of a loop without barriers, as they are computed again: without what they do to shared memory.
    pub(super) fn without_stores(&self, mut steps: Vec<Step>) -> Vec<Step> {
        steps.retain(|step| !matches!(step, Step::Element(Element { array, .. }) if self.is_shared(*array)));
        for step in &mut steps {
            step.blocks_mut().into_iter().for_each(|block| *block = self.without_stores(std::mem::take(block)));
        }
        steps
    }

    /// The arrays that these steps write.
    pub(super) fn stored_in(&self, steps: &[Step]) -> Vec<Var> {
        let mut stored: Vec<Var> = Outside::of(steps).sets.into_keys().filter(|var| self.is_shared(*var)).collect();
        stored.sort();
        stored
    }

    /// A branch, whose loops may read shared memory again in the backward sweep.
    pub(super) fn note_branch(&mut self, forward: &Step, both: &Step, span: Span) -> Option<()> {
        let read_again = self.shared_needed(std::slice::from_ref(both));
        let stored = self.stored_in(std::slice::from_ref(forward));
        if let Some(var) = read_again.iter().find(|var| stored.contains(var)) {
            let name = self.variables[var.0].name.clone();
            return self.refuse(
                span,
                format!("the gradient of a kernel: this branch writes to `{name}`, and a loop in it reads values of `{name}` that are needed for the gradient\nhelp: write to `{name}` after the branch, or to another shared array"),
            );
        }
        self.current().read_again.extend(read_again);
        Some(())
    }

    /// The condition of a loop reads shared memory before each iteration.
    pub(super) fn expose_condition(&self, frame: &mut Frame, condition: &Code) {
        condition.reads.iter().filter(|var| self.is_shared(**var)).for_each(|var| frame.expose_first(*var));
    }

    /// An iteration as it is computed again, and the barrier before it.
    pub(super) fn iteration_again(&self, forward: Vec<Step>, frame: &Frame) -> (Vec<Step>, Vec<Step>) {
        match frame.has_barriers {
            true => (forward, vec![Step::Barrier(self.shared_vars().0)]),
            false if self.versions.is_empty() => (forward, Vec::new()),
            false => (self.without_stores(forward), Vec::new()),
        }
    }

    /// A branch as it is entered again.
    pub(super) fn branch_again(&self, forward: Vec<Step>) -> Vec<Step> {
        if self.versions.is_empty() { forward } else { without_kept(self.without_stores(forward)) }
    }

    /// Refuses a loop whose iterations need what others have left in shared memory. `body`: its forward sweep; `again`: of the iterations as they are
    /// computed again.
    pub(super) fn check_carried_arrays(
        &mut self,
        frame: &Frame,
        body: &[Step],
        again: &Outside,
        needed: &HashSet<Var>,
        span: Span,
    ) -> Option<()> {
        let needed: Vec<Var> = needed.iter().copied().filter(|var| self.is_shared(*var)).collect();
        let stored = self.stored_in(body);
        for var in needed.iter().filter(|var| stored.contains(var)) {
            let name = self.variables[var.0].name.clone();
            if !frame.has_barriers {
                return self.refuse(
                    span,
                    format!("the gradient of a kernel: this loop writes to `{name}` and needs its values for the gradient\nhelp: keep them in a variable, and write to `{name}` after the loop"),
                );
            }
            if frame.exposed.contains(var) && self.shares_of(*var).is_none() {
                return self.refuse(
                    span,
                    format!("the gradient of a kernel: this loop needs values of `{name}` that it overwrites, and the size of the block or of `{name}` is not known to keep them\nhelp: write the size of the block in the attribute, such as `block = 256`, and use `shared`; or use sums only"),
                );
            }
        }
        let read_again: Vec<Var> = needed.into_iter().filter(|var| !again.sets.contains_key(var)).collect();
        self.leave_loop_frame(frame, body, &read_again, span)
    }

    /// How a shared array is kept in snapshots, if that is possible.
    fn shares_of(&self, array: Var) -> Option<Shares> {
        let FunctionKind::Kernel(KernelOptions { block: Some(block), .. }) = &self.function.kind else { return None };
        let array = self.arrays.values().find(|shared| shared.var == array)?;
        Shares::new(&array.extents, block.iter().map(Length::tokens).collect(), zero_of(array.scalar))
    }

    /// The arrays whose values the iterations of a loop need from before, and the snapshots of them before the loop.
    pub(super) fn carry_arrays(&mut self, frame: &Frame, body: &[Step], needed: &HashSet<Var>) -> (Vec<CarriedArray>, Vec<Step>) {
        let (mut arrays, mut snapshots) = (Vec::new(), Vec::new());
        for var in self.stored_in(body) {
            if !(needed.contains(&var) && frame.exposed.contains(&var)) {
                continue;
            }
            let Some(shares) = self.shares_of(var) else { continue };
            let name = word(&self.variables[var.0].name);
            let before = self.fresh(&format!("{name}_before"));
            let [far, near] = ["far", "near"].map(|base| Ident::new(&self.unique(&format!("{name}_{base}")), Span::mixed_site()));
            snapshots.push(Step::Snapshot(Snapshot { into: before, of: var, shares: shares.clone() }));
            arrays.push(CarriedArray { array: var, before, shares, far, near });
        }
        (arrays, snapshots)
    }

    /// Variables of the same names for what is in the arrays that these steps write.
    pub(super) fn own_versions(&mut self, steps: &[Step]) -> HashMap<Var, Var> {
        let own: HashMap<Var, Var> = self.stored_in(steps).into_iter().map(|var| (var, self.same_name(var))).collect();
        self.versions.extend(own.values());
        own
    }

    /// What a loop has done to shared memory, for the block around it.
    pub(super) fn leave_loop_frame(&mut self, frame: &Frame, body: &[Step], read_again: &[Var], span: Span) -> Option<()> {
        for var in self.stored_in(body) {
            self.note_store(var, span)?;
        }
        self.current().read_again.extend(read_again);
        frame.exposed.iter().for_each(|var| self.current().expose(*var));
        Some(())
    }
}

/// The steps of a branch without what the forward sweep has kept. In a loop, it is computed again.
pub(super) fn without_kept(mut steps: Vec<Step>) -> Vec<Step> {
    steps.retain(|step| !matches!(step, Step::Keep { .. }));
    for step in &mut steps {
        if let Step::If { .. } | Step::Scope(_) = step {
            step.blocks_mut().into_iter().for_each(|block| *block = without_kept(std::mem::take(block)));
        }
    }
    steps
}
