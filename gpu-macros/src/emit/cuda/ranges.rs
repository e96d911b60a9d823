//! `for` loops over ranges, with their checks in them, before them, ahead of groups of iterations, or behind them.
//!
//! A loop over `a..b` becomes C's `for`. The others (`..=`, `.rev()`, `.step_by()`) compute their next value at the top of the body, before any
//! jump, so that `continue` needs no extra code and no counter overflows its type.

use super::checks::NO_VALUES;
use super::code::Code;
use super::extremes::Limits;
use super::iterations::suits;
use super::text::{CText, c};
use super::writer::Writer;
use super::{Emitter, ahead, bounded, speculative};
use crate::model::*;

/// A loop that computes its next value at the top of the body.
struct Stepping {
    label: LabelId,
    counter: LocalId,
    reversed: bool,
    inclusive: bool,
    /// As of [`Rounds`].
    is_rolled: bool,
    /// Whether the step may be 0.
    may_be_endless: bool,
}

/// A `for` loop over `a..end`.
#[derive(Clone)]
struct Rounds<'m> {
    label: LabelId,
    counter: LocalId,
    /// Of the C variable. It may be wider than the counter, which then is a copy.
    ty: CText,
    is_wide: bool,
    may_be_negative: bool,
    end: CText,
    /// What is added to the counter, if it is not one.
    step: Option<Step>,
    /// The end, if the loop starts at zero and may count in 32 bits: a constant.
    constant_end: Option<CText>,
    /// The number of rounds, if that is a constant.
    constant_count: Option<CText>,
    /// Whether a copy of the loop that is rare is not unrolled.
    is_rolled: bool,
    body: &'m Block,
}

/// The step of a loop.
#[derive(Clone)]
struct Step {
    code: CText,
    /// Whether as many as a [group](ahead) has are certainly less than 2³².
    is_small: bool,
    /// Whether it may be 0, which is not checked.
    may_be_zero: bool,
}

impl Emitter<'_> {
    #[expect(clippy::too_many_arguments, reason = "the parts of a `for` loop")]
    pub(super) fn write_for(
        &mut self,
        label: LabelId,
        counter: LocalId,
        start: &Expr,
        end: &Expr,
        inclusive: bool,
        adapters: &[RangeAdapter],
        body: &Block,
    ) {
        self.enter(label, None);
        let counter_type = self.function.local(counter).ty.clone();
        let starts_at_zero = matches!(&start.kind, ExprKind::Int(IntLiteral { value: 0, .. }));
        let is_count = starts_at_zero && end.is_constant_operand();
        let is_literal_start = matches!(start.kind, ExprKind::Int(_));
        let counts_to_constant = starts_at_zero && is_constant_expression(end);
        let is_word = counter_type.as_scalar().is_some_and(|scalar| scalar.bits() <= 32);
        let may_be_versions = inclusive && adapters.is_empty() && !is_constant_expression(end) && suits(body, true);
        // `-RADIUS..=RADIUS`: the number after the last one may be none of its type.
        let is_wide = inclusive && is_word && !may_be_versions;
        let [start, end] = self.operands(&[start, end]).try_into().unwrap_or_else(|_| unreachable!("two operands"));
        let reversed = adapters.iter().any(|adapter| matches!(adapter, RangeAdapter::Rev(_)));
        let step = adapters.iter().find_map(|adapter| match adapter {
            RangeAdapter::StepBy { step, site, .. } => Some((&**step, *site)),
            RangeAdapter::Rev(_) => None,
        });
        let steps_forward = step.is_some() && !reversed && !inclusive;
        let ty = self.type_name(&counter_type);
        let rounds = |emitter: &mut Self, end: CText| Rounds {
            label,
            counter,
            ty: if is_wide { emitter.type_name(&Type::Scalar(Scalar::I64)) } else { ty.clone() },
            is_wide,
            may_be_negative: !is_literal_start && ahead::has_sign(emitter.function, counter),
            end,
            step: None,
            constant_end: None,
            constant_count: None,
            is_rolled: false,
            body,
        };
        if (!inclusive || is_wide) && !reversed && step.is_none() {
            let last = end.text.clone();
            let end = self.pinned(end, &counter_type, "end");
            let end_code = if is_wide { c!["(i64)", end.operand(), " + 1"] } else { end.text };
            let range = [&start.text, &end_code];
            if !is_wide && (self.write_add_dots(counter, range, body) || self.write_tile_loop(counter, range, body)) {
                self.leave(label);
                return;
            }
            let counts_words = counts_to_constant && matches!(counter_type.as_scalar(), Some(Scalar::Usize | Scalar::U64));
            let is_unrolled = matches!(self.function.labels[label.0].unroll, Some(Unroll::Fully));
            let constant_end = (counts_words && !is_unrolled).then(|| last.clone());
            let constant_count = is_count.then_some(last);
            let rounds = Rounds { constant_end, constant_count, ..rounds(self, end_code) };
            self.write_with_checks(rounds, start);
            self.leave(label);
            return;
        }
        if may_be_versions {
            let start = self.pinned(start, &counter_type, "start");
            let last = self.pinned(end, &counter_type, "last").text;
            let end = self.namer.temporary("end");
            self.writer.line(c!["if (", last, " != ", largest(&counter_type, &ty), ") {"]);
            self.writer.indent();
            self.writer.line(c!["const ", ty, " ", end, " = ", last, " + 1;"]);
            let rounds = rounds(self, end.into());
            self.write_with_checks(rounds, start.clone());
            self.writer.dedent();
            self.writer.line("} else {");
            self.writer.indent();
            self.labels[label.0].continue_label = None;
            let stepping = Stepping { label, counter, reversed: false, inclusive: true, is_rolled: false, may_be_endless: false };
            self.write_stepping(&stepping, [start.text, last], "1".into(), body);
            self.writer.dedent();
            self.writer.line("}");
            self.leave(label);
            return;
        }
        let start = self.pinned(start, &counter_type, "start");
        let end = self.pinned(end, &counter_type, "end").text;
        let step = step.map(|(step, site)| self.step_of_loop(step, site));
        if steps_forward {
            let rounds = Rounds { step, ..rounds(self, end) };
            self.write_with_checks(rounds, start);
        } else {
            let step = step.map_or_else(|| "1".into(), |step| step.code);
            let stepping = Stepping { label, counter, reversed, inclusive, is_rolled: false, may_be_endless: false };
            self.write_stepping(&stepping, [start.text, end], step, body);
        }
        self.leave(label);
    }

    fn step_of_loop(&mut self, step: &Expr, site: Option<SiteId>) -> Step {
        let is_literal = matches!(&step.kind, ExprKind::Int(literal) if literal.value > 0);
        let is_small = match &step.kind {
            ExprKind::Int(literal) => literal.value < 1 << 27,
            ExprKind::Axis { base, .. } => matches!(base.kind, ExprKind::Intrinsic { intrinsic: Intrinsic::BlockDim, .. }),
            _ => false,
        };
        let step = self.value(step);
        let code = self.pinned(step, &Type::USIZE, "step").text;
        if let Some(site) = site.filter(|_| !is_literal) {
            self.write_check(c![code, " == 0"], site, NO_VALUES);
        }
        Step { code, is_small, may_be_zero: site.is_none() && !is_small }
    }

    /// The loop with its checks in it, before it or behind it.
    fn write_with_checks(&mut self, rounds: Rounds<'_>, start: Code) {
        let Rounds { label, counter, is_wide, body, .. } = rounds;
        let makes_groups = rounds.step.as_ref().is_none_or(|step| step.is_small && !ahead::has_sign(self.function, counter));
        let counter_type = &self.function.local(counter).ty;
        if let Some(bounded) = bounded::plan(self.function, self.analysis, counter, body).filter(|_| !is_wide) {
            self.write_with_checks_before(&bounded, &rounds, start);
        } else if let Some(ahead) = ahead::plan(self.function, self.analysis, counter, body).filter(|_| !is_wide && makes_groups) {
            let next = CText::from(self.companion(counter, if rounds.step.is_some() { "first" } else { "next" }));
            self.writer.line(c![rounds.ty, " ", next, " = ", start.text, ";"]);
            let stride = rounds.step.as_ref().map(|step| step.code.clone());
            let (end, count) = (rounds.end.clone(), rounds.constant_count.clone());
            let counted = ahead::Counted { label, counter, next, end, stride, count, body };
            self.write_groups(&counted, &ahead);
            self.write_version(&Rounds { constant_end: None, ..rounds }, &counted.next, true);
        } else if let Some(speculative) = speculative::plan(self.function, self.analysis, label, body) {
            let start = self.pinned(start, counter_type, "start").text;
            let count = c!["(usize)", rounds.end, " - (usize)", start];
            self.write_speculative(&speculative, &count, &mut |emitter, is_checked| emitter.write_version(&rounds, &start, is_checked));
        } else {
            self.write_rounds(&rounds, &start.text);
        }
    }

    /// The loop that computes its next value at the top of the body.
    fn write_stepping(&mut self, stepping: &Stepping, [start, end]: [CText; 2], step: CText, body: &Block) {
        let Stepping { label, counter, reversed, inclusive, is_rolled, may_be_endless } = *stepping;
        let ty = self.type_name(&self.function.local(counter).ty);
        self.need("ops");
        let name = self.name(counter).to_owned();
        let (next, more) = (self.companion(counter, "next"), self.companion(counter, "more"));
        let compare = if inclusive { "<=" } else { "<" };
        let first = match (reversed, inclusive) {
            (false, _) => start.clone(),
            (true, true) => end.clone(),
            (true, false) => c!["gr_wrapping_sub(", end, ", (", ty, ")1)"],
        };
        // Where the step cannot make the counter wrap around, the loop is a plain one.
        let is_plain = self.has_narrow_variant() && self.analysis.plain_counters.contains(&counter);
        let wide_line = |writer: &mut Writer, text: CText| if is_plain { writer.line_of_width(false, text) } else { writer.line(text) };
        wide_line(&mut self.writer, c![ty, " ", next, " = ", first, ";"]);
        wide_line(&mut self.writer, c!["bool ", more, " = ", start, " ", compare, " ", end, ";"]);
        self.write_unroll_of_version(label, is_rolled);
        wide_line(&mut self.writer, c!["while (", more, ") {"]);
        if is_plain {
            let header = c!["for (", ty, " ", next, " = ", start, "; ", next, " < ", end, "; ", next, " += ", step, ") {"];
            self.writer.line_of_width(true, header);
        }
        self.writer.indent();
        if may_be_endless {
            self.write_round();
        }
        let qualifier = if self.function.local(counter).mutable { "" } else { "const " };
        self.writer.line(c![qualifier, ty, " ", name, " = ", next, ";"]);
        // How far it is to the last value, as an unsigned number that cannot overflow.
        let left = match reversed {
            false => c!["gr_distance(", name, ", ", end, ")"],
            true => c!["gr_distance(", start, ", ", name, ")"],
        };
        let reaches = if !reversed && !inclusive { ">" } else { ">=" };
        wide_line(&mut self.writer, c![more, " = ", left, " ", reaches, " ", step, ";"]);
        let advance = if reversed { "gr_step_back" } else { "gr_step" };
        wide_line(&mut self.writer, c![next, " = ", advance, "(", name, ", ", step, ");"]);
        self.writer.dedent();
        self.write_loop_body(label, body);
    }

    /// The loop from `first` on.
    fn write_rounds(&mut self, rounds: &Rounds<'_>, first: &CText) {
        let Rounds { label, counter, ty, is_wide, end, step, constant_end, is_rolled, body, .. } = rounds;
        if let Some(step) = step {
            let Step { code, may_be_zero: may_be_endless, .. } = step.clone();
            let (label, counter, is_rolled) = (*label, *counter, *is_rolled);
            let stepping = Stepping { label, counter, reversed: false, inclusive: false, is_rolled, may_be_endless };
            self.write_stepping(&stepping, [first.clone(), end.clone()], code, body);
            return;
        }
        if let Some(last) = constant_end {
            self.write_count(*label, *counter, last, end, *is_rolled, body);
            return;
        }
        let index = if *is_wide { self.companion(*counter, "next") } else { self.counter_name(*counter) };
        self.write_unroll_of_version(*label, *is_rolled);
        self.writer.line(c!["for (", ty, " ", index, " = ", first, "; ", index, " < ", end, "; ", index, "++) {"]);
        self.write_counter_copy(*counter, &index);
        self.write_loop_body(*label, body);
    }

    /// The loop without the checks that are made before it, or else with all.
    fn write_with_checks_before(&mut self, bounded: &bounded::Bounded<'_>, rounds: &Rounds<'_>, start: Code) {
        let counter_type = &self.function.local(rounds.counter).ty;
        let start = self.pinned(start, counter_type, "start").text;
        let last = CText::from(self.namer.temporary("last"));
        let end = (!rounds.may_be_negative).then(|| c!["(usize)", rounds.end]);
        if bounded.needs_last(end.is_some()) {
            let if_negative = if rounds.may_be_negative { c![start, " < 0 ? ~0ull : "] } else { c![""] };
            self.writer.line(c!["const usize ", last, " = ", if_negative, "(usize)", rounds.end, " - 1;"]);
        }
        // A loop without iterations may be either.
        let limits = Limits { least: c!["(usize)", start], most: last, is_word: ahead::is_word(self.function, rounds.counter) };
        self.write_bounded(bounded, &limits, end, &mut |emitter, is_checked| emitter.write_version(rounds, &start, is_checked));
    }

    /// One of the two versions of a loop: with its checks elsewhere, or with all. The second is rare, or does a few iterations. It is not
    /// unrolled, which costs registers, unless it indexes a local array, whose elements are registers only for constant indices.
    fn write_version(&mut self, rounds: &Rounds<'_>, first: &CText, is_checked: bool) {
        if is_checked {
            // A loop has labels of its own.
            self.labels[rounds.label.0].continue_label = None;
        }
        let is_array = |expr: &Expr| matches!(expr.ty, Type::Array(..));
        let is_rolled = is_checked && !rounds.body.any(&is_array);
        self.write_rounds(&Rounds { is_rolled, ..rounds.clone() }, first);
    }

    /// `for counter in 0..end` with a constant `last` as the end, which counts in 32 bits if they hold it: a GPU compares and adds
    /// words of 64 bits in two instructions each.
    fn write_count(&mut self, label: LabelId, counter: LocalId, last: &CText, end: &CText, is_rolled: bool, body: &Block) {
        self.need("counter");
        let index = self.companion(counter, "next");
        self.write_unroll_of_version(label, is_rolled);
        self.writer.line(c!["for (gr_counter<", last, "> ", index, " = 0; ", index, " < ", end, "; ", index, "++) {"]);
        self.write_counter_copy(counter, &index);
        self.write_loop_body(label, body);
    }

    /// The C variable of a simple `for`: the counter itself, or, if the body may change that, a variable behind it.
    pub(super) fn counter_name(&mut self, counter: LocalId) -> String {
        if self.function.local(counter).mutable { self.companion(counter, "next") } else { self.name(counter).to_owned() }
    }

    /// Declares the counter behind the C variable `index`.
    pub(super) fn write_counter_copy(&mut self, counter: LocalId, index: &str) {
        if index != self.name(counter) {
            let local = self.function.local(counter);
            let ty = self.type_name(&local.ty);
            let qualifier = if local.mutable { "" } else { "const " };
            self.writer.indent();
            let copy = c![qualifier, ty, " ", self.name(counter), " = ", index, ";"];
            self.writer.line(copy);
            self.writer.dedent();
        }
    }
}

/// The largest number of a type of integers, where a `usize` may have 32 bits.
fn largest(ty: &Type, name: &CText) -> CText {
    match ty.as_scalar() {
        Some(scalar) if scalar.is_signed_integer() => c![((1u128 << (scalar.bits() - 1)) - 1).to_string(), "ll"],
        _ => c!["(", name.clone(), ")~0ull"],
    }
}

/// Whether it is an integer that C computes when it compiles: literals and constants, added, subtracted and multiplied.
fn is_constant_expression(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right, site: None } => {
            is_constant_expression(left) && is_constant_expression(right)
        }
        _ => expr.is_constant_operand(),
    }
}
