//! Statements.

use super::places::{Kind, Variable};
use super::scalar::Scalar;
use super::types::Type;
use super::weights::{BUDGET, DEEPEST, DEPTH, STATEMENTS, Statement, choose};
use super::{Generator, Label};

impl Generator<'_> {
    /// So many statements, each on lines of its own.
    pub(super) fn stmts(&mut self, count: u32, indent: usize, lines: &mut Vec<String>) {
        for _ in 0..count {
            self.budget = BUDGET;
            self.stmt(indent, lines);
        }
    }

    fn stmt(&mut self, indent: usize, lines: &mut Vec<String>) {
        let pad = "    ".repeat(indent);
        let nests = indent <= DEEPEST;
        let line = match choose(self.rng, STATEMENTS) {
            Statement::Line => self.line(DEPTH),
            Statement::Destructure => self.destructure(),
            Statement::TypedByUse => return self.typed_by_use(&pad, lines),
            Statement::AssignedLater => return self.assigned_later(&pad, lines),
            Statement::LetElse if self.may_leave() => self.let_else(),
            Statement::If if nests => return self.branch(indent, lines),
            Statement::IfLet if nests => return self.if_let(indent, lines),
            Statement::Match if nests => return self.match_statement(indent, lines),
            Statement::Loop if nests && self.loops < 2 => return self.repeat(indent, lines),
            Statement::Jump if !self.labels.is_empty() => format!("if {} {{ {}; }}", self.condition(2), self.jump()),
            Statement::LabelledBlock if nests => {
                let label = self.fresh_label();
                lines.push(format!("{pad}{label}: {{"));
                self.nested(Some(Label { name: label, is_loop: false }), 2, indent, lines);
                "}".to_owned()
            }
            Statement::Block if nests => {
                lines.push(format!("{pad}{{"));
                self.nested(None, 2, indent, lines);
                "}".to_owned()
            }
            Statement::Assert if !self.safe => format!("assert!({} || {}, \"broken\");", self.condition(DEPTH), self.condition(2)),
            Statement::Return if !self.safe => {
                let (a, b) = (self.condition(2), self.condition(2));
                let value = self.output.clone().map(|output| self.expr(&output, 2, true)).unwrap_or_default();
                format!("if {a} && {b} {{ return {value}; }}")
            }
            Statement::Value => {
                let ty = self.any_type(1);
                format!("{};", self.expr(&ty, DEPTH, false))
            }
            Statement::Closure => self.closure_statement(),
            Statement::Form => return self.form(&pad, lines),
            Statement::Method => self.method_call().unwrap_or_else(|| self.line(DEPTH)),
            _ => return self.trace_one(&pad, lines),
        };
        lines.push(pad + &line);
    }

    pub(super) fn nested(&mut self, label: Option<Label>, count: u32, indent: usize, lines: &mut Vec<String>) {
        let has_label = label.is_some();
        self.labels.extend(label);
        self.scoped(|inner| inner.stmts(count, indent + 1, lines));
        if has_label {
            self.labels.pop();
        }
    }

    /// A declaration or assignment on one line.
    pub(super) fn line(&mut self, depth: u32) -> String {
        match self.rng.u32(..10) {
            0..3 => {
                let (ty, name) = (self.any_type(2), self.name());
                let value = self.expr(&ty, depth, true);
                self.declare(&name, Kind::Value(ty.clone()), true);
                format!("let mut {name}: {} = {value};", ty.name())
            }
            3 => {
                let (ty, name) = (self.any_type(2), self.name());
                let value = self.expr(&ty, depth, false);
                self.declare_variable(Variable { name: name.clone(), kind: Kind::Value(ty), mutable: true, opaque: true });
                format!("let mut {name} = {value};")
            }
            _ => self.assignment(depth),
        }
    }

    fn assignment(&mut self, depth: u32) -> String {
        let Some(place) = self.any_place(None, true) else { return String::new() };
        match (self.rng.u32(..10), place.ty.as_scalar()) {
            (0, _) => {
                let Some(other) = self.any_place(None, true) else { return String::new() };
                let (a, b) = (self.expr(&place.ty, depth, true), self.expr(&other.ty, depth, true));
                format!("({}, {}) = ({a}, {b});", place.text, other.text)
            }
            (1, _) => {
                let dropped = self.any_type(1);
                let (a, b) = (self.expr(&place.ty, depth, true), self.expr(&dropped, depth, false));
                format!("({}, _) = ({a}, {b});", place.text)
            }
            (2..6, Some(scalar)) => self.compound(&place.text, scalar, depth),
            _ => {
                let value = self.expr(&place.ty, depth, true);
                format!("{} = {value};", place.text)
            }
        }
    }

    fn compound(&mut self, place: &str, scalar: Scalar, depth: u32) -> String {
        let ty = Type::Scalar(scalar);
        let operator = match scalar {
            Scalar::Bool => self.pick(&["&", "|", "^"]),
            Scalar::Float { .. } => self.pick(&["+", "-", "*", "/", "%"]),
            Scalar::Int { .. } if self.safe => self.pick(&["+", "-", "*", "&", "|", "^", "<<", ">>"]),
            Scalar::Int { .. } => self.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]),
        };
        let value = match operator {
            "<<" | ">>" => {
                let by = Scalar::any_integer(self.rng);
                let amount = self.expr(&Type::Scalar(by), depth, true);
                format!("({{ let amount: {} = {amount}; amount }})", by.name())
            }
            "/" | "%" if scalar.is_integer() => format!("({} | 1)", self.expr(&ty, depth, true)),
            _ => self.expr(&ty, depth, true),
        };
        if value.contains('{') {
            // Rust evaluates a value with effects before the place only if both are numbers, and the macro does not see that of all.
            let first = self.fresh_name("first");
            return format!("{{ let {first} = {value}; {place} {operator}= {first}; }}");
        }
        format!("{place} {operator}= {value};")
    }

    fn destructure(&mut self) -> String {
        let ty = self.any_type(2);
        let value = self.expr(&ty, DEPTH, true);
        let bound = self.pattern(&ty, false);
        for variable in bound.variables {
            self.declare_variable(variable);
        }
        format!("let {}: {} = {value};", bound.pattern, ty.name())
    }

    fn let_else(&mut self) -> String {
        let (value, of) = self.matched(2);
        let bound = self.pattern(&of, true);
        let leave = self.scoped(Self::leave);
        for variable in bound.variables {
            self.declare_variable(variable);
        }
        format!("let {} = {value} else {{ {leave}; }};", bound.pattern)
    }

    /// A literal without a type, which a later use gives it.
    fn typed_by_use(&mut self, pad: &str, lines: &mut Vec<String>) {
        let scalar = Scalar::any_number(self.rng);
        let value = self.expr(&Type::Scalar(scalar), 2, false);
        let (late, name) = (self.fresh_name("late"), self.name());
        let literal = if scalar.is_float() { self.pick(&["1.5", "0.1", "3.0"]) } else { self.pick(&["1", "3", "100"]) };
        lines.push(format!("{pad}let mut {late} = {literal};"));
        lines.push(format!("{pad}{late} {}= {value};", self.pick(&["+", "-", "*"])));
        lines.push(format!("{pad}let mut {name} = {late};"));
        self.declare(&name, Kind::Value(Type::Scalar(scalar)), true);
    }

    /// A variable that gets its value in both branches.
    fn assigned_later(&mut self, pad: &str, lines: &mut Vec<String>) {
        let ty = self.any_type(1);
        let (late, name) = (self.fresh_name("late"), self.name());
        let condition = self.condition(2);
        let (then, otherwise) = (self.expr(&ty, 2, true), self.expr(&ty, 2, true));
        lines.push(format!("{pad}let {late}: {};", ty.name()));
        lines.push(format!("{pad}if {condition} {{ {late} = {then}; }} else {{ {late} = {otherwise}; }}"));
        lines.push(format!("{pad}let mut {name} = {late};"));
        self.declare(&name, Kind::Value(ty), true);
    }

    fn branch(&mut self, indent: usize, lines: &mut Vec<String>) {
        let pad = "    ".repeat(indent);
        let condition = self.condition(DEPTH);
        lines.push(format!("{pad}if {condition} {{"));
        let count = self.rng.u32(1..3);
        self.nested(None, count, indent, lines);
        if self.chance(0.3) {
            self.budget = 10;
            let condition = self.condition(DEPTH);
            lines.push(format!("{pad}}} else if {condition} {{"));
            self.nested(None, 1, indent, lines);
        }
        if self.rng.bool() {
            lines.push(format!("{pad}}} else {{"));
            self.nested(None, 1, indent, lines);
        }
        lines.push(pad + "}");
    }

    fn if_let(&mut self, indent: usize, lines: &mut Vec<String>) {
        let pad = "    ".repeat(indent);
        let (condition, bound) = self.let_condition(2);
        lines.push(format!("{pad}if {condition} {{"));
        let count = self.rng.u32(1..3);
        self.with_bound(&bound, |inner| inner.nested(None, count, indent, lines));
        if self.rng.bool() {
            lines.push(format!("{pad}}} else {{"));
            self.nested(None, 1, indent, lines);
        }
        lines.push(pad + "}");
    }

    fn match_statement(&mut self, indent: usize, lines: &mut Vec<String>) {
        let pad = "    ".repeat(indent);
        let (value, of) = self.matched(DEPTH);
        let (bounds, optional) = self.patterns_of_all(&of);
        lines.push(format!("{pad}match {value} {{"));
        for (i, bound) in bounds.iter().enumerate() {
            self.budget = BUDGET;
            self.with_bound(bound, |inner| {
                let guard = inner.guard(if i < optional { 0.3 } else { 0.0 });
                match inner.rng.u32(..8) {
                    0 if inner.may_leave() => {
                        let leave = inner.leave();
                        lines.push(format!("{pad}    {}{guard} => {leave},", bound.pattern));
                    }
                    1 => lines.push(format!("{pad}    {}{guard} => {{}}", bound.pattern)),
                    _ => {
                        lines.push(format!("{pad}    {}{guard} => {{", bound.pattern));
                        inner.nested(None, 1, indent + 1, lines);
                        lines.push(format!("{pad}    }}"));
                    }
                }
            });
        }
        lines.push(pad + "}");
    }
}
