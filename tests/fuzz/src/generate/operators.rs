//! Operators of structs, and methods of theirs with names of methods of numbers.

use fastrand::Rng;

use super::function::device;
use super::places::Kind;
use super::types::Type;
use super::weights::BUDGET;
use super::{Generator, World};

/// `+`, `+=`, `abs` and `min` of a struct, each with any result.
pub(super) fn operators(rng: &mut Rng, number: u64, ty: &Type, world: &mut World) -> String {
    let name = ty.name();
    let mut function = |signature: &str, names: &[&str]| {
        let mut generator = Generator::new(rng, world, Some(ty.clone()));
        generator.safe = number.is_multiple_of(2);
        for name in names {
            generator.declare(name, Kind::Value(ty.clone()), false);
        }
        generator.scopes.push(Vec::new());
        let mut lines = Vec::new();
        generator.stmts(1, 1, &mut lines);
        generator.budget = BUDGET;
        lines.push(format!("    {}", generator.expr(ty, 2, true)));
        format!("fn {signature} {{\n{}\n}}\n", lines.join("\n"))
    };
    let add = function(&format!("add(self, other: {name}) -> {name}"), &["self", "other"]);
    let absolute = function(&format!("abs(self) -> {name}"), &["self"]);
    let smaller = function(&format!("min(self, other: {name}) -> {name}"), &["self", "other"]);
    let device = device();
    world.operators.push(name.clone());
    format!(
        "{device} impl std::ops::Add for {name} {{\ntype Output = {name};\n{add}}}\n\
         {device} impl std::ops::AddAssign for {name} {{ fn add_assign(&mut self, other: {name}) {{ *self = other + *self; }} }}\n\
         {device} impl {name} {{\npub {absolute}pub {smaller}}}\n"
    )
}

impl Generator<'_> {
    /// What an operator or such a method makes of values of `ty`, if it has them.
    pub(super) fn operation(&mut self, ty: &Type, depth: u32) -> Option<String> {
        if !self.world.operators.contains(&ty.name()) {
            return None;
        }
        let (name, left) = (ty.name(), self.expr(ty, depth - 1, true));
        let call = self.pick(&["abs", "min", "add", "add_assign"]);
        let right = if call == "abs" { String::new() } else { self.expr(ty, depth - 1, true) };
        Some(match call {
            "abs" => format!("({{ let first: {name} = {left}; first.abs() }})"),
            "min" => format!("({{ let first: {name} = {left}; first.min({right}) }})"),
            "add" => format!("({{ let first: {name} = {left}; first + {right} }})"),
            _ => format!("({{ let mut first: {name} = {left}; first += {right}; first }})"),
        })
    }
}
