//! Expressions of `bool`.

use super::Generator;
use super::scalar::Scalar;
use super::types::Type;

impl Generator<'_> {
    pub(super) fn condition(&mut self, depth: u32) -> String {
        if depth == 0 || !self.may_grow() {
            return self.leaf(&Type::Scalar(Scalar::Bool), true);
        }
        let depth = depth - 1;
        match self.rng.u32(..25) {
            0..5 => format!("({} {} {})", self.condition(depth), self.pick(&["&&", "||"]), self.condition(depth)),
            5..7 => format!("({} {} {})", self.condition(depth), self.pick(&["&", "|", "^"]), self.condition(depth)),
            7 | 8 => format!("(!{})", self.condition(depth)),
            9 => {
                let float = Scalar::any_float(self.rng);
                format!("{}.{}()", self.receiver(float, depth), self.pick(&["is_nan", "is_infinite", "is_finite"]))
            }
            10 => {
                let integer = Scalar::any_integer(self.rng);
                let test = match integer.name() {
                    "u8" => self.pick(&["is_power_of_two", "is_ascii_alphanumeric", "is_ascii_punctuation", "is_ascii_whitespace"]),
                    _ if integer.is_signed() => self.pick(&["is_positive", "is_negative"]),
                    _ => "is_power_of_two",
                };
                format!("{}.{test}()", self.visible_receiver(integer, depth))
            }
            11 => {
                let integer = Scalar::any_integer(self.rng);
                format!("{}.1", self.overflowing(integer, depth + 1))
            }
            12 => {
                let float = Scalar::any_float(self.rng);
                let value = self.scalar(float, depth, true);
                let sign = self.pick(&["is_sign_negative", "is_sign_positive"]);
                format!("({{ let signed: {} = {value}; !signed.is_nan() && signed.{sign}() }})", float.name())
            }
            13 => {
                let option = Type::Option(Box::new(self.any_type(1)));
                let value = self.expr(&option, depth, false);
                format!("{value}.{}()", self.pick(&["is_some", "is_none"]))
            }
            14 => self.matches(depth + 1),
            15 => self.equal_variants(depth),
            16 => {
                let scalar = Scalar::any_number(self.rng);
                let (start, end) = (self.scalar(scalar, depth, false), self.scalar(scalar, depth, true));
                // Rust borrows the value, and the range has copies.
                let value = self.scalar(scalar, depth, true);
                let range = format!("({start}{}{end})", self.pick(&["..", "..="]));
                format!("{range}.contains(&({{ let value: {} = {value}; value }}))", scalar.name())
            }
            17 => self.order(depth),
            _ => {
                let scalar = Scalar::any(self.rng);
                let (a, b) = (self.scalar(scalar, depth, false), self.scalar(scalar, depth, true));
                format!("({a} {} {b})", self.pick(&["==", "!=", "<", "<=", ">", ">="]))
            }
        }
    }

    /// What an `Ordering` of two numbers says.
    fn order(&mut self, depth: u32) -> String {
        let scalar = Scalar::any_number(self.rng);
        let (a, b) = (self.scalar(scalar, depth, true), self.scalar(scalar, depth, true));
        let name = scalar.name();
        let compared = match scalar.is_float() {
            // A sum of NaN may have any sign on a GPU, so that there is no total order.
            true => "first.partial_cmp(&second).unwrap_or(std::cmp::Ordering::Less)",
            false => "first.cmp(&second)",
        };
        let order = match self.rng.u32(..4) {
            0 => format!("{compared}.reverse()"),
            1 => format!(
                "{compared}.then({})",
                self.pick(&["std::cmp::Ordering::Less", "first.partial_cmp(&first).unwrap_or(std::cmp::Ordering::Greater)"])
            ),
            _ => compared.to_owned(),
        };
        let test = self.pick(&["is_lt()", "is_le()", "is_gt()", "is_ge()", "is_eq()", "is_ne()"]);
        format!("({{ let (first, second): ({name}, {name}) = ({a}, {b}); let order: std::cmp::Ordering = {order}; order.{test} }})")
    }

    /// Whether two values of an enum without data are the same.
    fn equal_variants(&mut self, depth: u32) -> String {
        let plain: Vec<&Type> = self.world.types.iter().filter(|ty| matches!(ty, Type::Enum(of) if of.is_plain())).collect();
        let Some(ty) = self.rng.choice(plain) else { return self.condition(depth) };
        let (a, b) = (self.expr(ty, depth, true), self.expr(ty, depth, true));
        // Rust borrows both, so that the second must not change what the first is.
        format!("({{ let variant: {} = {a}; variant {} {b} }})", ty.name(), self.pick(&["==", "!="]))
    }
}
