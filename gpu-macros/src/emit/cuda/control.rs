//! Branches, loops and jumps.
//!
//! A `for` loop over `a..b` becomes C's `for`. The other loops (`..=`, `.rev()`, `.step_by()`) compute their next value at the top of the
//! body, before any jump, so that `continue` needs no extra code and no counter overflows its type.

use super::checks::NO_VALUES;
use super::code::Code;
use super::extremes::Limits;
use super::iterations::suits;
use super::text::{CText, c};
use super::writer::Writer;
use super::{Emitter, LabelState, ahead, bounded, speculative, types};
use crate::emit::Piece;
use crate::model::*;
use proc_macro2::Span;
use quote::quote_spanned;

#[derive(Debug, Clone, Copy)]
enum Jump {
    Break,
    Continue,
}

impl Jump {
    /// The keyword, the same in Rust and C.
    fn word(self) -> &'static str {
        match self {
            Jump::Break => "break",
            Jump::Continue => "continue",
        }
    }
}

/// A `for` loop over `a..end`.
struct Rounds<'m> {
    label: LabelId,
    counter: LocalId,
    /// Of the C variable. It may be wider than the counter, which then is a copy.
    ty: CText,
    is_wide: bool,
    may_be_negative: bool,
    end: CText,
    /// The end, if the loop starts at zero and may count in 32 bits: a constant.
    constant_end: Option<CText>,
    /// The number of rounds, if that is a constant.
    constant_count: Option<CText>,
    body: &'m Block,
}

impl LabelState {
    /// The C label of a jump, if there is one yet.
    fn target(&mut self, jump: Jump) -> &mut Option<String> {
        match jump {
            Jump::Break => &mut self.break_label,
            Jump::Continue => &mut self.continue_label,
        }
    }
}

impl Emitter<'_> {
    /// Writes an `if`, block or loop; its value, if any, goes to `result`.
    pub(super) fn write_control(&mut self, expr: &Expr, result: Option<&CText>) {
        match &expr.kind {
            ExprKind::If { condition, then, otherwise } if condition.binds() => {
                self.write_if_let(condition, then, otherwise.as_deref(), result);
            }
            ExprKind::Match { scrutinee, arms } => self.write_match(scrutinee, arms, result),
            ExprKind::If { condition, then, otherwise } => self.write_if(condition, then, otherwise.as_deref(), result),
            ExprKind::Block { label: None, block } => {
                self.writer.line("{");
                self.write_arm(block, result);
                self.writer.line("}");
            }
            ExprKind::Block { label: Some(label), block } => {
                self.enter(*label, result);
                self.writer.line("{");
                self.write_arm(block, result);
                self.writer.line("}");
                self.leave(*label);
            }
            ExprKind::Loop { label, body } => {
                self.enter(*label, result);
                self.write_unroll(*label);
                self.write_endless("while (true) {");
                self.write_loop_body(*label, body);
                self.leave(*label);
            }
            ExprKind::While { label, condition, body } => self.write_while(*label, condition, body),
            ExprKind::For { label, counter, range, body } => match range {
                Range::GridStride { length, .. } => self.write_grid_stride(*label, *counter, length, body),
                Range::Bounds { start, end, inclusive, adapters } => {
                    self.write_for(*label, *counter, start, end, *inclusive, adapters, body);
                }
            },
            _ => unreachable!("only branches, blocks and loops are control flow"),
        }
    }

    fn write_if(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Expr>, result: Option<&CText>) {
        let condition = self.value(condition);
        if otherwise.is_none() && self.write_conditional_end(&condition.text, then) {
            return;
        }
        self.writer.line(c!["if (", condition.text, ") {"]);
        self.write_arm(then, result);
        let mut rest = otherwise;
        while let Some(otherwise) = rest {
            rest = None;
            match &otherwise.kind {
                ExprKind::If { condition, then, otherwise: next } if !condition.binds() => {
                    let outer = self.writer.begin_capture();
                    self.writer.indent();
                    let condition = self.value(condition);
                    self.writer.dedent();
                    let statements = self.writer.end_capture(outer);
                    if statements.is_empty() {
                        self.writer.line(c!["} else if (", condition.text, ") {"]);
                        self.write_arm(then, result);
                        rest = next.as_deref();
                    } else {
                        // The condition needs statements of its own.
                        self.writer.line("} else {");
                        self.writer.append(statements);
                        self.writer.indent();
                        self.writer.line(c!["if (", condition.text, ") {"]);
                        self.write_arm(then, result);
                        if let Some(next) = next {
                            self.writer.line("} else {");
                            self.write_else(next, result);
                        }
                        self.writer.line("}");
                        self.writer.dedent();
                    }
                }
                _ => {
                    self.writer.line("} else {");
                    self.write_else(otherwise, result);
                }
            }
        }
        self.writer.line("}");
    }

    /// The inside of the braces of an `else`.
    pub(super) fn write_else(&mut self, otherwise: &Expr, result: Option<&CText>) {
        match &otherwise.kind {
            ExprKind::Block { label: None, block } => self.write_arm(block, result),
            _ => {
                self.writer.indent();
                self.write_tail(otherwise, result);
                self.writer.dedent();
            }
        }
    }

    /// The inside of a pair of braces.
    pub(super) fn write_arm(&mut self, block: &Block, result: Option<&CText>) {
        self.writer.indent();
        self.write_stmts(block);
        if let Some(value) = &block.value {
            self.origin(value.span);
            self.write_tail(value, result);
        }
        self.writer.dedent();
    }

    fn write_tail(&mut self, value: &Expr, result: Option<&CText>) {
        match result {
            Some(place) if !matches!(value.ty, Type::Unit) => self.write_into(value, place),
            _ => self.write_effects(value),
        }
    }

    fn write_while(&mut self, label: LabelId, condition: &Expr, body: &Block) {
        self.enter(label, None);
        if condition.binds() {
            self.write_while_let(condition);
            self.write_loop_body(label, body);
            self.leave(label);
            return;
        }
        let outer = self.writer.begin_capture();
        self.writer.indent();
        let condition = self.value(condition);
        self.writer.dedent();
        let statements = self.writer.end_capture(outer);
        self.write_unroll(label);
        if statements.is_empty() {
            self.write_endless(c!["while (", condition.text, ") {"]);
        } else {
            self.write_endless("while (true) {");
            self.writer.append(statements);
            self.writer.indent();
            self.writer.line(c!["if (", condition.negated(), ") break;"]);
            self.writer.dedent();
        }
        self.write_loop_body(label, body);
        self.leave(label);
    }

    /// The head of a loop that may never end. C++ may assume that it ends, unless it does something that others can see: the code behind it
    /// would run, without the condition that ends the loop.
    pub(super) fn write_endless(&mut self, head: impl Into<CText>) {
        self.need("round");
        self.writer.line(head);
        self.writer.indent();
        self.writer.line("gr_round();");
        self.writer.dedent();
    }

    fn write_grid_stride(&mut self, label: LabelId, counter: LocalId, length: &Expr, body: &Block) {
        self.enter(label, None);
        let length = self.value(length);
        let length = self.pinned(length, &Type::USIZE, "count").text;
        let first = self.grid_coordinate(Axis::X);
        let stride = self.namer.temporary("stride");
        let threads = match self.options().and_then(|options| options.block.as_ref()) {
            Some(block) => types::length(&block[0]),
            None => "blockDim.x".into(),
        };
        let ty = self.index_type();
        self.writer.line(c!["const ", ty.clone(), " ", stride, " = (usize)gridDim.x * ", threads, ";"]);
        let index = self.counter_name(counter);
        self.write_unroll(label);
        let head = |advance| c!["for (", ty, " ", index, " = ", first, "; ", index, " < ", length, "; ", index, advance, ") {"];
        let plain = head(c![" += ", stride]);
        if self.analysis.overflowing_strides.contains(&label) {
            // The last element of a thread is the last also where the next would be beyond 2^64.
            self.need("int");
            let saturating = head(c![" = gr_saturating_add(", index, ", ", stride, ")"]);
            if self.has_narrow_variant() {
                self.writer.line_of_width(false, saturating);
                self.writer.line_of_width(true, plain);
            } else {
                self.writer.line(saturating);
            }
        } else {
            self.writer.line(plain);
        }
        self.write_counter_copy(counter, &index);
        self.write_loop_body(label, body);
        self.leave(label);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a `for` loop")]
    fn write_for(
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
            RangeAdapter::StepBy { step, site, .. } => Some((step, *site)),
            RangeAdapter::Rev(_) => None,
        });
        let ty = self.type_name(&counter_type);
        let rounds = |emitter: &mut Self, end: CText| Rounds {
            label,
            counter,
            ty: if is_wide { emitter.type_name(&Type::Scalar(Scalar::I64)) } else { ty.clone() },
            is_wide,
            may_be_negative: !is_literal_start && ahead::has_sign(emitter.function, counter),
            end,
            constant_end: None,
            constant_count: None,
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
            self.write_stepping(label, counter, [start.text, last], [false, true], "1".into(), body);
            self.writer.dedent();
            self.writer.line("}");
            self.leave(label);
            return;
        }
        let start = self.pinned(start, &counter_type, "start").text;
        let end = self.pinned(end, &counter_type, "end").text;
        let step = match step {
            Some((step, site)) => {
                let is_literal = matches!(&step.kind, ExprKind::Int(literal) if literal.value > 0);
                let step = self.value(step);
                let step = self.pinned(step, &Type::USIZE, "step").text;
                if !is_literal {
                    self.write_check(c![step, " == 0"], site, NO_VALUES);
                }
                step
            }
            None => "1".into(),
        };
        self.write_stepping(label, counter, [start, end], [reversed, inclusive], step, body);
        self.leave(label);
    }

    /// The loop with its checks in it, before it or behind it.
    fn write_with_checks(&mut self, rounds: Rounds<'_>, start: Code) {
        let Rounds { label, counter, is_wide, body, .. } = rounds;
        let counter_type = &self.function.local(counter).ty;
        if let Some(bounded) = bounded::plan(self.function, self.analysis, counter, body).filter(|_| !is_wide) {
            self.write_with_checks_before(&bounded, &rounds, start);
        } else if let Some(ahead) = ahead::plan(self.function, self.analysis, counter, body).filter(|_| !is_wide) {
            let next = CText::from(self.companion(counter, "next"));
            self.writer.line(c![rounds.ty, " ", next, " = ", start.text, ";"]);
            let counted = ahead::Counted { label, counter, next, end: rounds.end.clone(), count: rounds.constant_count.clone(), body };
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
    fn write_stepping(
        &mut self,
        label: LabelId,
        counter: LocalId,
        [start, end]: [CText; 2],
        [reversed, inclusive]: [bool; 2],
        step: CText,
        body: &Block,
    ) {
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
        self.write_unroll(label);
        wide_line(&mut self.writer, c!["while (", more, ") {"]);
        if is_plain {
            let header = c!["for (", ty, " ", next, " = ", start, "; ", next, " < ", end, "; ", next, " += ", step, ") {"];
            self.writer.line_of_width(true, header);
        }
        self.writer.indent();
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
        let Rounds { label, counter, ty, is_wide, end, constant_end, body, .. } = rounds;
        if let Some(last) = constant_end {
            self.write_count(*label, *counter, last, end, body);
            return;
        }
        let index = if *is_wide { self.companion(*counter, "next") } else { self.counter_name(*counter) };
        self.write_unroll(*label);
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
            let is_array = |expr: &Expr| matches!(expr.ty, Type::Array(..));
            if self.function.labels[rounds.label.0].unroll.is_none() && !rounds.body.any(&is_array) {
                self.writer.line("#pragma unroll 1");
            }
        }
        self.write_rounds(rounds, first);
    }

    /// `for counter in 0..end` with a constant `last` as the end, which counts in 32 bits if they hold it: a GPU compares and adds
    /// words of 64 bits in two instructions each.
    fn write_count(&mut self, label: LabelId, counter: LocalId, last: &CText, end: &CText, body: &Block) {
        self.need("counter");
        let index = self.companion(counter, "next");
        self.write_unroll(label);
        self.writer.line(c!["for (gr_counter<", last, "> ", index, " = 0; ", index, " < ", end, "; ", index, "++) {"]);
        self.write_counter_copy(counter, &index);
        self.write_loop_body(label, body);
    }

    /// The C variable of a simple `for`: the counter itself, or, if the body may change that, a variable behind it.
    fn counter_name(&mut self, counter: LocalId) -> String {
        if self.function.local(counter).mutable { self.companion(counter, "next") } else { self.name(counter).to_owned() }
    }

    /// Declares the counter behind the C variable `index`.
    fn write_counter_copy(&mut self, counter: LocalId, index: &str) {
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

    /// A value that the loop reads in every round and nothing may change.
    fn pinned(&mut self, code: Code, ty: &Type, base: &str) -> Code {
        if code.is_constant() && code.is_word() { code } else { self.spill(code, ty, base) }
    }

    /// The body and the closing brace; the opening one stands.
    pub(super) fn write_loop_body(&mut self, label: LabelId, body: &Block) {
        let outer = self.writer.begin_capture();
        self.writer.indent();
        self.write_block_contents(body);
        self.writer.dedent();
        let lines = self.writer.end_capture(outer);
        match self.labels[label.0].continue_label.clone() {
            None => self.writer.append(lines),
            Some(continue_label) => {
                // Braces around the body: no jump may enter the scope of a variable.
                self.writer.indent();
                self.writer.line("{");
                self.writer.append_indented(lines);
                self.writer.line("}");
                self.writer.label(&continue_label);
                self.writer.dedent();
            }
        }
        self.writer.line("}");
    }

    /// `#pragma unroll 4`, directly before the loop.
    fn write_unroll(&mut self, label: LabelId) {
        match &self.function.labels[label.0].unroll {
            None => {}
            Some(Unroll::Fully) => self.writer.line("#pragma unroll"),
            Some(Unroll::Times(copies)) => {
                self.writer.line(c!["#pragma unroll (", unroll_factor(copies), ")"]);
            }
        }
    }

    fn enter(&mut self, label: LabelId, result: Option<&CText>) {
        // A loop in a guard may be written more than once, and each has C labels of its own.
        self.labels[label.0] = LabelState { result: result.cloned(), ..LabelState::default() };
    }

    fn leave(&mut self, label: LabelId) {
        if let Some(name) = self.labels[label.0].break_label.clone() {
            self.writer.label(&name);
        }
    }

    pub(super) fn write_break(&mut self, label: LabelId, named: bool, value: Option<&Expr>) {
        if let Some(value) = value {
            match self.labels[label.0].result.clone() {
                Some(place) => self.write_into(value, &place),
                None => self.write_effects(value),
            }
            if value.ty == Type::Never {
                return;
            }
        }
        self.write_jump(label, named, Jump::Break);
    }

    pub(super) fn write_continue(&mut self, label: LabelId, named: bool) {
        self.write_jump(label, named, Jump::Continue);
    }

    /// C's own statement applies to the innermost loop; a jump with a label becomes a `goto`, whose C label is created on first use.
    fn write_jump(&mut self, label: LabelId, named: bool, jump: Jump) {
        if !named {
            self.writer.line(format!("{};", jump.word()));
            return;
        }
        let name = match self.labels[label.0].target(jump).clone() {
            Some(name) => name,
            None => {
                let label_name = self.function.labels[label.0].name.as_ref().map(|name| name.ident.to_string());
                let name = self.namer.local(&format!("{}_{}", label_name.unwrap_or_default(), jump.word()));
                self.labels[label.0].target(jump).insert(name).clone()
            }
        };
        self.writer.line(format!("goto {name};"));
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

/// A number of copies as a C constant. Of a constant expression, rustc checks the range.
fn unroll_factor(copies: &Length) -> CText {
    if let Some(value) = copies.value() {
        return value.to_string().into();
    }
    let (value, most) = (copies.tokens(), Unroll::MOST_COPIES);
    let message = format!("a loop is unrolled 1 to {most} times");
    CText::hole(Piece::Constant(quote_spanned! {copies.span().resolved_at(Span::mixed_site())=> const {
        let copies = (#value) as ::core::primitive::i128;
        ::core::assert!(1 <= copies && copies <= #most as ::core::primitive::i128, #message);
        copies as ::core::primitive::u32
    }}))
}
