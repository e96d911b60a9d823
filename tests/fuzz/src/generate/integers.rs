//! Expressions of integers.

use super::Generator;
use super::scalar::{Scalar, U32, integer_literal};

impl Generator<'_> {
    pub(super) fn integer(&mut self, scalar: Scalar, depth: u32, known: bool) -> String {
        let depth = depth - 1;
        match self.rng.u32(..20) {
            0..6 => {
                let (a, b) = (self.scalar(scalar, depth, known), self.scalar(scalar, depth, true));
                format!("({a} {} {b})", self.pick(&["+", "-", "*", "&", "|", "^"]))
            }
            6 | 7 if !self.safe => {
                let a = self.scalar(scalar, depth, false);
                format!("({a} {} {})", self.pick(&["/", "%"]), self.divisor(scalar, depth))
            }
            8 => {
                let a = self.scalar(scalar, depth, false);
                format!("({a} {} {})", self.pick(&["<<", ">>"]), self.shift(depth))
            }
            9 => format!("(!{})", self.scalar(scalar, depth, known)),
            10 if scalar.is_signed() => format!("(-{})", self.scalar(scalar, depth, known)),
            10 | 11 => {
                let [a, b, c, d] = [known, true, true, true].map(|known| self.scalar(scalar, depth, known));
                format!("({a} + {b} * {c} - {d})")
            }
            12 => self.atomic(scalar, depth).unwrap_or_else(|| self.integer_method(scalar, depth)),
            _ => self.integer_method(scalar, depth),
        }
    }

    fn integer_method(&mut self, scalar: Scalar, depth: u32) -> String {
        const BINARY: [&str; 8] =
            ["min", "max", "wrapping_add", "wrapping_sub", "wrapping_mul", "saturating_add", "saturating_sub", "saturating_mul"];
        const BY_DIVISOR: [&str; 7] =
            ["div_euclid", "rem_euclid", "wrapping_div", "wrapping_rem", "wrapping_div_euclid", "wrapping_rem_euclid", "saturating_div"];
        let receiver = self.receiver(scalar, depth);
        match self.rng.u32(..15) {
            0..3 => format!("{receiver}.{}({})", self.pick(&BINARY), self.scalar(scalar, depth, true)),
            3 if !self.safe => format!("{receiver}.{}({})", self.pick(&BY_DIVISOR), self.divisor(scalar, depth)),
            4 => {
                let (a, b) = (scalar.any_value(self.rng), scalar.any_value(self.rng));
                let [low, high] = [a.min(b), a.max(b)].map(|limit| integer_literal(limit, "", false));
                format!("{receiver}.clamp({low}, {high})")
            }
            5 => {
                const NAMES: [&str; 9] = [
                    "pow",
                    "wrapping_pow",
                    "wrapping_shl",
                    "wrapping_shr",
                    "rotate_left",
                    "rotate_right",
                    "saturating_pow",
                    "unbounded_shl",
                    "unbounded_shr",
                ];
                format!("{receiver}.{}({})", self.pick(&NAMES), self.scalar(U32, depth, true))
            }
            6 => format!("{receiver}.{}()", self.pick(&["wrapping_neg", "swap_bytes", "reverse_bits"])),
            7 => format!("{}.0", self.overflowing(scalar, depth + 1)),
            8 if scalar == U32 => {
                const NAMES: [&str; 6] = ["count_ones", "count_zeros", "leading_zeros", "trailing_zeros", "leading_ones", "trailing_ones"];
                let counted = Scalar::any_integer(self.rng);
                format!("{}.{}()", self.receiver(counted, depth), self.pick(&NAMES))
            }
            8 => {
                let function = self.pick(&BINARY);
                format!("{}::{function}({receiver}, {})", scalar.name(), self.scalar(scalar, depth, true))
            }
            9 if !scalar.is_signed() => {
                let of = if self.rng.bool() { scalar } else { scalar.other_sign() };
                format!("{}.abs_diff({})", self.visible_receiver(of, depth), self.scalar(of, depth, true))
            }
            10 if !scalar.is_signed() => format!("{}.unsigned_abs()", self.visible_receiver(scalar.other_sign(), depth)),
            11 => format!("{}.unwrap_or({})", self.checked(scalar, depth + 1), self.scalar(scalar, depth, true)),
            14 => {
                let (from, instead) = (self.narrowed(scalar, depth), self.scalar(scalar, depth, true));
                format!("{from}.unwrap_or({instead})")
            }
            12 if scalar.is_signed() => format!("{}.wrapping_abs()", self.visible_receiver(scalar, depth)),
            _ if scalar.is_signed() => format!("{receiver}.{}()", self.pick(&["abs", "signum"])),
            _ if self.safe => format!("{receiver}.wrapping_neg()"),
            _ => format!("{receiver}.div_ceil({})", self.divisor(scalar, depth)),
        }
    }

    /// What a method is called on.
    pub(super) fn receiver(&mut self, scalar: Scalar, depth: u32) -> String {
        if self.chance(0.3) { self.visible_receiver(scalar, depth) } else { self.scalar(scalar, depth, false) }
    }

    /// What a method is called on whose result does not have the type of a field itself: a type that the attribute sees.
    pub(super) fn visible_receiver(&mut self, scalar: Scalar, depth: u32) -> String {
        format!("({{ let own: {} = {}; own }})", scalar.name(), self.scalar(scalar, depth, false))
    }

    /// A result, and whether it wrapped.
    pub(super) fn overflowing(&mut self, scalar: Scalar, depth: u32) -> String {
        let (a, b) = (self.receiver(scalar, depth - 1), self.scalar(scalar, depth - 1, true));
        format!("{a}.overflowing_{}({b})", self.pick(&["add", "sub", "mul"]))
    }

    /// A conversion that may fail.
    pub(super) fn narrowed(&mut self, to: Scalar, depth: u32) -> String {
        let from = Scalar::any_integer(self.rng);
        format!("{}::try_from({})", to.name(), self.visible_receiver(from, depth))
    }

    /// A result, if there is one.
    pub(super) fn checked(&mut self, scalar: Scalar, depth: u32) -> String {
        let depth = depth - 1;
        let receiver = self.receiver(scalar, depth);
        match self.rng.u32(..10) {
            0 => format!("{receiver}.checked_neg()"),
            8 => format!("{}.ok()", self.narrowed(scalar, depth)),
            9 => {
                let from = Scalar::any_integer(self.rng);
                format!("({{ let narrow: Option<{}> = {}.try_into().ok(); narrow }})", scalar.name(), self.visible_receiver(from, depth))
            }
            1 => format!("{receiver}.{}({})", self.pick(&["checked_shl", "checked_shr"]), self.scalar(U32, depth, true)),
            _ => {
                const NAMES: [&str; 7] =
                    ["checked_add", "checked_sub", "checked_mul", "checked_div", "checked_rem", "checked_div_euclid", "checked_rem_euclid"];
                format!("{receiver}.{}({})", self.pick(&NAMES), self.scalar(scalar, depth, true))
            }
        }
    }

    /// A divisor: mostly not zero. One that is plainly zero is no program.
    pub(super) fn divisor(&mut self, scalar: Scalar, depth: u32) -> String {
        let divisor = self.scalar(scalar, depth, true);
        match self.rng.u32(..10) {
            0..7 => format!("({divisor} | {})", self.pick(&["1", "3", "5"])),
            7 | 8 => format!("{}.max(1)", self.scalar(scalar, depth, false)),
            _ => {
                let wide = self.scalar(scalar, depth, false);
                format!("({{ let divisor: {} = {wide}; divisor }})", scalar.name())
            }
        }
    }

    /// How far to shift, by any type of integer. A literal that is too large is no program.
    fn shift(&mut self, depth: u32) -> String {
        const EDGES: [&str; 12] = ["0", "1", "7", "8", "15", "16", "31", "32", "33", "63", "64", "127"];
        let scalar = Scalar::any_integer(self.rng);
        let amount = if self.rng.bool() { self.pick(&EDGES).to_owned() } else { self.scalar(scalar, depth, true) };
        format!("({{ let amount: {} = {amount}; amount }})", scalar.name())
    }
}
