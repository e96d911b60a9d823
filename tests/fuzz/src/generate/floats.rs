//! Expressions of floats, rounded alike everywhere.

use super::Generator;
use super::scalar::{SCALARS, Scalar};

impl Generator<'_> {
    pub(super) fn float(&mut self, scalar: Scalar, depth: u32, known: bool) -> String {
        let depth = depth - 1;
        match self.rng.u32(..20) {
            0..9 => {
                let (a, b) = (self.scalar(scalar, depth, known), self.scalar(scalar, depth, true));
                format!("({a} {} {b})", self.pick(&["+", "-", "*", "/", "%"]))
            }
            9 => format!("(-{})", self.scalar(scalar, depth, known)),
            10 => {
                let [a, b, c, d] = [known, true, true, true].map(|known| self.scalar(scalar, depth, known));
                format!("({a} + {b} * {c} - {d})")
            }
            11 => {
                let bits = SCALARS.into_iter().find(|bits| bits.name() == if scalar.name() == "f32" { "u32" } else { "u64" });
                format!("{}::from_bits({})", scalar.name(), self.scalar(bits.expect("it is one of them"), depth, true))
            }
            _ => self.float_method(scalar, depth),
        }
    }

    fn float_method(&mut self, scalar: Scalar, depth: u32) -> String {
        const UNARY: [&str; 14] = [
            "floor",
            "ceil",
            "round",
            "round_ties_even",
            "trunc",
            "fract",
            "abs",
            "signum",
            "sqrt",
            "recip",
            "to_radians",
            "to_degrees",
            "next_up",
            "next_down",
        ];
        let receiver = self.receiver(scalar, depth);
        match self.rng.u32(..8) {
            // Of zeros with different signs either may come out: there are none here.
            0 => format!(
                "({receiver} + {}).{}({} + 0.75)",
                self.pick(&["0.5", "1.5", "3.25"]),
                self.pick(&["min", "max"]),
                self.scalar(scalar, depth, true)
            ),
            1 => format!("{receiver}.mul_add({}, {})", self.scalar(scalar, depth, true), self.scalar(scalar, depth, true)),
            2 => format!("{receiver}.{}({})", self.pick(&["div_euclid", "rem_euclid"]), self.scalar(scalar, depth, true)),
            // The sign of a NaN is nobody's business.
            3 => format!("{receiver}.copysign({})", self.pick(&["1.0", "(-1.0)", "0.0", "(-0.0)"])),
            4 => format!("{receiver}.clamp({}, {})", self.pick(&["(-2.5)", "0.25"]), self.pick(&["100.25", "1e10"])),
            _ => format!("{receiver}.{}()", self.pick(&UNARY)),
        }
    }
}
