//! Device functions and methods.

use fastrand::Rng;

use super::patterns::Bound;
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

/// A device function or a method that takes a function.
pub(super) fn taking_a_function(rng: &mut Rng, number: u64, world: &mut World) -> String {
    let receiver = if rng.bool() { rng.choice(&world.types).cloned() } else { None };
    let receiver = receiver.map(|ty| {
        let forms: &[&'static str] = if matches!(ty, Type::Struct(_)) { &["self", "&self", "&mut self"] } else { &["self"] };
        Receiver { ty, form: forms[rng.usize(..forms.len())] }
    });
    let mut generator = Generator::new(rng, world, None);
    let lent = generator.chance(0.4);
    let params: Vec<Type> = (0..generator.rng.u32(..3)).map(|_| generator.param_of_function(lent)).collect();
    let (input, output) = (Scalar::any(generator.rng), Type::Scalar(Scalar::any(generator.rng)));
    let result = if generator.rng.bool() { output.clone() } else { Type::Scalar(Scalar::any(generator.rng)) };
    let name = format!("taking{number}");
    let types: Vec<String> = params.iter().map(|ty| format!("{}{}", if lent { "&" } else { "" }, ty.name())).collect();
    let bound = format!("Fn({}) -> {}", types.join(", "), output.name());
    let value = generator.name();
    generator.output = Some(result.clone());
    generator.declare("callee", Kind::Closure { params: params.clone(), lent, output: output.clone() }, false);
    let mut before = Vec::new();
    if let Some(receiver) = &receiver {
        before.push(generator.receiver_param(receiver));
    }
    generator.declare(&value, Kind::Value(Type::Scalar(input)), false);
    generator.scopes.push(Vec::new());
    let mut lines = Vec::new();
    let count = generator.rng.u32(1..3);
    generator.stmts(count, 1, &mut lines);
    let call = generator.call_with("callee", &params, lent, 3);
    lines.push(format!("    let mut called: {} = {call};", output.name()));
    generator.declare("called", Kind::Value(output.clone()), true);
    generator.budget = BUDGET;
    lines.push(format!("    {}", generator.expr(&result, 3, true)));
    // A method has no type parameters.
    let (callee, generics) = match receiver.is_some() || generator.rng.bool() {
        true => (format!("impl {bound}"), String::new()),
        false => ("F".to_owned(), format!("<F: {bound}>")),
    };
    before.extend([format!("callee: {callee}"), format!("{value}: {}", input.name())]);
    let definition = format!("pub fn {name}{generics}({}) -> {} {{\n{}\n}}\n", before.join(", "), result.name(), lines.join("\n"));
    let definition = match &receiver {
        Some(receiver) => format!("{} impl {} {{\n{definition}}}\n", device(), receiver.ty.name()),
        None => format!("{}\n{definition}", device()),
    };
    let params = vec![Param::Function { params, lent, output }, Param::Value(Type::Scalar(input))];
    world.add_function(Function { name, params, output: result, recursive: false, receiver, safe: false });
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
        list.extend(receiver.as_ref().map(|receiver| self.receiver_param(receiver)));
        let recursive = name != "make" && self.chance(0.25);
        for _ in 0..self.rng.u32(..4) {
            // A function that calls itself passes its parameters on.
            if !recursive && self.chance(0.2) {
                let (ty, bound) = self.pattern_param(&names);
                list.push(format!("{}: {}", bound.pattern, ty.name()));
                params.push(Param::Value(ty));
                for variable in bound.variables {
                    names.push(variable.name.clone());
                    self.declare_variable(variable);
                }
                continue;
            }
            let name = self.other_name(&names);
            let (param, written) = self.param(&name);
            list.push(format!("{name}: {written}"));
            params.push(param);
            names.push(name);
        }
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

    /// Declares `self`, and says how the signature has it.
    fn receiver_param(&mut self, receiver: &Receiver) -> String {
        match (&receiver.ty, receiver.form) {
            (ty, "self") => self.declare("self", Kind::Value(ty.clone()), false),
            (Type::Struct(of), form) => self.declare("self", Kind::Receiver(of.clone()), form == "&mut self"),
            _ => {}
        }
        receiver.form.to_owned()
    }

    /// What a function that is a parameter takes.
    fn param_of_function(&mut self, lent: bool) -> Type {
        match self.rng.choice(&self.world.types) {
            Some(ty) if lent && self.chance(0.5) => ty.clone(),
            _ => Type::Scalar(Scalar::any(self.rng)),
        }
    }

    /// A parameter that is a pattern, with none of these names.
    fn pattern_param(&mut self, taken: &[String]) -> (Type, Bound) {
        loop {
            let ty = self.any_type(2);
            let bound = self.pattern(&ty, false);
            // Each parameter of a method has a name, and one that is a pattern has no other.
            if bound.pattern != "_"
                && !bound.pattern.contains('@')
                && !bound.variables.iter().any(|variable| taken.contains(&variable.name))
            {
                return (ty, bound);
            }
        }
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
            if !matches!(ty, Type::Array(..)) {
                break ty;
            }
        };
        self.declare(name, Kind::Value(ty.clone()), false);
        let written = ty.name();
        (Param::Value(ty), written)
    }
}
