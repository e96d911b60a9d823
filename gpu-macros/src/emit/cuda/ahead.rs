//! Checks ahead: a loop checks the indices of several iterations before the first of them.
//!
//! A thread that can fail between two loads starts the second only when the first has arrived and is checked. So where the indices of a
//! loop can be computed before its body runs, it becomes
//!
//! ```c
//! usize k_next = start;
//! const usize k_end = gr_within(gr_within(end, columns_len), values_len);
//! for (; k_next < k_end && gr_distance(k_next, k_end) >= 4; k_next += 4) {
//!   u32 ahead[4];
//!   u32 most = 0;
//!   for (u32 step = 0; step < 4; step++) {
//!     ahead[step] = columns[k_next + step];
//!     most = gr_larger(most, ahead[step]);
//!   }
//!   if (gr_most_sum(gr_most_product(most, n), j) >= x_len) break;
//!   for (u32 step = 0; step < 4; step++) { the body, without these checks, and with ahead[step] for columns[k] }
//! }
//! for (usize k = k_next; k < end; k++) { the body, with all checks }
//! ```
//!
//! The second loop does what is left over. If an index of the next four iterations is out of bounds, it begins with the first of them: so
//! everything that these iterations do before the failure, effects included, is done, and the same failure is reported.
//!
//! Of each index, only one part is computed for every iteration: the rest is sums and products with what stays the same, so the index is
//! [largest](super::extremes) where that part is. Here, `columns[k]` is the part of `columns[k] * n + j`. Of an index that has no other form,
//! it is the whole. The largest counter is that of the last iteration. An array that is indexed by the counter itself ends the loop over
//! groups where it ends.
//!
//! An index can be computed ahead if nothing that the loop does can change it: it consists of the counter, immutable variables and
//! elements of a kernel's `&[T]`. Elements come in *stages*: the elements that the index of one stage consists of have indices of earlier
//! stages. A number that was loaded is kept in an array, and not loaded again.
//!
//! An index that the body has under a condition counts where that is true, `if (ahead[step] >= 0) most = …`. What the body reads under a condition is
//! not read ahead.
//!
//! What is known of an index may rest on a check that the body makes before, and a group later. (In 32 bits, an operand may so be known to be
//! below 2³².) Until the first failure, all of this holds: so the index that fails first is computed right, and none of the body runs. Until
//! it is found, what is computed of other indices may be wrong, but each is compared with the length before it is used.

use super::Emitter;
use super::checks::{Checked, CheckedAt};
use super::extremes::{Index, Limits};
use super::iterations::{EveryIteration, add_assigned, bindings, checks_others, suits};
use super::text::{CText, c, join};
use super::width::width;
use crate::check::Analysis;
use crate::model::*;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How many iterations are checked together, as long as there are so many: in 64 bits, and in 32. For a constant number of iterations,
/// `gr_group` chooses. A test of 64 bits, which considers that an index wraps around, leaves few registers for what sixteen load: a sparse matrix
/// by a dense one took 1.12 times what CUDA C takes with eight, and 1.16 with sixteen. With the test of 32 bits, it took 1.13 and 1.05 (H200,
/// 2026-11-30).
const GROUPS: [[&str; 2]; 2] = [["8", "16"], ["4", "4"]];

/// What a loop checks ahead.
pub(super) struct Ahead<'m> {
    checks: Vec<Check<'m>>,
    loads: Vec<Load<'m>>,
    /// The variables of the body that can be computed ahead, in order, each with its stage.
    variables: Vec<(usize, &'m Let)>,
}

/// One index of the body.
struct Check<'m> {
    site: SiteId,
    base: &'m Expr,
    /// Of a view.
    axis: Option<usize>,
    /// The index, as what varies in it with `part`.
    index: Index<'m>,
    part: &'m Expr,
    /// The conditions under which the body has it.
    guards: Vec<Guard<'m>>,
    /// How many loads its index consists of, one behind the other.
    stage: usize,
}

/// A condition of an `if`, and whether it is true.
type Guard<'m> = (&'m Expr, bool);

/// A number in memory that an index consists of.
struct Load<'m> {
    element: &'m Expr,
    /// The site of its first index.
    site: SiteId,
    /// The stage in which it is loaded.
    stage: usize,
}

struct Planner<'m, 'f> {
    function: &'f Function,
    analysis: &'f Analysis,
    counter: LocalId,
    /// The variables that the loop's body declares or gives a value.
    inner: HashSet<LocalId>,
    /// The stages of those that can be computed ahead.
    stages: HashMap<LocalId, usize>,
    /// The conditions of what is visited.
    guards: Vec<Guard<'m>>,
    ahead: Ahead<'m>,
}

/// What `for counter in …` with this body checks ahead, if it gains by it.
pub(super) fn plan<'m>(function: &Function, analysis: &Analysis, counter: LocalId, body: &'m Block) -> Option<Ahead<'m>> {
    let has_constant_step = !function.local(counter).mutable && function.local(counter).ty.as_scalar().is_some_and(Scalar::is_integer);
    if !has_constant_step || !suits(body, false) {
        return None;
    }
    let mut inner = HashSet::new();
    bindings(body, &mut inner);
    add_assigned(body, &mut inner);
    let ahead = Ahead { checks: Vec::new(), loads: Vec::new(), variables: Vec::new() };
    let mut planner = Planner { function, analysis, counter, inner, stages: HashMap::new(), guards: Vec::new(), ahead };
    planner.block(body);
    let planned: HashSet<SiteId> = planner.ahead.checks.iter().map(|check| check.site).collect();
    let remains = checks_others(body, analysis, &|site| planned.contains(&site));
    (!planned.is_empty() && !remains).then_some(planner.ahead)
}

impl<'m> EveryIteration<'m> for Planner<'m, '_> {
    fn variable(&mut self, local: &'m Let, init: &'m Expr) {
        let Some(id) = local.pattern.as_name().filter(|id| !self.function.local(*id).mutable) else { return };
        if let Some(stage) = self.stage(init).filter(|_| self.guards.is_empty() || !has_elements(init)) {
            self.stages.insert(id, stage);
            self.ahead.variables.push((stage, local));
        }
    }

    fn check(&mut self, site: SiteId, base: &'m Expr, index: &'m Expr, axis: Option<usize>) {
        if *self.analysis.bound(site) == Bound::Unknown
            && !base.ty.is_followed()
            && (self.guards.is_empty() || !has_elements(index))
            && let Some(stage) = self.stage(index)
        {
            self.add(site, base, axis, index, stage);
            // What the body reads under a condition is not read ahead.
            let guards = std::mem::take(&mut self.guards);
            self.add_elements(index);
            guards.iter().for_each(|(guard, _)| self.add_elements(guard));
            self.guards = guards;
        }
    }

    fn visit_own(&mut self, expr: &'m Expr) -> bool {
        let ExprKind::If { condition, then, otherwise } = &expr.kind else { return false };
        if condition.binds() || has_elements(condition) || self.stage(condition).is_none() {
            return false;
        }
        self.guards.push((condition, true));
        self.block(then);
        self.guards.pop();
        if let Some(otherwise) = otherwise {
            self.guards.push((condition, false));
            match &otherwise.kind {
                ExprKind::Block { label: None, block } => self.block(block),
                _ => self.expr(otherwise),
            }
            self.guards.pop();
        }
        true
    }
}

/// Whether it reads elements itself, not by a variable.
fn has_elements(expr: &Expr) -> bool {
    expr.any(&|part| matches!(part.kind, ExprKind::Index { .. } | ExprKind::Element { .. }))
}

impl<'m> Planner<'m, '_> {
    /// Plans the indices of the elements that `expr`, which can be computed ahead, consists of: whether they are in bounds where the body
    /// evaluates them says nothing about before.
    fn add_elements(&mut self, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Index { base, index, site } => {
                let stage = self.stage(index).unwrap_or_default();
                self.add(*site, base, None, index, stage);
                self.add_load(expr, *site);
            }
            ExprKind::Element { base, indices, sites } => {
                for (axis, (index, site)) in indices.iter().zip(sites).enumerate() {
                    let stage = self.stage(index).unwrap_or_default();
                    self.add(*site, base, Some(axis), index, stage);
                }
                if let Some(first) = sites.first() {
                    self.add_load(expr, *first);
                }
            }
            ExprKind::Local(id) => {
                let variable = self.ahead.variables.iter().find(|(_, local)| local.pattern.as_name() == Some(*id));
                if let Some(init) = variable.and_then(|(_, local)| local.init.as_ref()) {
                    self.add_elements(init);
                }
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.add_elements(child));
    }

    fn add(&mut self, site: SiteId, base: &'m Expr, axis: Option<usize>, index: &'m Expr, stage: usize) {
        if self.ahead.checks.iter().all(|known| known.site != site) {
            let mut part = index;
            let index = self.varying(index, &mut part);
            let guards = self.guards.clone();
            let stage = guards.iter().filter_map(|(guard, _)| self.stage(guard)).fold(stage, usize::max);
            self.ahead.checks.push(Check { site, base, axis, index, part, guards, stage });
        }
    }

    fn add_load(&mut self, element: &'m Expr, site: SiteId) {
        let is_new = self.ahead.loads.iter().all(|known| known.site != site);
        if let Some(stage) = self.stage(element).filter(|_| is_new && element.ty.as_scalar().is_some()) {
            self.ahead.loads.push(Load { element, site, stage });
        }
    }

    /// `expr` as what varies with `part`: sums and products of that with what is the same in every iteration.
    fn varying(&self, expr: &'m Expr, part: &mut &'m Expr) -> Index<'m> {
        if let ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Multiply), left, right, site: None } = &expr.kind
            && expr.ty == Type::USIZE
            && left.ty == Type::USIZE
            && right.ty == Type::USIZE
        {
            let operands = match [self.is_same(left), self.is_same(right)] {
                [true, false] => Some((Index::Same(left), self.varying(right, part))),
                [false, true] => Some((self.varying(left, part), Index::Same(right))),
                _ => None,
            };
            if let Some((left, right)) = operands {
                let (left, right) = (Rc::new(left), Rc::new(right));
                return if *op == BinaryOp::Add { Index::Sum(left, right) } else { Index::Product(left, right) };
            }
        }
        *part = expr;
        Index::Varying
    }

    /// Whether `expr` is a number that is the same in every iteration.
    fn is_same(&self, expr: &Expr) -> bool {
        let varies = |part: &Expr| matches!(part.kind, ExprKind::Local(local) if local == self.counter || self.inner.contains(&local));
        self.stage(expr) == Some(0) && !expr.any(&varies)
    }

    /// The stage in which `expr` can be computed, after which the elements in it are checked.
    fn stage(&self, expr: &Expr) -> Option<usize> {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) => Some(0),
            ExprKind::Constant(_) => expr.ty.as_scalar().map(|_| 0),
            ExprKind::Local(local) if *local == self.counter => Some(0),
            ExprKind::Local(local) if self.inner.contains(local) => self.stages.get(local).copied(),
            ExprKind::Local(local) => self.is_constant(*local).then_some(0),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => self.stage(operand),
            ExprKind::Logical { left, right, .. } => Some(self.stage(left)?.max(self.stage(right)?)),
            ExprKind::TupleField { base, .. } | ExprKind::Field { base, .. } => self.stage(base),
            ExprKind::Axis { base, .. } => match &base.kind {
                ExprKind::Intrinsic { intrinsic, .. } => intrinsic.builtin().is_none().then_some(0),
                _ => self.stage(base),
            },
            ExprKind::Extent { .. } | ExprKind::Intrinsic { intrinsic: Intrinsic::Grid1d, .. } => Some(0),
            ExprKind::Method { method: Method::Len, .. } => Some(0),
            ExprKind::Binary { left, right, site, .. } => {
                let by_literal = matches!(&right.kind, ExprKind::Int(literal) if literal.value != 0);
                if site.is_some() && !by_literal {
                    return None;
                }
                Some(self.stage(left)?.max(self.stage(right)?))
            }
            ExprKind::Index { base, index, .. } if self.stays(base) => Some(self.stage(index)? + 1),
            ExprKind::Element { base, indices, .. } if self.stays(base) => {
                let stages: Option<Vec<usize>> = indices.iter().map(|index| self.stage(index)).collect();
                Some(stages?.into_iter().max().unwrap_or_default() + 1)
            }
            _ => None,
        }
    }

    /// Whether nothing changes the variable, which is declared outside of the loop, while the loop runs.
    fn is_constant(&self, local: LocalId) -> bool {
        self.function.local(local).is_constant()
    }

    /// Whether no thread changes the elements of `base` while the kernel runs. An array function's or device function's array may be
    /// shared memory.
    fn stays(&self, base: &Expr) -> bool {
        let ExprKind::Local(local) = base.kind else { return false };
        let local = self.function.local(local);
        let is_parameter = matches!(local.kind, LocalKind::Param(_)) && matches!(self.function.kind, FunctionKind::Kernel(_));
        let element = match &local.ty {
            Type::Slice { element, mutable: false } | Type::View { element, mutable: false, .. } => element,
            _ => return false,
        };
        is_parameter && !matches!(**element, Type::Atomic(_))
    }
}

/// A simple `for` loop: a counter from one value up to another.
pub(super) struct Counted<'m> {
    pub(super) label: LabelId,
    pub(super) counter: LocalId,
    /// Where the counter starts, and afterwards is.
    pub(super) next: CText,
    pub(super) end: CText,
    /// The step, if it is not one.
    pub(super) stride: Option<CText>,
    /// How many iterations there are, if that is constant.
    pub(super) count: Option<CText>,
    pub(super) body: &'m Block,
}

impl<'m> Counted<'m> {
    /// How far so many steps lead.
    fn strides(&self, steps: &CText) -> CText {
        match &self.stride {
            Some(stride) => c![steps, " * ", stride],
            None => steps.clone(),
        }
    }

    /// Where indices are checked, and what is `loaded`, in the iteration `step` of a group. An index that is the counter is written as a sum
    /// of 64 bits, so that the compiler adds to one address: it cannot know that the counter does not wrap around.
    fn checked(&self, ahead: &Ahead<'m>, loaded: &[(SiteId, String)], step: &CText) -> Checked {
        let before = ahead.checks.iter().map(|check| match check.is_counter(self.counter) {
            true => (check.site, CheckedAt::Index(c!["(usize)", self.next, " + ", self.strides(step)])),
            false => (check.site, CheckedAt::Before),
        });
        let kept = loaded.iter().map(|(site, name)| (*site, CheckedAt::Loaded(c![name, "[", step, "]"])));
        before.chain(kept).collect()
    }
}

impl<'m> Emitter<'_> {
    /// The loops over groups of iterations, whose indices are checked ahead.
    pub(super) fn write_groups(&mut self, counted: &Counted<'m>, ahead: &Ahead<'m>) {
        self.need("ops");
        let end = self.write_end_of_groups(counted, ahead);
        match &counted.count {
            Some(count) => {
                let group = CText::from(self.namer.temporary("group"));
                self.writer.line(c!["constexpr u32 ", group, " = gr_group(", count, ");"]);
                self.write_group_loop(counted, ahead, &end, &group);
            }
            None => {
                for [wide, narrow] in GROUPS {
                    let group = if self.has_narrow_variant() && wide != narrow { width(wide, narrow) } else { wide.into() };
                    self.write_group_loop(counted, ahead, &end, &group);
                }
            }
        }
    }

    /// The end of what the loops over groups may do: where an array that is indexed by the counter ends, they do, and where a step would wrap around.
    fn write_end_of_groups(&mut self, counted: &Counted<'m>, ahead: &Ahead<'m>) -> CText {
        let mut lengths: Vec<CText> = Vec::new();
        for check in ahead.checks.iter().filter(|check| check.ends_groups(self.function, counted.counter)) {
            let length = self.length_at(check.base, check.axis);
            if !lengths.contains(&length) {
                lengths.push(length);
            }
        }
        let ty = self.type_name(&self.function.local(counted.counter).ty);
        lengths.extend(counted.stride.as_ref().map(|stride| c!["(", ty, ")~(", ty, ")", stride]));
        if lengths.is_empty() {
            return counted.end.clone();
        }
        let name = CText::from(self.companion(counted.counter, "end"));
        let end = lengths.into_iter().fold(c!["(", ty, ")", counted.end], |end, length| c!["gr_within(", end, ", ", length, ")"]);
        self.writer.line(c!["const ", ty, " ", name, " = ", end, ";"]);
        name
    }

    fn write_group_loop(&mut self, counted: &Counted<'m>, ahead: &Ahead<'m>, end: &CText, group: &CText) {
        let Counted { label, next, body, .. } = counted;
        let distance = c!["gr_distance(", next, ", ", end, ")"];
        let are_left = match &counted.stride {
            Some(stride) => c![distance, " > (", group, " - 1) * ", stride],
            None => c![distance, " >= ", group],
        };
        self.writer.line(c!["for (; ", next, " < ", end, " && ", are_left, "; ", next, " += ", counted.strides(group), ") {"]);
        self.writer.indent();
        let mut loaded = Vec::new();
        let last_stage = ahead.checks.iter().map(|check| check.stage).max().unwrap_or(0);
        for stage in 0..=last_stage {
            self.out_of_place(|emitter| emitter.write_stage(counted, ahead, stage, group, &mut loaded));
        }
        let step = self.begin_steps(counted, group);
        let outer = std::mem::replace(&mut self.checked, counted.checked(ahead, &loaded, &step));
        self.write_loop_body(*label, body);
        self.checked = outer;
        // The other loop has a label of its own.
        self.labels[label.0].continue_label = None;
        self.writer.dedent();
        self.writer.line("}");
    }

    /// The loads and checks of one stage for all iterations of the group. Adds what is loaded, by the names of the arrays that keep it.
    fn write_stage(&mut self, counted: &Counted<'m>, ahead: &Ahead<'m>, stage: usize, group: &CText, loaded: &mut Vec<(SiteId, String)>) {
        let Counted { counter, next, .. } = counted;
        let checks = ahead.checks.iter().filter(|check| check.stage == stage && !check.ends_groups(self.function, *counter));
        let (of_counter, others): (Vec<_>, Vec<_>) = checks.partition(|check| is_counter(check.part, *counter));
        for check in of_counter {
            let [least, last] = [c!["(usize)", next], c!["(usize)(", next, " + ", counted.strides(&c!["(", group, " - 1)"]), ")"]];
            let most = if has_sign(self.function, *counter) { c!["(", next, " < 0 ? ~0ull : ", last, ")"] } else { last };
            let is_word = is_word(self.function, *counter);
            self.write_group_check(check, Limits { least, most, is_word });
        }
        if others.is_empty() {
            return;
        }
        let loads: Vec<&Load<'m>> = ahead.loads.iter().filter(|load| load.stage == stage).collect();
        for load in &loads {
            let (ty, name) = (self.type_name(&load.element.ty), self.namer.temporary("ahead"));
            self.writer.line(c![ty, " ", name, "[", group, "];"]);
            loaded.push((load.site, name));
        }
        let names: Vec<String> = others.iter().map(|_| self.namer.temporary("most")).collect();
        for (check, most) in others.iter().zip(&names) {
            let ty = match word(check.part) {
                Some(word) if is_signed(word) => "u32".into(),
                Some(word) => self.type_name(&word.ty),
                None => "usize".into(),
            };
            self.writer.line(c![ty, " ", most, " = 0;"]);
        }
        let step = self.begin_steps(counted, group);
        self.writer.indent();
        // What is read here has been checked in an earlier stage.
        let outer = std::mem::replace(&mut self.checked, counted.checked(ahead, &loaded[..loaded.len() - loads.len()], &step));
        let of_loads =
            if stage == 0 { Vec::new() } else { ahead.variables_for(loads.iter().map(|load| load.element).collect(), stage - 1) };
        of_loads.iter().for_each(|local| self.write_let(local));
        for (load, (_, name)) in loads.iter().zip(&loaded[loaded.len() - loads.len()..]) {
            let element = self.value(load.element).text;
            self.writer.line(c![name, "[", step, "] = ", element, ";"]);
        }
        self.checked = counted.checked(ahead, loaded, &step);
        let parts = others.iter().flat_map(|check| check.guards.iter().map(|(guard, _)| *guard).chain([check.part]));
        for local in ahead.variables_for(parts.collect(), stage) {
            if !of_loads.iter().any(|known| std::ptr::eq(*known, local)) {
                self.write_let(local);
            }
        }
        self.need("clamped");
        for (check, most) in others.iter().zip(&names) {
            let part = match word(check.part) {
                Some(word) if is_signed(word) => c!["(u32)", self.value(word).operand()],
                Some(word) => self.value(word).text,
                None => self.wide_value(check.part),
            };
            let guard = self.guard_of(check);
            self.writer.line(c![guard, most, " = gr_larger(", most, ", ", part, ");"]);
        }
        self.checked = outer;
        self.writer.dedent();
        self.writer.line("}");
        for (check, most) in others.into_iter().zip(names) {
            let most = if word(check.part).is_some_and(is_signed) { c!["(usize)(i32)", most] } else { c!["(usize)", most] };
            let is_word = word(check.part).is_some_and(|word| !is_signed(word));
            self.write_group_check(check, Limits { least: "0ull".into(), most, is_word });
        }
    }

    /// `if (…) `, where the body has the index under a condition.
    fn guard_of(&mut self, check: &Check<'m>) -> CText {
        let is_one = check.guards.len() == 1;
        let guards = check.guards.iter().map(|(condition, is_true)| {
            let condition = self.value(condition);
            match is_true {
                true if is_one => condition.text,
                true => condition.operand(),
                false => condition.negated(),
            }
        });
        let guards: Vec<CText> = guards.collect();
        if guards.is_empty() { CText::default() } else { c!["if (", join(guards, " && "), ") "] }
    }

    /// Leaves the loop over groups if an index of the next one is out of bounds.
    fn write_group_check(&mut self, check: &Check<'m>, limits: Limits) {
        let [_, most] = self.extremes(&check.index, &limits);
        let length = self.length_at(check.base, check.axis);
        self.writer.line(c!["if (", most, " >= ", length, ") break;"]);
    }

    /// The head of an unrolled loop over the iterations of a group, and the counter in it.
    fn begin_steps(&mut self, counted: &Counted<'m>, group: &CText) -> CText {
        let Counted { counter, next, .. } = counted;
        let step = CText::from(self.namer.temporary("step"));
        self.writer.line("#pragma unroll");
        self.writer.line(c!["for (u32 ", step, " = 0; ", step, " < ", group, "; ", step, "++) {"]);
        self.writer.indent();
        let ty = self.type_name(&self.function.local(*counter).ty);
        let name = self.name(*counter).to_owned();
        self.writer.line(c!["const ", ty, " ", name, " = (", ty, ")(", next, " + ", counted.strides(&step), ");"]);
        self.writer.dedent();
        step
    }
}

impl<'m> Ahead<'m> {
    /// The variables up to a stage that `exprs` consist of, in order.
    fn variables_for(&self, exprs: Vec<&'m Expr>, stage: usize) -> Vec<&'m Let> {
        let mentions = |expr: &Expr, id: LocalId| expr.any(&|part| matches!(part.kind, ExprKind::Local(local) if local == id));
        let mut needed: Vec<&'m Let> = Vec::new();
        for (_, local) in self.variables.iter().rev().filter(|(needs, _)| *needs <= stage) {
            let Some(id) = local.pattern.as_name() else { continue };
            let inits = needed.iter().filter_map(|later| later.init.as_ref());
            if exprs.iter().copied().chain(inits).any(|expr| mentions(expr, id)) {
                needed.push(local);
            }
        }
        needed.reverse();
        needed
    }
}

impl Check<'_> {
    /// Whether the index is the loop's counter itself.
    fn is_counter(&self, counter: LocalId) -> bool {
        matches!(self.index, Index::Varying) && is_counter(self.part, counter)
    }

    /// The same, and that counter has no sign: the loop over groups ends where the array does.
    fn ends_groups(&self, function: &Function, counter: LocalId) -> bool {
        self.is_counter(counter) && !has_sign(function, counter)
    }
}

/// What a `usize` is cast from, if that is a number of at most 32 bits: the larger of two is one instruction. It is compared without its sign,
/// so that a negative one is larger than others, as its cast is.
fn word(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Cast { operand, to: Scalar::Usize } => {
            let is_word = |scalar: Scalar| scalar.is_integer() && scalar.bits() <= 32;
            operand.ty.as_scalar().is_some_and(is_word).then_some(operand)
        }
        _ => None,
    }
}

fn is_signed(expr: &Expr) -> bool {
    expr.ty.as_scalar().is_some_and(Scalar::is_signed_integer)
}

/// Whether `expr` is the loop's counter, perhaps as a `usize`.
fn is_counter(expr: &Expr, counter: LocalId) -> bool {
    let value = match &expr.kind {
        ExprKind::Cast { operand, to: Scalar::Usize } => operand,
        _ => expr,
    };
    matches!(value.kind, ExprKind::Local(local) if local == counter)
}

/// Whether a variable is an integer without a sign that has at most 32 bits where a `usize` has.
pub(super) fn is_word(function: &Function, local: LocalId) -> bool {
    let is_word = |scalar: Scalar| scalar.is_unsigned_integer() && (scalar == Scalar::Usize || scalar.bits() <= 32);
    function.local(local).ty.as_scalar().is_some_and(is_word)
}

/// Whether a variable is an integer with a sign.
pub(super) fn has_sign(function: &Function, local: LocalId) -> bool {
    function.local(local).ty.as_scalar().is_some_and(Scalar::is_signed_integer)
}
