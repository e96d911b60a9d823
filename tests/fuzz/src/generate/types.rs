//! Types of the generated programs, and their literals.

use fastrand::Rng;

/// A type of a variable or expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Scalar(Scalar),
    Tuple(Vec<Type>),
    Array(Box<Type>, usize),
}

/// A number or `bool`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Int { name: &'static str, bits: u32, signed: bool },
    Float { name: &'static str },
    Bool,
}

const fn int(name: &'static str, bits: u32, signed: bool) -> Scalar {
    Scalar::Int { name, bits, signed }
}

/// Every type of a number, and `bool`.
pub(crate) const SCALARS: [Scalar; 13] = [
    int("i8", 8, true),
    int("i16", 16, true),
    int("i32", 32, true),
    int("i64", 64, true),
    int("isize", 64, true),
    int("u8", 8, false),
    int("u16", 16, false),
    int("u32", 32, false),
    int("u64", 64, false),
    int("usize", 64, false),
    Scalar::Float { name: "f32" },
    Scalar::Float { name: "f64" },
    Scalar::Bool,
];

pub(crate) const INTEGERS: usize = 10;

pub(crate) const USIZE: Scalar = SCALARS[9];
pub(crate) const U32: Scalar = SCALARS[7];

impl Scalar {
    pub(crate) fn any(rng: &mut Rng) -> Scalar {
        SCALARS[rng.usize(..SCALARS.len())]
    }

    pub(crate) fn any_integer(rng: &mut Rng) -> Scalar {
        SCALARS[rng.usize(..INTEGERS)]
    }

    pub(crate) fn any_float(rng: &mut Rng) -> Scalar {
        SCALARS[INTEGERS + rng.usize(..2)]
    }

    pub(crate) fn any_number(rng: &mut Rng) -> Scalar {
        SCALARS[rng.usize(..INTEGERS + 2)]
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Scalar::Int { name, .. } | Scalar::Float { name } => name,
            Scalar::Bool => "bool",
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Scalar::Int { .. })
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::Float { .. })
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Scalar::Int { signed: true, .. })
    }

    /// The integer of this size with the other sign.
    pub(crate) fn other_sign(self) -> Scalar {
        let (other, position) = (SCALARS.iter().position(|scalar| *scalar == self).expect("it is one of them"), INTEGERS / 2);
        SCALARS[if self.is_signed() { other + position } else { other - position }]
    }

    /// The smallest and the largest value of an integer.
    pub(crate) fn range(self) -> (i128, i128) {
        match self {
            Scalar::Int { bits, signed: true, .. } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Scalar::Int { bits, .. } => (0, (1 << bits) - 1),
            _ => unreachable!("only integers have a range"),
        }
    }

    /// A literal. `known`: the place tells its type, so that a suffix may be missing.
    pub(crate) fn literal(self, rng: &mut Rng, known: bool) -> String {
        let suffix = if known && rng.f32() < 0.7 { "" } else { self.name() };
        match self {
            Scalar::Bool => rng.bool().to_string(),
            Scalar::Int { name, .. } if rng.f32() < 0.12 => format!("{name}::{}", ["MIN", "MAX"][rng.usize(..2)]),
            Scalar::Int { .. } => integer_literal(self.any_value(rng), suffix, rng.f32() < 0.2),
            Scalar::Float { name } if rng.f32() < 0.15 => {
                const NAMES: [&str; 7] = ["MAX", "MIN", "INFINITY", "NEG_INFINITY", "NAN", "EPSILON", "MIN_POSITIVE"];
                format!("{name}::{}", NAMES[rng.usize(..NAMES.len())])
            }
            Scalar::Float { .. } => {
                const DIGITS: [&str; 17] = [
                    "0.0",
                    "1.0",
                    "0.5",
                    "2.5",
                    "1e10",
                    "3.0e9",
                    "1e-3",
                    "0.1",
                    "255.5",
                    "128.5",
                    "16777217.0",
                    "2147483648.0",
                    "9.3e18",
                    "1.9e19",
                    "1e30",
                    "1e-40",
                    "7.25",
                ];
                let digits = DIGITS[rng.usize(..DIGITS.len())];
                if rng.f32() < 0.3 { format!("(-{digits}{suffix})") } else { format!("{digits}{suffix}") }
            }
        }
    }

    /// An integer of this type: often one at an edge.
    pub(crate) fn any_value(self, rng: &mut Rng) -> i128 {
        let Scalar::Int { bits, .. } = self else { unreachable!("only integers have values here") };
        let (low, high) = self.range();
        match rng.u32(..14) {
            0 => low,
            1 => high,
            2 => low + 1,
            3 => high - 1,
            4 if low < 0 => -1,
            5 if low < 0 => -2,
            6 => 1 << rng.u32(..bits - 1),
            7 | 8 => low + (rng.u128(..) % (high - low + 1).unsigned_abs()) as i128,
            _ => i128::from(rng.u8(..9)),
        }
    }
}

/// An integer as Rust reads it in any place.
pub(crate) fn integer_literal(value: i128, suffix: &str, hexadecimal: bool) -> String {
    match (value < 0, hexadecimal) {
        (true, _) => format!("(-{}{suffix})", value.unsigned_abs()),
        (false, true) => format!("{value:#x}{}{suffix}", if suffix.is_empty() { "" } else { "_" }),
        (false, false) => format!("{value}{suffix}"),
    }
}

impl Type {
    /// A type that is nested at most so deep.
    pub(crate) fn any(rng: &mut Rng, depth: u32) -> Type {
        match rng.u32(..10) {
            0..6 => Type::Scalar(Scalar::any(rng)),
            _ if depth == 0 => Type::Scalar(Scalar::any(rng)),
            6 | 7 => Type::Tuple((0..rng.usize(1..4)).map(|_| Type::any(rng, depth - 1)).collect()),
            _ => Type::Array(Box::new(Type::any(rng, depth - 1)), rng.usize(1..5)),
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Tuple(elements) => format!("({},)", elements.iter().map(Type::name).collect::<Vec<_>>().join(", ")),
            Type::Array(element, length) => format!("[{}; {length}]", element.name()),
        }
    }

    pub(crate) fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }
}
