//! Forms of elements: arrays that are mapped and changed in chunks, options of references to elements in tuples, constant arrays of tuples,
//! structs with an `Index` of their own, and functions that call a closure which changes what it captures.

use fastrand::Rng;

use super::function::device;
use super::places::{Kind, Variable};
use super::scalar::{Scalar, U32, USIZE};
use super::types::{Struct, Type};
use super::weights::BUDGET;
use super::{Generator, PairTable, World};

/// A function that calls another one so often, and counts the calls that return `true`.
pub(super) fn calling() -> String {
    let body = "{ let mut done = 0u32; for k in 0..n { if f(k) { done += 1; } } done }";
    format!("{} pub fn each_of(n: u32, mut f: impl FnMut(u32) -> bool) -> u32 {body}\n", device())
}

/// A constant array of pairs.
pub(super) fn pairs(rng: &mut Rng, number: usize, text: &mut String) -> PairTable {
    let (first, second) = (Scalar::any(rng), Scalar::any(rng));
    let (name, length) = (format!("P{number}"), rng.usize(1..5));
    let rows: Vec<String> = (0..length).map(|_| format!("({}, {})", first.literal(rng, false), second.literal(rng, false))).collect();
    *text += &format!("pub const {name}: [({}, {}); {length}] = [{}];\n", first.name(), second.name(), rows.join(", "));
    PairTable { name, parts: [first, second], length }
}

/// `Index` and `IndexMut` of a struct that has an array, by any number.
pub(super) fn indices(of: &Struct, world: &mut World) -> String {
    let array = of.fields.0.iter().find_map(|(field, ty)| match ty {
        Type::Array(element, length) => element.as_scalar().map(|scalar| (field, scalar, *length)),
        _ => None,
    });
    let Some((field, scalar, length)) = array else { return String::new() };
    let (name, device, element) = (&of.name, device(), scalar.name());
    world.indexed.push((name.clone(), scalar));
    format!(
        "{device} impl std::ops::Index<usize> for {name} {{ type Output = {element}; fn index(&self, at: usize) -> &{element} {{ &self.{field}[at % {length}] }} }}\n\
         {device} impl std::ops::IndexMut<usize> for {name} {{ fn index_mut(&mut self, at: usize) -> &mut {element} {{ &mut self.{field}[at % {length}] }} }}\n"
    )
}

impl Generator<'_> {
    /// `place op= value`, for any scalar.
    pub(super) fn change_of(&mut self, place: &str, scalar: Scalar) -> String {
        let value = scalar.literal(self.rng, false);
        match scalar {
            Scalar::Bool => format!("{place} ^= {value};"),
            Scalar::Float { .. } => format!("{place} {}= {value};", self.pick(&["+", "*", "-"])),
            Scalar::Int { .. } => format!("{place} {}= {value};", self.pick(&["^", "&", "|", ""])),
        }
    }

    /// The visible arrays of scalars that have a name.
    fn named_arrays(&mut self, mutable: bool) -> Option<(String, Scalar, usize)> {
        let arrays = self.visible().into_iter().filter(|variable| !variable.opaque && (variable.mutable || !mutable));
        let arrays: Vec<_> = arrays
            .filter_map(|Variable { name, kind, .. }| match kind {
                Kind::Value(Type::Array(element, length)) => element.as_scalar().map(|scalar| (name, scalar, length)),
                _ => None,
            })
            .collect();
        self.rng.choice(arrays)
    }

    pub(super) fn array_map(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some((array, scalar, length)) = self.named_arrays(false) else { return };
        let (name, limit) = (self.name(), scalar.literal(self.rng, false));
        let compared = self.pick(&["==", "<", ">="]);
        let (output, value) = match self.rng.u32(..3) {
            0 => (Scalar::Bool, format!("v {compared} {limit}")),
            1 => (USIZE, format!("if v {compared} {limit} {{ 3 }} else {{ 8 }}")),
            _ => (scalar, format!("if v {compared} {limit} {{ {limit} }} else {{ v }}")),
        };
        lines.push(format!("{pad}let mut {name}: [{}; {length}] = {array}.map(|v| {value});", output.name()));
        self.declare(&name, Kind::Value(Type::Array(Box::new(Type::Scalar(output)), length)), true);
    }

    pub(super) fn chunks(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some((array, scalar, _)) = self.named_arrays(true) else { return };
        let chunk = self.fresh_name("chunk");
        let (step, form) = (self.rng.u32(1..4), self.pick(&["chunks_mut", "chunks_exact_mut"]));
        let change = self.change_of(&format!("{chunk}[{chunk}.len() - 1]"), scalar);
        lines.push(format!("{pad}for {chunk} in {array}.{form}({step}) {{ {change} }}"));
    }

    /// A slice of numbers. Whether a method of a local array returns a reference shows only where the array has a type.
    fn numbers(&mut self) -> Option<(String, Scalar)> {
        let visible = self.visible().into_iter();
        let slices: Vec<(String, Scalar)> = visible
            .filter_map(|Variable { name, kind, .. }| match kind {
                Kind::Slice { element: Type::Scalar(scalar), .. } => Some((name, scalar)),
                _ => None,
            })
            .collect();
        self.rng.choice(slices)
    }

    pub(super) fn options_in_tuple(&mut self, pad: &str, lines: &mut Vec<String>) {
        let (Some((one, scalar)), Some((other, second))) = (self.numbers(), self.numbers()) else { return };
        let (name, limit, bound) = (self.name(), scalar.literal(self.rng, false), second.literal(self.rng, false));
        let (i, j) = (self.rng.u32(..4), self.rng.u32(..4));
        let compared = self.pick(&["==", "<", ">="]);
        let pair = format!("({one}.get({i}), {other}.get({j}))");
        let value = match self.rng.u32(..3) {
            0 => format!("match {pair} {{ (Some(a), Some(&b)) if b {compared} {bound} => *a, (Some(&a), None) => a, _ => {limit} }}"),
            1 => {
                format!("if let (Some(&a), Some(b)) = {pair} {{ if *b {compared} {bound} {{ a }} else {{ {limit} }} }} else {{ {limit} }}")
            }
            _ => format!(
                "if matches!({pair}, (_, Some(b)) if *b {compared} {bound}) {{ {limit} }} else {{ *{one}.last().unwrap_or(&{limit}) }}"
            ),
        };
        lines.push(format!("{pad}let mut {name}: {} = {value};", scalar.name()));
        self.declare(&name, Kind::Value(Type::Scalar(scalar)), true);
    }

    pub(super) fn pair_table(&mut self, pad: &str, lines: &mut Vec<String>) {
        let Some(PairTable { name: table, parts, length }) = self.rng.choice(&self.world.pairs).cloned() else { return };
        let (name, limit) = (self.name(), parts[0].literal(self.rng, false));
        let compared = self.pick(&["==", "<", ">="]);
        let (output, value) = match self.rng.u32(..3) {
            0 => {
                let part = self.rng.usize(..2);
                let index = self.expr(&Type::Scalar(USIZE), 1, true);
                (parts[part], format!("{table}[({index}) % {length}].{part}"))
            }
            1 => (USIZE, format!("{table}.iter().filter(|(a, _)| *a {compared} {limit}).count()")),
            _ => (parts[1], format!("{table}.iter().fold({table}[0].1, |kept, &(a, b)| if a {compared} {limit} {{ b }} else {{ kept }})")),
        };
        lines.push(format!("{pad}let mut {name}: {} = {value};", output.name()));
        self.declare(&name, Kind::Value(Type::Scalar(output)), true);
    }

    pub(super) fn own_index(&mut self, pad: &str, lines: &mut Vec<String>) {
        let types = self.world.types.iter().filter_map(|ty| match ty {
            Type::Struct(of) => self.world.indexed.iter().find(|(name, _)| *name == of.name).map(|(_, scalar)| (ty.clone(), *scalar)),
            _ => None,
        });
        let types: Vec<(Type, Scalar)> = types.collect();
        let Some((ty, scalar)) = self.rng.choice(types) else { return };
        let [indexed, name] = ["indexed", "element"].map(|stem| self.fresh_name(stem));
        let value = self.expr(&ty, 2, true);
        lines.push(format!("{pad}let mut {indexed}: {} = {value};", ty.name()));
        let (to, from) = (self.expr(&Type::Scalar(USIZE), 1, true), self.expr(&Type::Scalar(USIZE), 1, true));
        let at = self.fresh_name("at");
        lines.push(format!("{pad}let {at}: usize = {to};"));
        let change = self.change_of(&format!("{indexed}[{at}]"), scalar);
        lines.push(format!("{pad}{change}"));
        lines.push(format!("{pad}let mut {name}: {} = {indexed}[{from}];", scalar.name()));
        self.declare(&indexed, Kind::Value(ty), true);
        self.declare(&name, Kind::Value(Type::Scalar(scalar)), true);
    }

    /// A closure that changes variables, which a function calls.
    pub(super) fn changing_argument(&mut self, pad: &str, lines: &mut Vec<String>) {
        let [kept, count, given, done, one] = ["kept", "count", "given", "done", "value"].map(|name| self.fresh_name(name));
        let ty = self.any_type(1);
        let (first, second) = (self.expr(&ty, 2, true), self.expr(&ty, 1, true));
        self.budget = BUDGET;
        // A `return` in it leaves the closure.
        let (labels, output) = (std::mem::take(&mut self.labels), self.output.replace(Type::Scalar(Scalar::Bool)));
        let condition = self.read_only(|inner| inner.condition(1));
        (self.labels, self.output) = (labels, output);
        lines.push(format!("{pad}let (mut {kept}, mut {count}): ({}, u32) = ({first}, 0);", ty.name()));
        lines.push(format!("{pad}let {one}: {} = {second};", ty.name()));
        let body = format!("{{ {count} += {given} + 1; if {condition} {{ {kept} = {one}; }} {count} < 3 }}");
        let before = if self.rng.bool() { format!("{count} + ") } else { String::new() };
        let call = format!("each_of({}, |{given}: u32| -> bool {body})", self.rng.u32(..4));
        lines.push(format!("{pad}let mut {done}: u32 = {before}{call};"));
        self.declare(&kept, Kind::Value(ty), true);
        self.declare(&count, Kind::Value(Type::Scalar(U32)), true);
        self.declare(&done, Kind::Value(Type::Scalar(U32)), true);
    }
}
