//! Methods of slices, called on slices, arrays and parts of them.

use super::Generator;
use super::places::{Kind, Variable};
use super::scalar::{Scalar, USIZE};
use super::types::Type;

/// A slice or an array of scalars that has a name, or a part of one. It is not empty.
struct Part {
    /// `x` or `x[1..3]`.
    text: String,
    element: Scalar,
    length: Option<usize>,
}

impl Part {
    /// Whether it is the slice or array itself.
    fn is_whole(&self) -> bool {
        !self.text.ends_with(']')
    }

    /// The part as a value for a variable.
    fn lent(&self) -> String {
        if self.is_whole() { format!("&{}[..]", self.text) } else { format!("&{}", self.text) }
    }
}

impl Generator<'_> {
    fn any_part(&mut self, mutable: bool) -> Option<Part> {
        let visible = self.visible().into_iter().filter(|variable| !variable.opaque && (variable.mutable || !mutable));
        let named = visible.filter_map(|Variable { name, kind, .. }| match kind {
            Kind::Slice { element: Type::Scalar(element), length } => Some(Part { text: name, element, length }),
            Kind::Value(Type::Array(element, length)) => Some(Part { text: name, element: element.as_scalar()?, length: Some(length) }),
            _ => None,
        });
        let whole = self.rng.choice(named.collect::<Vec<_>>())?;
        if self.chance(0.5) {
            return Some(whole);
        }
        let (from, to) = match whole.length {
            Some(length) => {
                let from = self.rng.usize(..length);
                (from, self.rng.usize(from + 1..=length))
            }
            None => (0, 1),
        };
        let range = match self.rng.u32(..3) {
            0 if whole.length == Some(to) => format!("{from}.."),
            1 => format!("{from}..={}", to - 1),
            _ => format!("{from}..{to}"),
        };
        Some(Part { text: format!("{}[{range}]", whole.text), length: Some(to - from), ..whole })
    }

    /// How far into the part, at most to its end.
    fn distance(&mut self, part: &Part) -> String {
        let length = part.length.unwrap_or(1);
        if self.chance(0.7) {
            return self.rng.usize(..=length).to_string();
        }
        let value = self.expr(&Type::Scalar(USIZE), 1, true);
        // A few are too far.
        let end = if self.safe || self.chance(0.9) { length + 1 } else { length + 2 };
        format!("({value} % {end})")
    }

    /// A method that changes the elements of a slice.
    pub(super) fn changed_slice(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some(part) = self.any_part(true) else { return };
        let text = &part.text;
        let value = part.element.literal(self.rng, true);
        let call = match (self.rng.u32(..7), part.length) {
            (0, _) => format!("{text}.fill({value});"),
            (1, _) => format!("{text}.reverse();"),
            (2 | 3, _) => {
                // The amount is read before the part is lent.
                let (by, distance) = (self.fresh_name("by"), self.distance(&part));
                lines.push(format!("{pad}let {by}: usize = {distance};"));
                format!("{text}.{}({by});", self.pick(&["rotate_left", "rotate_right"]))
            }
            (4, Some(length)) => {
                let values: Vec<String> = (0..length).map(|_| part.element.literal(self.rng, true)).collect();
                format!("{text}.copy_from_slice(&[{}]);", values.join(", "))
            }
            (5 | 6, Some(length @ 2..)) => {
                let at = self.rng.usize(1..length);
                let left = self.change_of("left[0]", part.element);
                let right = self.pick(&["right[0] = left[0];", "right.reverse();", "left[left.len() - 1] = right[right.len() - 1];"]);
                format!("{{ let (left, right) = {text}.split_at_mut({at}); {left} {right} }}")
            }
            // Elements of a part without a name cannot be swapped.
            _ if part.is_whole() => format!("{text}.swap(0, {});", part.length.unwrap_or(1) - 1),
            _ => format!("{text}.reverse();"),
        };
        lines.push(format!("{pad}{call}"));
    }

    /// A variable with what a method of a slice, or of a part that has a name, returns.
    pub(super) fn slice_method(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some(part) = self.any_part(false) else { return };
        let (text, lent, element) = (&part.text, part.lent(), part.element);
        let (name, limit) = (self.name(), element.literal(self.rng, false));
        // It may change what is lent.
        let (at, distance) = (self.fresh_name("at"), self.distance(&part));
        lines.push(format!("{pad}let {at}: usize = {distance};"));
        let compared = self.pick(&["==", "<", ">="]);
        let (output, value) = match self.rng.u32(..6) {
            0 => (Scalar::Bool, format!("{text}.contains(&{limit})")),
            1 => (
                element,
                format!(
                    "{{ let (left, right) = {text}.split_at({at}); if let Some(&v) = left.last() {{ v }} else {{ *right.first().unwrap_or(&{limit}) }} }}"
                ),
            ),
            2 => (
                USIZE,
                format!(
                    "{{ let (left, right) = {text}.split_at({at}); left.len() * 10 + right.iter().filter(|v| **v {compared} {limit}).count() }}"
                ),
            ),
            3 => (
                element,
                format!(
                    "{{ let part = {lent}; match part.get({at}) {{ Some(&v) if v {compared} {limit} => v, Some(_) => {limit}, None => part[0] }} }}"
                ),
            ),
            4 => (element, format!("{{ let part = {lent}; if let Some(v) = part.first() {{ *v }} else {{ {limit} }} }}")),
            _ => (
                Scalar::Bool,
                format!("{{ let part = {lent}; part.last().is_some_and(|v| *v {compared} {limit}) || part.contains(&{limit}) }}"),
            ),
        };
        lines.push(format!("{pad}let mut {name}: {} = {value};", output.name()));
        self.declare(&name, Kind::Value(Type::Scalar(output)), true);
    }
}
