//! Loops.

use super::places::Kind;
use super::scalar::{Scalar, USIZE, integer_literal};
use super::types::Type;
use super::weights::{LOOPS, Loop, choose};
use super::{Generator, Label};

impl Generator<'_> {
    pub(super) fn repeat(&mut self, indent: usize, lines: &mut Vec<String>) {
        self.loops += 1;
        match choose(self.rng, LOOPS) {
            Loop::For => self.for_loop(indent, lines),
            Loop::Gather => self.gather_loop(indent, lines),
            Loop::While => self.while_loop(indent, lines),
            Loop::WhileLet => self.while_let_loop(indent, lines),
            Loop::WithValue => self.loop_with_value(indent, lines),
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
        let inclusive = self.chance(0.4);
        let [first, last] = [(start, scalar.name()), (end, "")].map(|(value, suffix)| integer_literal(value, suffix, false));
        let mut range = format!("{first}..{}{last}", if inclusive { "=" } else { "" });
        if self.chance(0.3) {
            // The bounds are known at run time only.
            let base = self.expr(&Type::Scalar(scalar), 2, false);
            let (name, length) = (self.fresh_name("round"), self.rng.u8(..5));
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
        let mutable = self.chance(0.3);
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

    /// A loop over the elements of a slice, and over elements of another one that these are indices of. It may go too far.
    fn gather_loop(&mut self, indent: usize, lines: &mut Vec<String>) {
        let slices: Vec<(String, Scalar, usize)> = self
            .visible()
            .into_iter()
            .filter_map(|variable| match variable.kind {
                Kind::Slice { element: Type::Scalar(element), length: Some(length) } => Some((variable.name, element, length)),
                _ => None,
            })
            .collect();
        if slices.is_empty() {
            return self.for_loop(indent, lines);
        }
        let pad = "    ".repeat(indent);
        let [from, to] = [(); 2].map(|()| slices[self.rng.usize(..slices.len())].clone());
        let excess = |generator: &mut Self| if generator.safe || generator.chance(0.7) { 0 } else { generator.rng.usize(1..3) };
        let (end, modulus) = (from.2 + excess(self), to.2 + excess(self));
        let step = [1, 1, 2, 3, 4, 8][self.rng.usize(..6)];
        let (start, end, last) = match self.rng.u32(..3) {
            0 => (self.rng.usize(..3) * step, format!("{}.len() / {step} * {step}", from.0), step - 1 + excess(self)),
            1 => (self.rng.usize(..3), end.to_string(), 0),
            _ => (0, format!("{}.len() + {}", from.0, end - from.2), 0),
        };
        let (counter, inner) = (self.fresh_name("round"), format!("{pad}    "));
        let is_while = self.chance(0.4);
        if is_while {
            lines.push(format!("{pad}let mut {counter}: usize = {start};"));
        }
        lines.push(match step {
            _ if is_while => format!("{pad}while {counter} < {end} {{"),
            1 => format!("{pad}for {counter} in {start}..{end} {{"),
            _ => format!("{pad}for {counter} in ({start}..{end}).step_by({step}) {{"),
        });
        self.scoped(|generator| {
            generator.declare(&counter, Kind::Value(Type::Scalar(USIZE)), false);
            let (distance, back) = (generator.rng.usize(..=last), generator.rng.usize(..3));
            let element = if distance == 0 { format!("{}[{counter}]", from.0) } else { format!("{}[{counter} + {distance}]", from.0) };
            generator.trace(&element, &Type::Scalar(from.1), &inner, lines);
            let guarded = match generator.rng.u32(..4) {
                0 => Some((format!("{counter} >= {back}"), format!("{}[{counter} - {back}]", from.0))),
                1 => Some((format!("{counter} + {back} < {}.len()", from.0), format!("{}[{counter} + {back}]", from.0))),
                _ => None,
            };
            if let Some((condition, element)) = guarded {
                lines.push(format!("{inner}if {condition} {{"));
                generator.trace(&element, &Type::Scalar(from.1), &format!("{inner}    "), lines);
                lines.push(format!("{inner}}}"));
            }
            if from.1.is_integer() {
                let index = if generator.chance(0.5) {
                    let name = generator.fresh_name("at");
                    lines.push(format!("{inner}let {name} = {element} as usize % {modulus};"));
                    name
                } else {
                    format!("{element} as usize % {modulus}")
                };
                generator.trace(&format!("{}[{index}]", to.0), &Type::Scalar(to.1), &inner, lines);
            }
            if generator.chance(0.3) {
                generator.stmts(1, indent + 1, lines);
            }
        });
        if is_while {
            lines.push(format!("{inner}{counter} += {step};"));
        }
        lines.push(pad + "}");
    }

    fn while_loop(&mut self, indent: usize, lines: &mut Vec<String>) {
        let (pad, label, counter) = ("    ".repeat(indent), self.fresh_label(), self.fresh_name("round"));
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

    fn while_let_loop(&mut self, indent: usize, lines: &mut Vec<String>) {
        let (pad, label, counter) = ("    ".repeat(indent), self.fresh_label(), self.fresh_name("round"));
        let rounds = self.rng.u32(1..5);
        lines.push(format!("{pad}let mut {counter} = 0u32;"));
        let (value, of) = self.matched(2);
        let bound = self.pattern(&of, true);
        let condition = match self.rng.u32(..2) {
            0 => format!("{{ {counter} += 1; {counter} < {rounds} }} && let {} = {value}", bound.pattern),
            _ => format!("let (true, {}) = ({{ {counter} += 1; {counter} < {rounds} }}, {value})", bound.pattern),
        };
        lines.push(format!("{pad}{label}: while {condition} {{"));
        let count = self.rng.u32(1..3);
        self.with_bound(&bound, |inner| inner.nested(Some(Label { name: label, is_loop: true }), count, indent, lines));
        lines.push(pad + "}");
    }

    fn loop_with_value(&mut self, indent: usize, lines: &mut Vec<String>) {
        let (pad, label, counter) = ("    ".repeat(indent), self.fresh_label(), self.fresh_name("round"));
        let (ty, name) = (self.any_type(1), self.name());
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
}
