//! Numbers and `bool`, and their literals.

use fastrand::Rng;

/// A number or `bool`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scalar {
    Int { name: &'static str, bits: u32, signed: bool },
    Float { name: &'static str },
    Bool,
}

const fn int(name: &'static str, bits: u32, signed: bool) -> Scalar {
    Scalar::Int { name, bits, signed }
}

/// Every type of a number, and `bool`.
pub(super) const SCALARS: [Scalar; 13] = [
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

pub(super) const INTEGERS: usize = 10;

pub(super) const USIZE: Scalar = SCALARS[9];
pub(super) const U32: Scalar = SCALARS[7];

impl Scalar {
    pub(super) fn any(rng: &mut Rng) -> Scalar {
        SCALARS[rng.usize(..SCALARS.len())]
    }

    pub(super) fn any_integer(rng: &mut Rng) -> Scalar {
        SCALARS[rng.usize(..INTEGERS)]
    }

    pub(super) fn any_float(rng: &mut Rng) -> Scalar {
        SCALARS[INTEGERS + rng.usize(..2)]
    }

    pub(super) fn any_number(rng: &mut Rng) -> Scalar {
        SCALARS[rng.usize(..INTEGERS + 2)]
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Scalar::Int { name, .. } | Scalar::Float { name } => name,
            Scalar::Bool => "bool",
        }
    }

    pub(super) fn is_integer(self) -> bool {
        matches!(self, Scalar::Int { .. })
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Scalar::Float { .. })
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Scalar::Int { signed: true, .. })
    }

    /// Whether std's `From` converts values of this type to the other.
    pub(super) fn converts_to(self, to: Scalar) -> bool {
        let is_size = |scalar: Scalar| scalar.name().ends_with("size");
        match (self, to) {
            (Scalar::Bool, Scalar::Int { .. }) => true,
            (Scalar::Int { bits, signed, .. }, Scalar::Int { bits: wide, signed: wide_signed, .. }) => {
                let fits = bits < wide && (signed == wide_signed || wide_signed);
                // A size might have 16 bits.
                fits && !is_size(self) && (!is_size(to) || bits == 8)
            }
            (Scalar::Int { bits, .. }, Scalar::Float { name }) => !is_size(self) && bits <= if name == "f32" { 16 } else { 32 },
            (Scalar::Float { name: "f32" }, Scalar::Float { name: "f64" }) => true,
            _ => false,
        }
    }

    /// The integer of this size with the other sign.
    pub(super) fn other_sign(self) -> Scalar {
        let (other, position) = (SCALARS.iter().position(|scalar| *scalar == self).expect("it is one of them"), INTEGERS / 2);
        SCALARS[if self.is_signed() { other + position } else { other - position }]
    }

    /// The atomic type of an integer.
    pub(super) fn atomic(self) -> String {
        let name = self.name();
        format!("Atomic{}{}", name[..1].to_uppercase(), &name[1..])
    }

    /// The smallest and the largest value of an integer.
    pub(super) fn range(self) -> (i128, i128) {
        match self {
            Scalar::Int { bits, signed: true, .. } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Scalar::Int { bits, .. } => (0, (1 << bits) - 1),
            _ => unreachable!("only integers have a range"),
        }
    }

    /// A literal. `known`: the place tells its type, so that a suffix may be missing.
    pub(super) fn literal(self, rng: &mut Rng, known: bool) -> String {
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
    pub(super) fn any_value(self, rng: &mut Rng) -> i128 {
        let Scalar::Int { bits, .. } = self else { unreachable!("only integers have values here") };
        let (low, high) = self.range();
        match rng.u32(..15) {
            0 => low,
            1 => high,
            2 => low + 1,
            3 => high - 1,
            4 if low < 0 => -1,
            5 if low < 0 => -2,
            6 => 1 << rng.u32(..bits - 1),
            7 => i128::from(bits) - i128::from(rng.u8(..2)),
            8 | 9 => low + (rng.u128(..) % (high - low + 1).unsigned_abs()) as i128,
            _ => i128::from(rng.u8(..9)),
        }
    }
}

/// An integer as Rust reads it in any place.
pub(super) fn integer_literal(value: i128, suffix: &str, hexadecimal: bool) -> String {
    match (value < 0, hexadecimal) {
        (true, _) => format!("(-{}{suffix})", value.unsigned_abs()),
        (false, true) => format!("{value:#x}{}{suffix}", if suffix.is_empty() { "" } else { "_" }),
        (false, false) => format!("{value}{suffix}"),
    }
}
