//! Generic device functions: over a type, and over a length.

use fastrand::Rng;

use super::function::device;
use super::scalar::{SCALARS, Scalar};
use super::types::Type;
use super::{Function, Param, World};

/// What a bound promises of its types.
struct Bound {
    name: &'static str,
    /// Expressions of `a`, `b` and `n`, which is from 0 to 9.
    steps: &'static [&'static str],
    allows: fn(Scalar) -> bool,
}

const NUM: &[&str] = &[
    "a + b",
    "a - b",
    "a * b",
    "a.min(b + T::ONE)",
    "a.max(b)",
    "T::from_i32(n) + a",
    "if a < b { a } else { b }",
    "T::MAX - a",
    "b + T::MIN",
    "a.cast::<u8>().cast::<T>()",
    "a.cast::<f32>().cast::<T>()",
    "a.cast::<i64>().cast::<T>() - b",
    "if a == b { T::ZERO } else { a }",
];

const SIGNED: &[&str] = &["-a", "a.abs()", "b.signum()", "if a.signum() == T::ONE { b } else { -b }"];

const INTEGER: &[&str] = &[
    "a & b",
    "a | b",
    "a ^ b",
    "!a",
    "a << n as u32",
    "a >> n as u32",
    "a.rotate_left(n as u32)",
    "a.swap_bytes()",
    "a.wrapping_add(b)",
    "a.saturating_mul(b)",
    "a.saturating_sub(b)",
    "a.reverse_bits()",
    "T::from_i32(a.count_ones() as i32)",
    "a / (b | T::ONE)",
    "a % (b | T::from_i32(3))",
    "a.wrapping_pow(n as u32)",
    "a.wrapping_shl(n as u32)",
    "T::from_i32(b.leading_zeros() as i32)",
];

const FLOAT: &[&str] = &[
    "a / b",
    "a % b",
    "a.mul_add(b, a)",
    "a.floor()",
    "b.sqrt()",
    "a.trunc() - b",
    "T::from_f64(0.1) * a",
    "if a.is_nan() { b } else { a }",
    "a.round_ties_even()",
    "a.copysign(T::ONE)",
    "a * T::PI",
    "a + T::EPSILON",
    "b.fract()",
];

const BOUNDS: [Bound; 4] = [
    Bound { name: "Num", steps: NUM, allows: |scalar| scalar != Scalar::Bool },
    Bound { name: "Signed", steps: SIGNED, allows: |scalar| scalar.is_signed() || scalar.is_float() },
    Bound { name: "Integer", steps: INTEGER, allows: Scalar::is_integer },
    Bound { name: "Float", steps: FLOAT, allows: Scalar::is_float },
];

/// A function of two numbers of any such type, or of an array of them, and its instances.
pub(super) fn function(rng: &mut Rng, number: u64, world: &mut World) -> String {
    let bound = &BOUNDS[rng.usize(..BOUNDS.len())];
    let has_length = rng.bool();
    let name = format!("generic{number}");
    let mut body = String::new();
    for _ in 0..rng.u32(1..5) {
        // Whatever `Num` has, the others have too.
        let steps = if rng.f32() < 0.6 { bound.steps } else { NUM };
        let (to, step) = (["a", "b"][rng.usize(..2)], steps[rng.usize(..steps.len())]);
        body += &format!("        {to} = {step};\n");
    }
    let count = if has_length { "N as i32".to_owned() } else { rng.u32(1..4).to_string() };
    let (generics, first) = if has_length { (", const N: usize", "x: &[T]") } else { ("", "first: T") };
    let start = if has_length { "x[N % x.len()]" } else { "first" };
    let definition = format!(
        "{}\npub fn {name}<T: {}{generics}>({first}, second: T) -> T {{\n    let mut a = {start};\n    let mut b = second;\n    \
         for n in 0..{count} {{\n{body}    }}\n    if second < b {{ a }} else {{ b }}\n}}\n",
        device(),
        bound.name
    );
    let types: Vec<Scalar> = SCALARS.into_iter().filter(|scalar| (bound.allows)(*scalar)).collect();
    for _ in 0..2 {
        let (scalar, length) = (types[rng.usize(..types.len())], rng.u32(..5));
        let ty = Type::Scalar(scalar);
        let first = if has_length { Param::Slice { element: ty.clone(), mutable: false } } else { Param::Value(ty.clone()) };
        let length = if has_length { format!(", {length}") } else { String::new() };
        world.add_function(Function {
            name: format!("{name}::<{}{length}>", scalar.name()),
            params: vec![first, Param::Value(ty.clone())],
            output: ty,
            recursive: false,
            receiver: None,
            safe: false,
        });
    }
    definition
}
