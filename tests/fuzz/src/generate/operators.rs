//! Operators of structs, and methods of theirs with names of methods of numbers.

use fastrand::Rng;

use super::function::device;
use super::places::Kind;
use super::scalar::Scalar;
use super::types::Type;
use super::weights::BUDGET;
use super::{Generator, World};

/// `+`, `+=`, `abs` and `min` of a struct, and `-`, `-=` and `*` of references to it, each with any result.
pub(super) fn operators(rng: &mut Rng, number: u64, ty: &Type, world: &mut World) -> String {
    let name = ty.name();
    let scalar = Scalar::any_number(rng);
    let mut function = |signature: &str, params: &[(&str, Kind)]| {
        let mut generator = Generator::new(rng, world, Some(ty.clone()));
        generator.safe = number.is_multiple_of(2);
        for (name, kind) in params {
            generator.declare(name, kind.clone(), false);
        }
        generator.scopes.push(Vec::new());
        let mut lines = Vec::new();
        generator.stmts(1, 1, &mut lines);
        generator.budget = BUDGET;
        lines.push(format!("    {}", generator.expr(ty, 2, true)));
        format!("fn {signature} {{\n{}\n}}\n", lines.join("\n"))
    };
    let (value, reference, by) = (Kind::Value(ty.clone()), Kind::Reference(ty.clone()), scalar.name());
    let values = [("self", value.clone()), ("other", value.clone())];
    let add = function(&format!("add(self, other: {name}) -> {name}"), &values);
    let absolute = function(&format!("abs(self) -> {name}"), &values[..1]);
    let smaller = function(&format!("min(self, other: {name}) -> {name}"), &values);
    let subtract = function(&format!("sub(self, other: &{name}) -> {name}"), &[("self", reference.clone()), ("other", reference.clone())]);
    let mixed = function(&format!("sub(self, other: {name}) -> {name}"), &[("self", reference.clone()), ("other", value)]);
    let scale = function(&format!("mul(self, by: {by}) -> {name}"), &[("self", reference), ("by", Kind::Value(Type::Scalar(scalar)))]);
    let device = device();
    world.operators.push((name.clone(), scalar));
    format!(
        "{device} impl std::ops::Add for {name} {{\ntype Output = {name};\n{add}}}\n\
         {device} impl std::ops::AddAssign for {name} {{ fn add_assign(&mut self, other: {name}) {{ *self = other + *self; }} }}\n\
         {device} impl std::ops::Sub for &{name} {{\ntype Output = {name};\n{subtract}}}\n\
         {device} impl std::ops::Sub<{name}> for &{name} {{\ntype Output = {name};\n{mixed}}}\n\
         {device} impl std::ops::SubAssign<&{name}> for {name} {{ fn sub_assign(&mut self, other: &{name}) {{ *self = other - &*self; }} }}\n\
         {device} impl std::ops::Mul<{by}> for &{name} {{\ntype Output = {name};\n{scale}}}\n\
         {device} impl std::ops::Mul<&{name}> for {by} {{ type Output = {name}; fn mul(self, other: &{name}) -> {name} {{ other * self }} }}\n\
         {device} impl {name} {{\npub {absolute}pub {smaller}}}\n"
    )
}

impl Generator<'_> {
    /// What an operator or such a method makes of values of `ty`, if it has them.
    pub(super) fn operation(&mut self, ty: &Type, depth: u32) -> Option<String> {
        let (name, scalar) = self.world.operators.iter().find(|(name, _)| *name == ty.name())?;
        let first = format!("let mut first: {name} = {};", self.expr(ty, depth - 1, true));
        let value = |this: &mut Self| this.expr(ty, depth - 1, true);
        let by = |this: &mut Self| this.scalar(*scalar, depth - 1, false);
        let made = match self.rng.u32(..9) {
            0 => "first.abs()".to_owned(),
            1 => format!("first.min({})", value(self)),
            2 => format!("first + {}", value(self)),
            3 => format!("first += {}; first", value(self)),
            4 => format!("let second: {name} = {}; &first - &second", value(self)),
            5 => format!("&first - {}", value(self)),
            6 => format!("let second: {name} = {}; first -= &second; first", value(self)),
            7 => format!("&first * {}", by(self)),
            _ => format!("let by: {} = {}; by * &first", scalar.name(), by(self)),
        };
        Some(format!("({{ {first} {made} }})"))
    }
}
