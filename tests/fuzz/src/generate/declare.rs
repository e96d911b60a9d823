//! Structs and enums, with methods.

use std::rc::Rc;

use fastrand::Rng;

use super::elements::indices;
use super::function::device;
use super::operators::operators;
use super::text::either;
use super::types::{Enum, Fields, Struct, Type, Variant};
use super::{Generator, Receiver, World};

/// Names of fields that mean something elsewhere.
const FIELDS: [&str; 14] = ["x", "y", "len", "class", "int", "tag", "value", "at", "unsigned", "next", "data", "max", "_1", "size_t"];

pub(super) fn struct_type(rng: &mut Rng, number: u64, world: &mut World) -> String {
    let mut generator = Generator::new(rng, world, None);
    let name = format!("{}{number}", generator.pick(&["Point", "Class", "Float", "Struct", "T"]));
    let count = generator.rng.usize(1..4);
    let fields = generator.fields(count);
    let align = if generator.chance(0.15) { ", align(16)" } else { "" };
    let end = if fields.is_named() { "" } else { ";" };
    let mut text = derives(&format!("C{align}"), "");
    text += &format!("pub struct {name}{}{end}\n", fields.with(&types(&fields)));
    text += &random(&name, &format!("{name}{}", fields.with(&random_values(&fields))));
    let of = Rc::new(Struct { name, fields });
    text += &indices(&of, world);
    let ty = Type::Struct(of);
    world.add_type(ty.clone());
    text += &methods(rng, number, &ty, world);
    if rng.f32() < 0.6 {
        text += &operators(rng, number, &ty, world);
    }
    text
}

pub(super) fn enum_type(rng: &mut Rng, number: u64, world: &mut World) -> String {
    let mut generator = Generator::new(rng, world, None);
    let name = format!("{}{number}", generator.pick(&["Kind", "Shape", "Union", "Enum"]));
    let plain = generator.chance(0.4);
    let variants: Vec<Variant> = (0..generator.rng.usize(2..5))
        .map(|i| {
            let count = if plain { 0 } else { generator.rng.usize(..3) };
            Variant { path: format!("{name}::{}{i}", generator.pick(&["Empty", "Some", "Box", "None"])), fields: generator.fields(count) }
        })
        .collect();
    let of = Enum { name, variants };
    let repr = match of.is_plain() {
        true => generator.pick(&["u8", "i8", "u16", "i32", "u64", "i64"]),
        false => generator.pick(&["C", "u8", "C, u8", "i32", "C, align(16)", "u64"]),
    };
    let equal = if of.is_plain() { ", PartialEq" } else { "" };
    let mut text = derives(repr, equal);
    let list: Vec<String> = of
        .variants
        .iter()
        .enumerate()
        .map(|(i, variant)| {
            let name = variant.path.rsplit("::").next().expect("a path has a last part");
            // One variant is 0, as memory on a device begins as zeros.
            let number = if of.is_plain() && i > 0 && generator.rng.bool() { format!(" = {}", i * 17) } else { String::new() };
            format!("{name}{}{number}", variant.fields.with(&types(&variant.fields)))
        })
        .collect();
    text += &format!("pub enum {} {{ {} }}\n", of.name, list.join(", "));
    let arms: Vec<String> = of
        .variants
        .iter()
        .enumerate()
        .map(|(i, variant)| {
            let pattern = if i + 1 < of.variants.len() { i.to_string() } else { "_".to_owned() };
            format!("{pattern} => {}{}", variant.path, variant.fields.with(&random_values(&variant.fields)))
        })
        .collect();
    text += &random(&of.name, &format!("match rng.usize(..{}) {{ {} }}", of.variants.len(), arms.join(", ")));
    let ty = Type::Enum(Rc::new(of));
    world.add_type(ty.clone());
    text + &methods(rng, number, &ty, world)
}

fn derives(repr: &str, more: &str) -> String {
    let device_type = either(", DeviceType", "");
    format!("#[derive(Debug, Clone, Copy{more}{device_type})] #[repr({repr})]\n")
}

/// How tests make values of it, and pass them to kernels.
fn random(name: &str, value: &str) -> String {
    let argument = either(&format!("gpu_tests::value_arguments![{name}];"), "");
    format!("impl Random for {name} {{ fn random(rng: &mut Rng) -> Self {{ {value} }} }} {argument}\n")
}

fn random_values(fields: &Fields) -> Vec<String> {
    fields.0.iter().map(|_| "Random::random(rng)".to_owned()).collect()
}

fn types(fields: &Fields) -> Vec<String> {
    fields.0.iter().map(|(_, ty)| ty.name()).collect()
}

fn methods(rng: &mut Rng, number: u64, ty: &Type, world: &mut World) -> String {
    let mut text = format!("{} impl {} {{\n", device(), ty.name());
    let forms: &[&'static str] = if matches!(ty, Type::Struct(_)) { &["self", "&self", "&mut self"] } else { &["self", "&self"] };
    for (i, form) in forms.iter().enumerate() {
        if rng.f32() < 0.7 {
            let mut generator = Generator::new(rng, world, None);
            generator.safe = number.is_multiple_of(2);
            let name = format!("{}{number}_{i}", generator.pick(&["get", "min", "norm", "class"]));
            let (function, definition) = generator.function(name, Some(Receiver { ty: ty.clone(), form }));
            text += &definition;
            world.add_function(function);
        }
    }
    let mut generator = Generator::new(rng, world, None);
    generator.safe = number.is_multiple_of(2);
    let (mut function, definition) = generator.function_of("make".to_owned(), None, ty.clone());
    function.name = format!("{}::make", ty.name());
    world.add_function(function);
    text + &definition + "}\n"
}

impl Generator<'_> {
    /// So many fields, with names or without.
    fn fields(&mut self, count: usize) -> Fields {
        let named = self.chance(0.7);
        let mut fields: Vec<(String, Type)> = Vec::new();
        while fields.len() < count {
            let name = if named { self.pick(&FIELDS).to_owned() } else { fields.len().to_string() };
            let ty = self.any_layout(1);
            if ty.size() <= 6 && fields.iter().all(|(other, _)| *other != name) {
                fields.push((name, ty));
            }
        }
        Fields(fields)
    }
}
