//! `match`, and `let` in conditions and with `else`.
//!
//! A `match` is a chain of tests in the order of its arms. A guard is part of its arm's test. If a guard needs statements, it runs after
//! its test, and its result selects its arm or the rest of the chain:
//!
//! ```c
//! bool guard = false;
//! if (test) {
//!   …
//!   guard = …;
//! }
//! if (guard) { the arm } else { the rest }
//! ```
//!
//! rustc has checked that the arms cover every value, so the last arm needs no test.

use super::Emitter;
use super::alternatives::is_tried_again;
use super::code::{Binding, Code};
use super::pattern::Subject;
use super::text::{CText, c, join};
use super::writer::Captured;
use crate::model::*;

/// When an arm is taken.
pub(super) struct Taken {
    /// The statements before the condition.
    pub(super) statements: Captured,
    /// `None`: always.
    pub(super) condition: Option<Code>,
    /// The values of the arm's names, if they depend on the way in which its pattern matches.
    pub(super) bound: Option<Vec<(LocalId, Code)>>,
}

impl Emitter<'_> {
    pub(super) fn write_match(&mut self, scrutinee: &Expr, arms: &[Arm], result: Option<&CText>) {
        let subject = self.subject(scrutinee);
        if scrutinee.ty == Type::Never {
            return;
        }
        match &subject {
            Subject::Place(place) if is_switch(scrutinee, arms) => self.write_switch(place, &subject, arms, result),
            _ => self.write_chain(&subject, arms, result),
        }
    }

    fn write_chain(&mut self, subject: &Subject, arms: &[Arm], result: Option<&CText>) {
        // An `if` whose brace is open, and the blocks around it after an `else`.
        let (mut is_open, mut depth) = (false, 0);
        for (i, arm) in arms.iter().enumerate() {
            let Taken { statements, condition, bound } = self.arm_condition(arm, subject, is_open);
            if !statements.is_empty() {
                if is_open {
                    self.writer.line("} else {");
                    self.writer.indent();
                    (is_open, depth) = (false, depth + 1);
                }
                self.writer.append(statements);
            }
            let is_last = i + 1 == arms.len() && arm.guard.is_none();
            match condition.filter(|_| !is_last) {
                Some(condition) => {
                    let otherwise = if is_open { "} else " } else { "" };
                    self.writer.line(c![otherwise, "if (", condition.text, ") {"]);
                    self.write_arm_body(arm, subject, bound, result);
                    is_open = true;
                }
                None => {
                    self.writer.line(if is_open { "} else {" } else { "{" });
                    self.write_arm_body(arm, subject, bound, result);
                    is_open = true;
                    // No value comes past this arm.
                    break;
                }
            }
        }
        if is_open {
            self.writer.line("}");
        }
        for _ in 0..depth {
            self.writer.dedent();
            self.writer.line("}");
        }
    }

    /// When an arm is taken. `nested`: the statements will stand in a block of their own.
    fn arm_condition(&mut self, arm: &Arm, subject: &Subject, nested: bool) -> Taken {
        if let Some(guard) = arm.guard.as_ref().filter(|guard| is_tried_again(guard, &arm.pattern)) {
            return self.alternatives_condition(&arm.pattern, guard, subject, nested);
        }
        let test = self.test(&arm.pattern, subject);
        let outer = self.writer.begin_capture();
        let Some(guard) = &arm.guard else { return Taken { statements: self.writer.end_capture(outer), condition: test, bound: None } };
        let steps = usize::from(nested) + usize::from(test.is_some());
        let bound = self.bindings(&arm.pattern, subject);
        (0..steps).for_each(|_| self.writer.indent());
        let guard = self.guard(guard, &bound);
        (0..steps).for_each(|_| self.writer.dedent());
        let statements = self.writer.end_capture(outer);
        let Some(test) = test else { return Taken { statements, condition: Some(guard), bound: None } };
        if statements.is_empty() {
            let (test, guard) = (test.left_operand_of(Binding::And), guard.operand_of(Binding::And));
            let condition = Some(Code::bound(Binding::And, c![test, " && ", guard]));
            return Taken { statements, condition, bound: None };
        }
        let outer = self.writer.begin_capture();
        (0..usize::from(nested)).for_each(|_| self.writer.indent());
        let name = self.namer.temporary("guard");
        self.writer.line(format!("bool {name} = false;"));
        self.writer.line(c!["if (", test.text, ") {"]);
        self.writer.append(statements);
        self.writer.indent();
        self.writer.line(c![name, " = ", guard.text, ";"]);
        self.writer.dedent();
        self.writer.line("}");
        (0..usize::from(nested)).for_each(|_| self.writer.dedent());
        Taken { statements: self.writer.end_capture(outer), condition: Some(Code::word(name)), bound: None }
    }

    /// The value of a guard, in which a name stands for the place of its value. (An arm that has been written before has left an angle of it,
    /// which is not in scope here.)
    pub(super) fn guard(&mut self, guard: &Expr, bound: &[(LocalId, Code)]) -> Code {
        bound.iter().for_each(|(local, _)| self.angles[local.0] = None);
        let names: Vec<Code> = bound.iter().map(|(local, place)| std::mem::replace(&mut self.places[local.0], place.clone())).collect();
        let guard = self.value(guard);
        for ((local, _), name) in bound.iter().zip(names) {
            self.places[local.0] = name;
        }
        guard
    }

    /// The inside of the braces of an arm. `bound`: the values of its names, if that depends on the way in which it was taken.
    fn write_arm_body(&mut self, arm: &Arm, subject: &Subject, bound: Option<Vec<(LocalId, Code)>>, result: Option<&CText>) {
        self.writer.indent();
        self.origin(arm.body.span);
        let bound = bound.unwrap_or_else(|| self.bindings(&arm.pattern, subject));
        for (local, value) in bound {
            self.bind(local, &value.text);
        }
        self.writer.dedent();
        self.write_else(&arm.body, result);
    }

    fn write_switch(&mut self, place: &Code, subject: &Subject, arms: &[Arm], result: Option<&CText>) {
        self.writer.line(c!["switch (", place.text, ") {"]);
        self.writer.indent();
        for (i, arm) in arms.iter().enumerate() {
            if i + 1 == arms.len() {
                self.writer.line("default: {");
            } else {
                let values = literals(&arm.pattern).unwrap_or_default();
                let labels = values.into_iter().map(|(_, literal)| c!["case ", self.value(literal).text, ":"]);
                let labels = join(labels, " ");
                self.writer.line(c![labels, " {"]);
            }
            self.write_arm_body(arm, subject, None, result);
            if arm.body.ty != Type::Never {
                self.writer.indent();
                self.writer.line("break;");
                self.writer.dedent();
            }
            self.writer.line("}");
        }
        self.writer.dedent();
        self.writer.line("}");
    }

    /// `if` with a condition that binds names.
    pub(super) fn write_if_let(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Expr>, result: Option<&CText>) {
        let conditions = condition.conjuncts();
        let (first, more) = conditions.split_first().expect("a condition is at least itself");
        // With several conditions there are several ways to `else`.
        let matched = otherwise.filter(|_| !more.is_empty()).map(|_| self.namer.temporary("matched"));
        if let Some(matched) = &matched {
            self.writer.line(format!("bool {matched} = false;"));
        }
        let mut depth = 0;
        for condition in std::iter::once(first).chain(more) {
            let (test, bound) = self.let_test(condition);
            self.writer.line(c!["if (", test.map_or_else(|| "true".into(), |test| test.text), ") {"]);
            self.writer.indent();
            depth += 1;
            self.write_let_bindings(bound);
        }
        if let Some(matched) = &matched {
            self.writer.line(format!("{matched} = true;"));
        }
        self.writer.dedent();
        self.write_arm(then, result);
        for _ in 1..depth {
            self.writer.line("}");
            self.writer.dedent();
        }
        match (otherwise, matched) {
            (Some(otherwise), None) => {
                self.writer.line("} else {");
                self.write_else(otherwise, result);
            }
            (Some(otherwise), Some(matched)) => {
                self.writer.line("}");
                self.writer.line(format!("if (!{matched}) {{"));
                self.write_else(otherwise, result);
            }
            (None, _) => {}
        }
        self.writer.line("}");
    }

    /// The head of a `while` whose condition binds names, up to where its body begins.
    pub(super) fn write_while_let(&mut self, condition: &Expr) {
        self.write_endless("while (true) {");
        self.writer.indent();
        for condition in condition.conjuncts() {
            let (test, bound) = self.let_test(condition);
            if let Some(test) = test {
                self.writer.line(c!["if (", test.negated(), ") break;"]);
            }
            self.write_let_bindings(bound);
        }
        self.writer.dedent();
    }

    /// `let pattern = init else { otherwise };`
    pub(super) fn write_let_else(&mut self, pattern: &Pattern, init: &Expr, otherwise: &Block) {
        let subject = self.subject(init);
        if init.ty == Type::Never {
            return;
        }
        if let Some(test) = self.test(pattern, &subject) {
            self.writer.line(c!["if (", test.negated(), ") {"]);
            self.write_arm(otherwise, None);
            self.writer.line("}");
        }
        self.write_bindings(pattern, &subject);
    }

    /// When one of the conditions that `&&` joins holds (`None`: always), and what it binds.
    fn let_test<'e>(&mut self, condition: &'e Expr) -> (Option<Code>, Option<(&'e Pattern, Subject)>) {
        let ExprKind::Let { pattern, value } = &condition.kind else { return (Some(self.value(condition)), None) };
        let subject = self.subject(value);
        (self.test(pattern, &subject), Some((pattern, subject)))
    }

    fn write_let_bindings(&mut self, bound: Option<(&Pattern, Subject)>) {
        if let Some((pattern, subject)) = bound {
            self.write_bindings(pattern, &subject);
        }
    }

    /// A `match` that [only asks](is_test) whether a pattern matches.
    pub(super) fn match_test(&mut self, scrutinee: &Expr, arms: &[Arm]) -> Code {
        let subject = self.subject(scrutinee);
        self.test(&arms[0].pattern, &subject).unwrap_or_else(|| Code::constant_word("true"))
    }
}

/// Whether a `match` only asks whether a pattern matches: `{ pattern => true, _ => false }`.
pub(super) fn is_test(arms: &[Arm]) -> bool {
    let is = |arm: &Arm, truth: bool| arm.guard.is_none() && matches!(arm.body.kind, ExprKind::Bool(value) if value == truth);
    matches!(arms, [yes, no] if is(yes, true) && is(no, false) && no.pattern.is_irrefutable())
}

/// Whether C's `switch` is equivalent: three or more arms of different integer literals, and one arm for the rest.
fn is_switch(scrutinee: &Expr, arms: &[Arm]) -> bool {
    let Some((last, arms)) = arms.split_last() else { return false };
    let is_integer = scrutinee.ty.as_scalar().is_some_and(Scalar::is_integer);
    let mut seen = Vec::new();
    let distinct = arms.iter().all(|arm| {
        literals(&arm.pattern).is_some_and(|values| {
            values.iter().all(|(value, _)| {
                let is_new = !seen.contains(value);
                seen.push(*value);
                is_new
            })
        })
    });
    is_integer
        && arms.len() >= 3
        && distinct
        && last.pattern.is_irrefutable()
        && arms.iter().chain([last]).all(|arm| arm.guard.is_none() && !breaks_out(&arm.body))
}

/// The integers of a pattern that is one, or an or-pattern of some.
fn literals(pattern: &Pattern) -> Option<Vec<(i128, &Expr)>> {
    match &pattern.kind {
        PatternKind::Value(value) => {
            let (negative, literal) = match &value.kind {
                ExprKind::Unary { op: UnaryOp::Negate, operand } => (true, &operand.kind),
                kind => (false, kind),
            };
            let ExprKind::Int(literal) = literal else { return None };
            let number = i128::try_from(literal.value).ok()?;
            Some(vec![(if negative { -number } else { number }, value)])
        }
        PatternKind::Or(alternatives) => {
            let alternatives: Option<Vec<_>> = alternatives.iter().map(literals).collect();
            Some(alternatives?.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// Whether a `break` without a name leaves a loop around `body`: inside a `switch`, C would take it for the switch's.
fn breaks_out(body: &Expr) -> bool {
    fn visit(expr: &Expr, inner: &mut Vec<LabelId>, found: &mut bool) {
        match &expr.kind {
            ExprKind::Loop { label, .. } | ExprKind::While { label, .. } | ExprKind::For { label, .. } => inner.push(*label),
            ExprKind::Break { label, named: false, .. } => *found |= !inner.contains(label),
            _ => {}
        }
        expr.for_each_child(&mut |child| visit(child, inner, found));
    }
    let mut found = false;
    visit(body, &mut Vec::new(), &mut found);
    found
}
