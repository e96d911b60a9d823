//! Expressions. Each has the type that was asked for, by construction.

use super::Generator;
use super::types::{Scalar, Type, U32, USIZE, integer_literal};

impl Generator<'_> {
    /// An expression of a type, in parentheses where it needs them.
    ///
    /// `known`: the place tells the type, so that literals in it may go without a suffix. Then inference has to find it.
    pub(crate) fn expr(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        if depth == 0 || !self.may_grow() {
            return self.leaf(ty, known);
        }
        match self.rng.u32(..100) {
            0..10 => self.leaf(ty, known),
            10..17 => self.conditional(ty, depth, known),
            17..23 => self.block(ty, depth, known),
            23..26 => self.labelled_block(ty, depth, known),
            26..28 => self.loop_expr(ty, depth, known),
            28..34 => self.call(ty, depth).unwrap_or_else(|| self.leaf(ty, known)),
            34..37 => self.constant(ty).unwrap_or_else(|| self.leaf(ty, known)),
            _ => match ty {
                Type::Tuple(elements) => {
                    let elements: Vec<String> = elements.iter().map(|element| self.expr(element, depth - 1, known)).collect();
                    format!("({},)", elements.join(", "))
                }
                Type::Array(element, length) if self.rng.f32() < 0.2 => format!("[{}; {length}]", self.expr(element, depth - 1, known)),
                Type::Array(element, length) => {
                    let elements: Vec<String> = (0..*length).map(|i| self.expr(element, depth - 1, known || i > 0)).collect();
                    format!("[{}]", elements.join(", "))
                }
                Type::Scalar(Scalar::Bool) => self.condition(depth),
                Type::Scalar(scalar) if self.rng.f32() < 0.2 => self.cast(*scalar, depth),
                Type::Scalar(scalar) if scalar.is_float() => self.float(*scalar, depth, known),
                Type::Scalar(scalar) => self.integer(*scalar, depth, known),
            },
        }
    }

    fn scalar(&mut self, scalar: Scalar, depth: u32, known: bool) -> String {
        self.expr(&Type::Scalar(scalar), depth, known)
    }

    /// A place or literals.
    fn leaf(&mut self, ty: &Type, known: bool) -> String {
        if self.rng.f32() < 0.8
            && let Some(place) = self.any_place(Some(ty), false)
        {
            return place.text;
        }
        match ty {
            Type::Scalar(scalar) => scalar.literal(self.rng, known),
            Type::Tuple(elements) => {
                let elements: Vec<String> = elements.iter().map(|element| self.leaf(element, known)).collect();
                format!("({},)", elements.join(", "))
            }
            Type::Array(element, length) if self.rng.f32() < 0.3 => format!("[{}; {length}]", self.leaf(element, known)),
            Type::Array(element, length) => {
                let elements: Vec<String> = (0..*length).map(|i| self.leaf(element, known || i > 0)).collect();
                format!("[{}]", elements.join(", "))
            }
        }
    }

    fn conditional(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        let condition = self.condition(depth - 1);
        let then = self.arm(ty, depth, known);
        if self.rng.f32() < 0.2 {
            let second = self.condition(depth - 1);
            let (middle, otherwise) = (self.arm(ty, depth, known), self.arm(ty, depth, known));
            return format!("(if {condition} {{ {then} }} else if {second} {{ {middle} }} else {{ {otherwise} }})");
        }
        format!("(if {condition} {{ {then} }} else {{ {} }})", self.arm(ty, depth, known))
    }

    /// The inside of a block: perhaps a statement, then a value.
    fn arm(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        self.scoped(|inner| {
            let statement = if inner.rng.f32() < 0.4 { inner.line(depth - 1) } else { String::new() };
            format!("{statement} {}", inner.expr(ty, depth - 1, known))
        })
    }

    fn block(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        self.scoped(|inner| {
            let statements: Vec<String> = (0..inner.rng.u32(1..3)).map(|_| inner.line(depth - 1)).collect();
            format!("({{ {} {} }})", statements.join(" "), inner.expr(ty, depth - 1, known))
        })
    }

    fn labelled_block(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        let label = self.fresh_label();
        self.scoped(|inner| {
            let condition = inner.condition(depth - 1);
            let early = inner.expr(ty, depth - 1, known);
            let statement = inner.line(depth - 1);
            let late = inner.expr(ty, depth - 1, known);
            format!("({label}: {{ if {condition} {{ break {label} {early}; }} {statement} {late} }})")
        })
    }

    fn loop_expr(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        let counter = self.fresh_counter();
        self.scoped(|inner| {
            let statement = inner.line(depth - 1);
            let value = inner.expr(ty, depth - 1, known);
            let rounds = inner.rng.u32(..4);
            format!("({{ let mut {counter} = 0u8; loop {{ {counter} += 1; {statement} if {counter} > {rounds} {{ break {value}; }} }} }})")
        })
    }

    /// A call of a device function that returns `ty`. Its type is written out: what a call returns is unknown to the macro.
    fn call(&mut self, ty: &Type, depth: u32) -> Option<String> {
        let functions: Vec<usize> = (0..self.functions.len()).filter(|&i| self.functions[i].output == *ty).collect();
        let function = self.functions[*self.rng.choice(&functions)?].clone();
        let args: Vec<String> = function.params.iter().map(|param| self.scalar(*param, depth - 1, false)).collect();
        let fuel = function.recursive.then(|| format!("{}u8", self.rng.u8(..4)));
        let args: Vec<String> = args.into_iter().chain(fuel).collect();
        Some(format!("({{ let returned: {} = {}({}); returned }})", ty.name(), function.name, args.join(", ")))
    }

    fn constant(&mut self, ty: &Type) -> Option<String> {
        let constants: Vec<usize> = (0..self.constants.len()).filter(|&i| Type::Scalar(self.constants[i].1) == *ty).collect();
        let constant = &self.constants[*self.rng.choice(&constants)?].0;
        Some(format!("({{ let constant: {} = {constant}; constant }})", ty.name()))
    }

    fn cast(&mut self, to: Scalar, depth: u32) -> String {
        let from = if to.is_integer() { Scalar::any(self.rng) } else { Scalar::any_number(self.rng) };
        format!("({} as {})", self.scalar(from, depth - 1, false), to.name())
    }

    pub(crate) fn condition(&mut self, depth: u32) -> String {
        if depth == 0 || !self.may_grow() {
            return self.leaf(&Type::Scalar(Scalar::Bool), true);
        }
        let depth = depth - 1;
        match self.rng.u32(..20) {
            0..5 => format!("({} {} {})", self.condition(depth), self.pick(&["&&", "||"]), self.condition(depth)),
            5..7 => format!("({} {} {})", self.condition(depth), self.pick(&["&", "|", "^"]), self.condition(depth)),
            7 | 8 => format!("(!{})", self.condition(depth)),
            9 => {
                let float = Scalar::any_float(self.rng);
                format!("{}.{}()", self.scalar(float, depth, false), self.pick(&["is_nan", "is_infinite", "is_finite"]))
            }
            10 => {
                let integer = Scalar::any_integer(self.rng);
                let test = if integer.is_signed() { self.pick(&["is_positive", "is_negative"]) } else { "is_power_of_two" };
                format!("{}.{test}()", self.scalar(integer, depth, false))
            }
            11 => {
                let integer = Scalar::any_integer(self.rng);
                let (a, b) = (self.scalar(integer, depth, false), self.scalar(integer, depth, true));
                format!("{a}.overflowing_{}({b}).1", self.pick(&["add", "sub", "mul"]))
            }
            _ => {
                let scalar = Scalar::any(self.rng);
                let (a, b) = (self.scalar(scalar, depth, false), self.scalar(scalar, depth, true));
                format!("({a} {} {b})", self.pick(&["==", "!=", "<", "<=", ">", ">="]))
            }
        }
    }

    fn integer(&mut self, scalar: Scalar, depth: u32, known: bool) -> String {
        let depth = depth - 1;
        match self.rng.u32(..20) {
            0..6 => {
                let (a, b) = (self.scalar(scalar, depth, known), self.scalar(scalar, depth, true));
                format!("({a} {} {b})", self.pick(&["+", "-", "*", "&", "|", "^"]))
            }
            6 | 7 => {
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
            _ => self.integer_method(scalar, depth),
        }
    }

    fn integer_method(&mut self, scalar: Scalar, depth: u32) -> String {
        const BINARY: [&str; 8] =
            ["min", "max", "wrapping_add", "wrapping_sub", "wrapping_mul", "saturating_add", "saturating_sub", "saturating_mul"];
        let receiver = self.scalar(scalar, depth, false);
        match self.rng.u32(..12) {
            0..3 => format!("{receiver}.{}({})", self.pick(&BINARY), self.scalar(scalar, depth, true)),
            3 => format!("{receiver}.{}({})", self.pick(&["div_euclid", "rem_euclid"]), self.divisor(scalar, depth)),
            4 => {
                let (a, b) = (scalar.any_value(self.rng), scalar.any_value(self.rng));
                let [low, high] = [a.min(b), a.max(b)].map(|limit| integer_literal(limit, "", false));
                format!("{receiver}.clamp({low}, {high})")
            }
            5 => {
                const NAMES: [&str; 6] = ["pow", "wrapping_pow", "wrapping_shl", "wrapping_shr", "rotate_left", "rotate_right"];
                format!("{receiver}.{}({})", self.pick(&NAMES), self.scalar(U32, depth, true))
            }
            6 => format!("{receiver}.{}()", self.pick(&["wrapping_neg", "swap_bytes", "reverse_bits"])),
            7 => format!("{receiver}.overflowing_{}({}).0", self.pick(&["add", "sub", "mul"]), self.scalar(scalar, depth, true)),
            8 if scalar == U32 => {
                const NAMES: [&str; 6] = ["count_ones", "count_zeros", "leading_zeros", "trailing_zeros", "leading_ones", "trailing_ones"];
                let counted = Scalar::any_integer(self.rng);
                format!("{}.{}()", self.scalar(counted, depth, false), self.pick(&NAMES))
            }
            9 if !scalar.is_signed() => {
                let of = if self.rng.bool() { scalar } else { scalar.other_sign() };
                format!("{}.abs_diff({})", self.scalar(of, depth, false), self.scalar(of, depth, true))
            }
            10 if !scalar.is_signed() => format!("{}.unsigned_abs()", self.scalar(scalar.other_sign(), depth, false)),
            _ if scalar.is_signed() => format!("{receiver}.{}()", self.pick(&["abs", "signum", "wrapping_abs"])),
            _ => format!("{receiver}.div_ceil({})", self.divisor(scalar, depth)),
        }
    }

    /// A divisor: mostly not zero. One that is plainly zero is no program.
    fn divisor(&mut self, scalar: Scalar, depth: u32) -> String {
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
        let scalar = Scalar::any_integer(self.rng);
        format!("({{ let amount: {} = {}; amount }})", scalar.name(), self.scalar(scalar, depth, true))
    }

    fn float(&mut self, scalar: Scalar, depth: u32, known: bool) -> String {
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
            _ => self.float_method(scalar, depth),
        }
    }

    /// A method that every implementation must round alike.
    fn float_method(&mut self, scalar: Scalar, depth: u32) -> String {
        const UNARY: [&str; 12] =
            ["floor", "ceil", "round", "round_ties_even", "trunc", "fract", "abs", "signum", "sqrt", "recip", "to_radians", "to_degrees"];
        let receiver = self.scalar(scalar, depth, false);
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

    /// An index below `length`, but for a few.
    pub(crate) fn index(&mut self, length: usize) -> String {
        match self.rng.u32(..200) {
            0..120 => self.rng.usize(..length).to_string(),
            120..198 => format!("({} % {length})", self.expr(&Type::Scalar(USIZE), 1, true)),
            _ => {
                let index = self.expr(&Type::Scalar(USIZE), 1, true);
                format!("({{ let index: usize = {index}; index }})")
            }
        }
    }
}
