//! Branches, loops and jumps.
//!
//! `for` loops over ranges are in [`ranges`](super::ranges).

use super::code::Code;
use super::text::{CText, c};
use super::{Emitter, LabelState, types};
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
        self.writer.line(head);
        self.writer.indent();
        self.write_round();
        self.writer.dedent();
    }

    pub(super) fn write_round(&mut self) {
        self.need("round");
        self.writer.line("gr_round();");
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

    /// A value that the loop reads in every round and nothing may change.
    pub(super) fn pinned(&mut self, code: Code, ty: &Type, base: &str) -> Code {
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

    /// The same of a version of the loop that is [rolled](Rounds::is_rolled) or not.
    pub(super) fn write_unroll_of_version(&mut self, label: LabelId, is_rolled: bool) {
        match self.function.labels[label.0].unroll {
            None if is_rolled => self.writer.line("#pragma unroll 1"),
            _ => self.write_unroll(label),
        }
    }

    /// `#pragma unroll 4`, directly before the loop.
    pub(super) fn write_unroll(&mut self, label: LabelId) {
        match &self.function.labels[label.0].unroll {
            None => {}
            Some(Unroll::Fully) => self.writer.line("#pragma unroll"),
            Some(Unroll::Times(copies)) => {
                self.writer.line(c!["#pragma unroll (", unroll_factor(copies), ")"]);
            }
        }
    }

    pub(super) fn enter(&mut self, label: LabelId, result: Option<&CText>) {
        // A loop in a guard may be written more than once, and each has C labels of its own.
        self.labels[label.0] = LabelState { result: result.cloned(), ..LabelState::default() };
    }

    pub(super) fn leave(&mut self, label: LabelId) {
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
