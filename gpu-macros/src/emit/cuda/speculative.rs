//! Loops that compute first, and check what they have computed.
//!
//! A thread that looks up by what it has looked up before waits for each element. With a check in between, it also waits for a branch, and
//! can begin nothing else before (automata, hash chains, lists). Where all that a loop does is to change variables of its own, nobody sees
//! what it did before it fails. So it becomes
//!
//! ```c
//! const u32 state_before = state;
//! usize most = 0;
//! bool inside = (usize)end - (usize)0ull <= 1048576 && next_len != 0;
//! if (inside) {
//!   for (usize i = 0ull; i < end; i++) {
//!     const usize index = state * 32ull + letter;
//!     most = gr_larger(most, index);
//!     state = next[gr_clamped(index, next_len)];
//!   }
//!   inside &= most < next_len;
//! }
//! if (!inside) {
//!   state = state_before;
//!   for (usize i = 0ull; i < end; i++) { the body, with all checks }
//! }
//! ```
//!
//! A loop with a `break` is checked as ever: a thread that leaves by what it has looked up waits for that anyway, and a check is shorter than what
//! takes the largest index.
//!
//! The first loop reads elements that exist. If an index was out of bounds, what it computed is forgotten, and the second loop fails where
//! the loop always did. It notices a failure only at its end, so a loop of [many iterations](MOST_ITERATIONS) is checked as ever.
//!
//! (An H200 runs an automaton over bytes in 1.46 times what CUDA C takes with a check behind each lookup, in 1.16 with `inside` in the loop,
//! and in 1.00 like this.)
//!
//! In the first loop, a thread goes on after an index that is out of bounds. So what is shown of the other indices must not
//! [rest on checks](Analysis::rests_on_checks).
//!
//! A launch that shows that all these indices are in bounds has only the first loop, without what is there for the checks.

use super::Emitter;
use super::checks::CheckedAt;
use super::iterations::{MOST_EXPRESSIONS, bindings};
use super::text::{CText, c, join};
use crate::check::Analysis;
use crate::model::*;
use std::collections::HashSet;

/// So many iterations in vain are no long wait.
const MOST_ITERATIONS: usize = 1 << 20;

/// What a loop computes before it is checked.
pub(super) struct Speculative<'m> {
    /// The variables that it changes, in order.
    pub(super) changed: Vec<LocalId>,
    /// The places that launches may check.
    places: Vec<Place<'m>>,
}

/// `base[index]`
#[derive(Clone, Copy)]
struct Place<'m> {
    site: SiteId,
    base: &'m Expr,
    index: &'m Expr,
}

struct Planner<'m, 'f> {
    function: &'f Function,
    analysis: &'f Analysis,
    label: LabelId,
    /// The variables that are declared in the loop.
    inner: HashSet<LocalId>,
    found: Speculative<'m>,
    count: usize,
}

/// What the loop `for …` with this body computes before it is checked, if it gains by it: if it looks up by what it looked up before.
pub(super) fn plan<'m>(function: &Function, analysis: &Analysis, label: LabelId, body: &'m Block) -> Option<Speculative<'m>> {
    let mut inner = HashSet::new();
    bindings(body, &mut inner);
    let found = Speculative { changed: Vec::new(), places: Vec::new() };
    let mut planner = Planner { function, analysis, label, inner, found, count: 0 };
    let is_possible = planner.block(body) && planner.count <= MOST_EXPRESSIONS;
    (is_possible && planner.follows_itself(body)).then_some(planner.found)
}

impl<'m> Planner<'m, '_> {
    /// Whether all that `block` does is to change variables, as far as another thread or a failure shows.
    fn block(&mut self, block: &'m Block) -> bool {
        let stmts = block.stmts.iter().all(|stmt| match stmt {
            Stmt::Let(binding) => {
                let has_name = binding.pattern.as_name().is_some_and(|name| !self.function.local(name).is_reference());
                has_name && binding.otherwise.is_none() && binding.init.as_ref().is_some_and(|init| self.expr(init))
            }
            Stmt::Expr(expr) => self.expr(expr),
        });
        stmts && block.value.as_ref().is_none_or(|value| self.expr(value))
    }

    fn expr(&mut self, expr: &'m Expr) -> bool {
        self.count += 1;
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Local(_) | ExprKind::Constant(_) => is_number(expr),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => is_number(operand) && self.expr(operand),
            ExprKind::Binary { left, right, site, .. } => {
                let can_fail = site.is_some() && !matches!(&right.kind, ExprKind::Int(literal) if literal.value != 0 && !is_signed(left));
                !can_fail && is_number(left) && is_number(right) && self.expr(left) && self.expr(right)
            }
            ExprKind::Logical { left, right, .. } => self.expr(left) && self.expr(right),
            ExprKind::Method { method: Method::Len, receiver, .. } => matches!(receiver.kind, ExprKind::Local(_)),
            ExprKind::Method { receiver, args, site: None, .. } => {
                is_number(expr) && is_number(receiver) && self.expr(receiver) && args.iter().all(|arg| is_number(arg) && self.expr(arg))
            }
            ExprKind::Index { base, index, site } => self.index(base, index, *site) && is_number(expr),
            ExprKind::If { condition, then, otherwise } => {
                self.expr(condition) && self.block(then) && otherwise.as_ref().is_none_or(|otherwise| self.expr(otherwise))
            }
            ExprKind::Block { label: None, block } => self.block(block),
            ExprKind::Continue { label, named: false } => *label == self.label,
            ExprKind::Assign { target: Target::Place(place), value } => self.changes(place) && self.expr(value),
            ExprKind::CompoundAssign { place, value, site: None, .. } => self.changes(place) && is_number(value) && self.expr(value),
            _ => false,
        }
    }

    /// An element of an array that nobody changes while the loop runs.
    fn index(&mut self, base: &'m Expr, index: &'m Expr, site: SiteId) -> bool {
        let ExprKind::Local(local) = base.kind else { return false };
        let array = self.function.local(local);
        let stays = match &array.ty {
            Type::Slice { element, mutable: false } => element.is_scalar() && !array.mutable,
            Type::Array(element, _) => element.is_scalar() && !array.is_reference(),
            _ => false,
        };
        if self.analysis.rests_on_checks(site) || self.function.site(site).kind == SiteKind::Unchecked {
            return false;
        }
        if !stays || self.inner.contains(&local) || self.function.may_be_own_index(base, site) {
            return false;
        }
        if *self.analysis.bound(site) != Bound::Below(Vec::new()) {
            self.found.places.push(Place { site, base, index });
        }
        index.ty == Type::USIZE && self.expr(index)
    }

    /// Whether `place` is a number of this thread's that has a value before the loop, or none after it.
    fn changes(&mut self, place: &Expr) -> bool {
        let ExprKind::Local(local) = place.kind else { return false };
        if !is_number(place) || self.function.local(local).is_reference() {
            return false;
        }
        if self.inner.contains(&local) {
            return true;
        }
        if !self.found.changed.contains(&local) {
            self.found.changed.push(local);
        }
        let has_value = || self.function.body.declaration(local).is_some_and(|declared| declared.init.is_some());
        matches!(self.function.local(local).kind, LocalKind::Param(_)) || has_value()
    }

    /// Whether an index that launches may check consists of what the loop changes.
    fn follows_itself(&self, body: &'m Block) -> bool {
        let mut changing: HashSet<LocalId> = self.found.changed.iter().copied().collect();
        let mentions = |expr: &Expr, changing: &HashSet<LocalId>| {
            expr.any(&|part| matches!(part.kind, ExprKind::Local(local) if changing.contains(&local)))
        };
        for stmt in &body.stmts {
            if let Stmt::Let(binding) = stmt
                && let (Some(name), Some(init)) = (binding.pattern.as_name(), &binding.init)
                && mentions(init, &changing)
            {
                changing.insert(name);
            }
        }
        self.found.places.iter().any(|place| mentions(place.index, &changing))
    }
}

fn is_number(expr: &Expr) -> bool {
    expr.ty.as_scalar().is_some()
}

fn is_signed(expr: &Expr) -> bool {
    expr.ty.as_scalar().is_none_or(Scalar::is_signed_integer)
}

impl Emitter<'_> {
    /// Writes the loop of `write`, which computes first, and once more, with all checks.
    /// `count`: the number of iterations, or if there are none, a large number.
    pub(super) fn write_speculative(&mut self, speculative: &Speculative<'_>, count: &CText, write: &mut dyn FnMut(&mut Self, bool)) {
        let unless = self.conditions_of(&speculative.places);
        let names: Vec<[String; 2]> =
            speculative.changed.iter().map(|local| [self.name(*local).to_owned(), self.companion(*local, "before")]).collect();
        for (local, [name, before]) in speculative.changed.iter().zip(&names) {
            let ty = self.type_name(&self.function.local(*local).ty);
            self.writer.line_unless_proved(unless, c!["const ", ty, " ", before, " = ", name, ";"]);
        }
        let inside = self.namer.temporary("inside");
        let mut needs = vec![c![count, " <= ", MOST_ITERATIONS]];
        for place in &speculative.places {
            let exists = c![self.length_of(place.base).text, " != 0"];
            if !needs.contains(&exists) {
                needs.push(exists);
            }
        }
        self.writer.line_unless_proved(unless, c!["bool ", inside, " = ", join(needs, " && "), ";"]);
        let largest: Vec<String> = speculative.places.iter().map(|place| self.declare_largest(place)).collect();
        self.writer.line_unless_proved(unless, c!["if (", inside, ") {"]);
        self.writer.indent();
        let outer = self.checked.clone();
        let places = || speculative.places.iter().zip(&largest);
        self.checked.extend(places().map(|(place, most)| (place.site, CheckedAt::After(most.clone()))));
        self.out_of_place(|emitter| write(emitter, false));
        self.checked = outer;
        for (place, most) in places() {
            let line = c![inside, " &= ", most, " < ", self.length_of(place.base).text, ";"];
            self.writer.line_unless_proved(self.conditions_of(&[*place]), line);
        }
        self.writer.dedent();
        self.writer.line_unless_proved(unless, "}");
        let before = self.writer.begin_capture();
        self.writer.line(c!["if (!", inside, ") {"]);
        self.writer.indent();
        for [name, before] in &names {
            self.writer.line(c![name, " = ", before, ";"]);
        }
        write(self, true);
        self.writer.dedent();
        self.writer.line("}");
        let second = self.writer.end_capture(before);
        match unless {
            Some(unless) => self.writer.append_checked(unless, second),
            None => self.writer.append(second),
        }
    }

    /// Declares a C variable for the largest index of `place`.
    fn declare_largest(&mut self, place: &Place<'_>) -> String {
        let most = self.namer.temporary("most");
        let unless = self.conditions_of(&[*place]);
        let is_wide = unless.is_none() && self.is_wide_index(place.index);
        let ty = if is_wide { "usize".into() } else { self.index_type() };
        self.writer.line_unless_proved(unless, c![ty, " ", most, " = 0;"]);
        most
    }

    /// The conditions under which none of `places` is checked, a bit for each. `None` if one is always checked.
    fn conditions_of(&self, places: &[Place<'_>]) -> Option<u32> {
        let mut bits = places.iter().map(|place| match self.analysis.bound(place.site) {
            Bound::Unknown => None,
            Bound::Below(needs) => Some(self.analysis.conditions.bits_of(needs)),
        });
        bits.try_fold(0, |all, bits| Some(all | bits?))
    }

    /// `base[index]` where `most` says later whether the index was in bounds.
    pub(super) fn clamped_index(&mut self, base: &Expr, base_text: CText, index: &Expr, site: SiteId, most: &str) -> CText {
        self.need("clamped");
        let bound = self.analysis.bound(site).clone();
        let write_key = |emitter: &mut Self| {
            let code = emitter.value(index);
            emitter.spill_unless_word(code, &index.ty, "index").text
        };
        let length = self.length_of(base).text;
        match bound {
            Bound::Unknown => {
                let key = self.in_checked_index(index, write_key);
                self.writer.line(c![most, " = gr_larger(", most, ", ", key, ");"]);
                let key = self.element_index(index, c!["gr_clamped(", key, ", ", length, ")"]);
                c![base_text, "[", self.array_index(base, index, key), "]"]
            }
            Bound::Below(needs) => {
                let unless = self.analysis.conditions.bits_of(&needs);
                let key = write_key(self);
                self.writer.checked_line(unless, c![most, " = gr_larger(", most, ", ", key, ");"]);
                let checked = |text: CText| CText::hole(crate::emit::Piece::Checked(unless, text.into_pieces()));
                let key = c![checked("gr_clamped(".into()), key, checked(c![", ", length, ")"])];
                c![base_text, "[", self.array_index(base, index, key), "]"]
            }
        }
    }
}
