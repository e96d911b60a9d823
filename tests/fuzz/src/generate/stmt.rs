//! Statements.

use super::types::{Scalar, Type, integer_literal};
use super::{Generator, Kind, Label, TRACE};

/// How deep expressions of a statement go.
const DEPTH: u32 = 3;

/// The most nested blocks of statements.
const DEEPEST: usize = 4;

impl Generator<'_> {
    /// So many statements, each on lines of its own.
    pub(crate) fn stmts(&mut self, count: u32, indent: usize, lines: &mut Vec<String>) {
        for _ in 0..count {
            self.budget = 25;
            self.stmt(indent, lines);
        }
    }

    fn stmt(&mut self, indent: usize, lines: &mut Vec<String>) {
        let pad = "    ".repeat(indent);
        let flat = indent > DEEPEST;
        match self.rng.u32(..100) {
            0..38 => {
                let line = self.line(DEPTH);
                lines.push(pad + &line);
            }
            38..42 => self.destructure(&pad, lines),
            42..45 => self.typed_by_use(&pad, lines),
            45..48 => self.assigned_later(&pad, lines),
            48..58 if !flat => self.branch(indent, lines),
            58..72 if !flat && self.loops < 2 => self.repeat(indent, lines),
            72..76 if !self.labels.is_empty() => {
                let line = self.jump();
                lines.push(pad + &line);
            }
            76..79 if !flat => {
                let label = self.fresh_label();
                lines.push(format!("{pad}{label}: {{"));
                self.nested(Some(Label { name: label, is_loop: false }), 2, indent, lines);
                lines.push(pad + "}");
            }
            79 => {
                let (a, b) = (self.condition(DEPTH), self.condition(2));
                lines.push(format!("{pad}assert!({a} || {b}, \"broken\");"));
            }
            80 => {
                let (a, b) = (self.condition(2), self.condition(2));
                let value = self.output.clone().map(|output| self.expr(&output, 2, true)).unwrap_or_default();
                lines.push(format!("{pad}if {a} && {b} {{ return {value}; }}"));
            }
            81..83 if !flat => {
                lines.push(format!("{pad}{{"));
                self.nested(None, 2, indent, lines);
                lines.push(pad + "}");
            }
            83 | 84 => {
                let ty = Type::any(self.rng, 1);
                let line = self.expr(&ty, DEPTH, false);
                lines.push(format!("{pad}{line};"));
            }
            _ => self.trace_one(&pad, lines),
        }
    }

    fn nested(&mut self, label: Option<Label>, count: u32, indent: usize, lines: &mut Vec<String>) {
        let has_label = label.is_some();
        self.labels.extend(label);
        self.scoped(|inner| inner.stmts(count, indent + 1, lines));
        if has_label {
            self.labels.pop();
        }
    }

    /// A declaration or assignment on one line.
    pub(crate) fn line(&mut self, depth: u32) -> String {
        match self.rng.u32(..10) {
            0..3 => {
                let (ty, name) = (Type::any(self.rng, 2), self.name());
                let value = self.expr(&ty, depth, true);
                self.declare(&name, Kind::Value(ty.clone()), true);
                format!("let mut {name}: {} = {value};", ty.name())
            }
            3 => {
                let (ty, name) = (Type::any(self.rng, 2), self.name());
                let value = self.expr(&ty, depth, false);
                self.declare(&name, Kind::Value(ty), true);
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
                let dropped = Type::any(self.rng, 1);
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
        format!("{place} {operator}= {value};")
    }

    fn destructure(&mut self, pad: &str, lines: &mut Vec<String>) {
        let types: Vec<Type> = (0..self.rng.usize(2..4)).map(|_| Type::any(self.rng, 1)).collect();
        let mut names: Vec<String> = Vec::new();
        while names.len() < types.len() {
            let name = self.name();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let tuple = Type::Tuple(types.clone());
        let value = self.expr(&tuple, DEPTH, true);
        let pattern = names.iter().map(|name| format!("mut {name}")).collect::<Vec<_>>().join(", ");
        lines.push(format!("{pad}let ({pattern},): {} = {value};", tuple.name()));
        for (name, ty) in names.iter().zip(types) {
            self.declare(name, Kind::Value(ty), true);
        }
    }

    /// A literal without a type, which a later use gives it.
    fn typed_by_use(&mut self, pad: &str, lines: &mut Vec<String>) {
        let scalar = Scalar::any_number(self.rng);
        let value = self.expr(&Type::Scalar(scalar), 2, false);
        self.fresh += 1;
        let (late, name) = (format!("late{}", self.fresh), self.name());
        let literal = if scalar.is_float() { self.pick(&["1.5", "0.1", "3.0"]) } else { self.pick(&["1", "3", "100"]) };
        lines.push(format!("{pad}let mut {late} = {literal};"));
        lines.push(format!("{pad}{late} {}= {value};", self.pick(&["+", "-", "*"])));
        lines.push(format!("{pad}let mut {name} = {late};"));
        self.declare(&name, Kind::Value(Type::Scalar(scalar)), true);
    }

    /// A variable that gets its value in both branches.
    fn assigned_later(&mut self, pad: &str, lines: &mut Vec<String>) {
        let ty = Type::any(self.rng, 1);
        self.fresh += 1;
        let (late, name) = (format!("late{}", self.fresh), self.name());
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
        if self.rng.f32() < 0.3 {
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

    fn jump(&mut self) -> String {
        let condition = self.condition(2);
        let label = self.labels[self.rng.usize(..self.labels.len())].clone();
        let jump = if label.is_loop { self.pick(&["break", "continue"]) } else { "break" };
        format!("if {condition} {{ {jump} {}; }}", label.name)
    }

    fn repeat(&mut self, indent: usize, lines: &mut Vec<String>) {
        self.loops += 1;
        match self.rng.u32(..10) {
            0..6 => self.for_loop(indent, lines),
            6..9 => self.while_loop(indent, lines),
            _ => self.loop_with_value(indent, lines),
        }
        self.loops -= 1;
    }

    /// A loop over a short range, often at an edge of its type.
    fn for_loop(&mut self, indent: usize, lines: &mut Vec<String>) {
        let (pad, label) = ("    ".repeat(indent), self.fresh_label());
        let scalar = Scalar::any_integer(self.rng);
        let (low, high) = scalar.range();
        let start = scalar.any_value(self.rng);
        let end = (start + i128::from(self.rng.i8(-2..6))).clamp(low, high);
        let inclusive = self.rng.f32() < 0.4;
        let [first, last] = [(start, scalar.name()), (end, "")].map(|(value, suffix)| integer_literal(value, suffix, false));
        let mut range = format!("{first}..{}{last}", if inclusive { "=" } else { "" });
        if self.rng.f32() < 0.3 {
            // The bounds are known at run time only.
            let base = self.expr(&Type::Scalar(scalar), 2, false);
            let (name, length) = (self.fresh_counter(), self.rng.u8(..5));
            lines.push(format!("{pad}let {name}: {} = {base};", scalar.name()));
            range = format!("{name}..{}{name}.saturating_add({length})", if inclusive { "=" } else { "" });
        }
        match self.rng.u32(..6) {
            0 => range = format!("({range}).rev()"),
            1 => range = format!("({range}).step_by({})", self.pick(&["1", "2", "3", "usize::MAX", "(1 << 33)"])),
            2 => range = format!("({range}).rev().step_by({})", self.pick(&["1", "2", "7"])),
            _ => {}
        }
        let name = self.name();
        let mutable = self.rng.f32() < 0.3;
        lines.push(format!("{pad}{label}: for {}{name} in {range} {{", if mutable { "mut " } else { "" }));
        self.labels.push(Label { name: label, is_loop: true });
        self.scoped(|inner| {
            inner.declare(&name, Kind::Value(Type::Scalar(scalar)), mutable);
            inner.trace(&name, &Type::Scalar(scalar), &format!("{pad}    "), lines);
            let count = inner.rng.u32(1..3);
            inner.stmts(count, indent + 1, lines);
        });
        self.labels.pop();
        lines.push(pad + "}");
    }

    fn while_loop(&mut self, indent: usize, lines: &mut Vec<String>) {
        let (pad, label, counter) = ("    ".repeat(indent), self.fresh_label(), self.fresh_counter());
        let rounds = self.rng.u32(..5);
        lines.push(format!("{pad}let mut {counter} = 0u32;"));
        let condition = match self.rng.u32(..3) {
            0 => format!("{{ {counter} += 1; {counter} < {rounds} }} && {}", self.condition(2)),
            1 => format!("{} && {{ {counter} += 1; {counter} < {rounds} }}", self.condition(2)),
            _ => format!("{{ {counter} += 1; {counter} < {rounds} }}"),
        };
        lines.push(format!("{pad}{label}: while {condition} {{"));
        let count = self.rng.u32(1..3);
        self.nested(Some(Label { name: label, is_loop: true }), count, indent, lines);
        lines.push(pad + "}");
    }

    fn loop_with_value(&mut self, indent: usize, lines: &mut Vec<String>) {
        let (pad, label, counter) = ("    ".repeat(indent), self.fresh_label(), self.fresh_counter());
        let (ty, name) = (Type::any(self.rng, 1), self.name());
        let (first, second) = (self.expr(&ty, 2, true), self.expr(&ty, 2, true));
        let (condition, rounds) = (self.condition(2), self.rng.u32(..4));
        lines.push(format!("{pad}let mut {counter} = 0u32;"));
        lines.push(format!("{pad}let mut {name}: {} = {label}: loop {{", ty.name()));
        lines.push(format!("{pad}    {counter} += 1;"));
        lines.push(format!("{pad}    if {counter} > {rounds} {{ break {first}; }}"));
        lines.push(format!("{pad}    if {condition} {{ break {label} {second}; }}"));
        // `break` without a value is no way out of it.
        let outer = std::mem::take(&mut self.labels);
        self.nested(None, 1, indent, lines);
        self.labels = outer;
        lines.push(pad + "};");
        self.declare(&name, Kind::Value(ty), true);
    }

    /// Leaves a trace of one variable.
    fn trace_one(&mut self, pad: &str, lines: &mut Vec<String>) {
        let values: Vec<(String, Type)> = self
            .visible()
            .into_iter()
            .filter_map(|variable| match variable.kind {
                Kind::Value(ty) => Some((variable.name, ty)),
                Kind::Slice { .. } => None,
            })
            .collect();
        if let Some((name, ty)) = values.get(self.rng.usize(..values.len().max(1))) {
            self.trace(name, ty, pad, lines);
        }
    }

    /// Leaves a trace of every number in `text`. Only kernels have where to.
    pub(crate) fn trace(&mut self, text: &str, ty: &Type, pad: &str, lines: &mut Vec<String>) {
        if self.output.is_some() {
            return;
        }
        match ty {
            Type::Scalar(scalar) => {
                let slot = self.traced % TRACE;
                self.traced += 1;
                let bits = match scalar {
                    Scalar::Float { .. } => format!("if {text}.is_nan() {{ 7u64 }} else {{ {text}.to_bits() as u64 }}"),
                    _ => format!("{text} as u64"),
                };
                lines.push(format!("{pad}trace[{slot}] = trace[{slot}].wrapping_mul(31).wrapping_add({bits});"));
            }
            Type::Tuple(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    self.trace(&format!("{text}.{i}"), element, pad, lines);
                }
            }
            Type::Array(element, length) => {
                for i in 0..*length {
                    self.trace(&format!("{text}[{i}]"), element, pad, lines);
                }
            }
        }
    }
}
