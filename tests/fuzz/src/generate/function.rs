//! Device functions and methods.

use fastrand::Rng;

use super::places::Kind;
use super::scalar::Scalar;
use super::text::either;
use super::types::Type;
use super::weights::BUDGET;
use super::{Function, Generator, Param, Receiver, World};

/// What makes a function one that kernels can call.
pub(super) fn device() -> String {
    either("#[gpu_device]", "")
}

/// A device function that takes numbers, other values and slices, and returns anything.
pub(super) fn device_function(rng: &mut Rng, number: u64, world: &mut World) -> String {
    let mut generator = Generator::new(rng, world, None);
    generator.safe = number.is_multiple_of(2);
    let name = format!("device{number}_{}", generator.pick(&["class", "min", "sin", "f"]));
    let (function, definition) = generator.function(name, None);
    world.add_function(function);
    format!("{}\n{definition}", device())
}

/// A device function that takes a function.
pub(super) fn taking_a_function(rng: &mut Rng, number: u64, world: &mut World) -> String {
    let mut generator = Generator::new(rng, world, None);
    let params: Vec<Type> = (0..generator.rng.u32(..3)).map(|_| Type::Scalar(Scalar::any(generator.rng))).collect();
    let (input, output) = (Scalar::any(generator.rng), Type::Scalar(Scalar::any(generator.rng)));
    let result = if generator.rng.bool() { output.clone() } else { Type::Scalar(Scalar::any(generator.rng)) };
    let name = format!("taking{number}");
    let types: Vec<String> = params.iter().map(Type::name).collect();
    let bound = format!("Fn({}) -> {}", types.join(", "), output.name());
    let value = generator.name();
    generator.output = Some(result.clone());
    generator.declare("callee", Kind::Closure { params: params.clone(), output: output.clone() }, false);
    generator.declare(&value, Kind::Value(Type::Scalar(input)), false);
    generator.scopes.push(Vec::new());
    let mut lines = Vec::new();
    let count = generator.rng.u32(1..3);
    generator.stmts(count, 1, &mut lines);
    let args: Vec<String> = params.iter().map(|param| generator.expr(param, 2, true)).collect();
    lines.push(format!("    let mut called: {} = callee({});", output.name(), args.join(", ")));
    generator.declare("called", Kind::Value(output.clone()), true);
    generator.budget = BUDGET;
    lines.push(format!("    {}", generator.expr(&result, 3, true)));
    let (list, generics) = if generator.rng.bool() {
        (format!("callee: impl {bound}, {value}: {}", input.name()), String::new())
    } else {
        (format!("callee: F, {value}: {}", input.name()), format!("<F: {bound}>"))
    };
    let definition = format!("{}\npub fn {name}{generics}({list}) -> {} {{\n{}\n}}\n", device(), result.name(), lines.join("\n"));
    let params = vec![Param::Function { params, output }, Param::Value(Type::Scalar(input))];
    world.add_function(Function { name, params, output: result, recursive: false, receiver: None, safe: false });
    definition
}

impl Generator<'_> {
    /// A function, or a method of the receiver's type.
    pub(super) fn function(&mut self, name: String, receiver: Option<Receiver>) -> (Function, String) {
        let output = self.any_type(1);
        self.function_of(name, receiver, output)
    }

    /// One that returns a certain type.
    pub(super) fn function_of(&mut self, name: String, receiver: Option<Receiver>, output: Type) -> (Function, String) {
        self.output = Some(output.clone());
        self.scopes = vec![Vec::new()];
        let (mut params, mut names, mut list) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(Receiver { ty, form }) = &receiver {
            list.push((*form).to_owned());
            match ty {
                Type::Struct(of) if form.starts_with('&') => self.declare("self", Kind::Receiver(of.clone()), *form == "&mut self"),
                _ if form.starts_with('&') => {}
                _ => self.declare("self", Kind::Value(ty.clone()), false),
            }
        }
        for _ in 0..self.rng.u32(..4) {
            let name = self.other_name(&names);
            let (param, written) = self.param(&name);
            list.push(format!("{name}: {written}"));
            params.push(param);
            names.push(name);
        }
        let recursive = name != "make" && self.chance(0.25);
        let mut lines = Vec::new();
        if recursive {
            list.push("fuel: u8".to_owned());
            let arguments: Vec<&str> = names.iter().map(String::as_str).chain(["fuel - 1"]).collect();
            let callee = if receiver.is_some() { format!("self.{name}") } else { name.clone() };
            lines.push("    if fuel > 0 && fuel < 6 {".to_owned());
            lines.push(format!("        let mut inner: {} = {callee}({});", output.name(), arguments.join(", ")));
            self.scoped(|this| {
                this.declare("inner", Kind::Value(output.clone()), true);
                this.stmts(2, 2, &mut lines);
            });
            lines.push("        return inner;".to_owned());
            lines.push("    }".to_owned());
        }
        self.scopes.push(Vec::new());
        let count = self.rng.u32(1..4);
        self.stmts(count, 1, &mut lines);
        self.budget = BUDGET;
        lines.push(match &receiver {
            Some(Receiver { ty, form: "&self" }) if matches!(ty, Type::Enum(_)) => {
                let (bounds, _) = self.patterns_of_all(ty);
                let arms: Vec<String> = bounds
                    .iter()
                    .map(|bound| self.with_bound(bound, |inner| format!("{} => {{ {} }}", bound.pattern, inner.arm(&output, 2, true))))
                    .collect();
                format!("    match *self {{ {} }}", arms.join(" "))
            }
            _ => format!("    {}", self.expr(&output, 3, true)),
        });
        let definition = format!("pub fn {name}({}) -> {} {{\n{}\n}}\n", list.join(", "), output.name(), lines.join("\n"));
        (Function { name, params, output, recursive, receiver, safe: self.safe }, definition)
    }

    /// A parameter, and its type in the signature.
    fn param(&mut self, name: &str) -> (Param, String) {
        if self.chance(0.2) {
            let (element, mutable) = (self.any_layout(1), self.rng.bool());
            self.declare(name, Kind::Slice { element: element.clone(), length: None }, mutable);
            let written = format!("&{}[{}]", if mutable { "mut " } else { "" }, element.name());
            return (Param::Slice { element, mutable }, written);
        }
        if self.chance(0.15) {
            let (ty, mutable) = (self.any_layout(1), self.rng.bool());
            self.declare(name, Kind::Reference(ty.clone()), mutable);
            let written = format!("&{}{}", if mutable { "mut " } else { "" }, ty.name());
            return (Param::Reference { ty, mutable }, written);
        }
        let ty = loop {
            let ty = if self.chance(0.5) { Type::Scalar(Scalar::any(self.rng)) } else { self.any_type(1) };
            if !matches!(ty, Type::Tuple(_) | Type::Array(..)) {
                break ty;
            }
        };
        self.declare(name, Kind::Value(ty.clone()), false);
        let written = ty.name();
        (Param::Value(ty), written)
    }
}
