//! Expressions of every type. Each has the type that was asked for, by construction.

use super::Generator;
use super::scalar::Scalar;
use super::types::{Enum, Fields, Type};
use super::weights::{EXPRESSIONS, Expr, choose};

impl Generator<'_> {
    /// An expression of a type, in parentheses where it needs them.
    ///
    /// `known`: the place tells the type, so that literals in it may go without a suffix. Then inference has to find it.
    pub(super) fn expr(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        if depth == 0 || !self.may_grow() {
            return self.leaf(ty, known);
        }
        let made = match choose(self.rng, EXPRESSIONS) {
            Expr::Leaf => None,
            Expr::If => Some(self.conditional(ty, depth, known)),
            Expr::IfLet => Some(self.if_let_value(ty, depth, known)),
            Expr::Match => Some(self.match_value(ty, depth, known)),
            Expr::Block => Some(self.block(ty, depth, known)),
            Expr::LabelledBlock => Some(self.labelled_block(ty, depth, known)),
            Expr::Loop => Some(self.loop_expr(ty, depth, known)),
            Expr::Call => self.call(ty, depth),
            Expr::Constant => self.constant(ty),
            Expr::Unwrap => self.unwrap(ty, depth),
            Expr::Closure => Some(self.closure_at_once(ty, depth)),
            Expr::Own => Some(self.own(ty, depth, known)),
        };
        made.unwrap_or_else(|| self.leaf(ty, known))
    }

    fn own(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        match ty {
            Type::Tuple(elements) => self.tuple(elements, depth, known),
            Type::Array(element, length) if self.chance(0.2) => format!("[{}; {length}]", self.expr(element, depth - 1, known)),
            Type::Array(element, length) => {
                let elements: Vec<String> = (0..*length).map(|i| self.expr(element, depth - 1, known || i > 0)).collect();
                format!("[{}]", elements.join(", "))
            }
            Type::Option(value) => self.option(value, depth, known),
            Type::Result(value, error) if self.chance(0.7) => {
                format!("Ok::<{}, {}>({})", value.name(), error.name(), self.expr(value, depth - 1, true))
            }
            Type::Result(_, error) => {
                let text = format!("Err({})", self.expr(error, depth - 1, known));
                named(&text, ty, known)
            }
            Type::Struct(of) => {
                if self.chance(0.4)
                    && let Some(operation) = self.operation(ty, depth)
                {
                    return operation;
                }
                let base = if self.chance(0.3) { self.any_place(Some(ty), false) } else { None };
                self.fields_in_any_order(&of.name, &of.fields, base.map(|place| place.text), |this, ty| this.expr(ty, depth - 1, true))
            }
            Type::Enum(of) => self.variant(of, |this, ty| this.expr(ty, depth - 1, true)),
            Type::Scalar(Scalar::Bool) => self.condition(depth),
            Type::Scalar(scalar) if self.chance(0.2) => self.cast(*scalar, depth),
            Type::Scalar(scalar) if scalar.is_float() => self.float(*scalar, depth, known),
            Type::Scalar(scalar) => self.integer(*scalar, depth, known),
        }
    }

    pub(super) fn scalar(&mut self, scalar: Scalar, depth: u32, known: bool) -> String {
        self.expr(&Type::Scalar(scalar), depth, known)
    }

    /// A place or literals.
    pub(super) fn leaf(&mut self, ty: &Type, known: bool) -> String {
        if self.chance(0.8)
            && let Some(place) = self.any_place(Some(ty), false)
        {
            return self.read(place);
        }
        match ty {
            Type::Scalar(scalar) => scalar.literal(self.rng, known),
            Type::Tuple(elements) => {
                let elements: Vec<String> = elements.iter().map(|element| self.leaf(element, known)).collect();
                format!("({},)", elements.join(", "))
            }
            Type::Array(element, length) if self.chance(0.3) => format!("[{}; {length}]", self.leaf(element, known)),
            Type::Array(element, length) => {
                let elements: Vec<String> = (0..*length).map(|i| self.leaf(element, known || i > 0)).collect();
                format!("[{}]", elements.join(", "))
            }
            Type::Option(value) if self.chance(0.6) => format!("Some({})", self.leaf(value, known)),
            Type::Option(_) => named("None", ty, known),
            Type::Result(value, _) if self.chance(0.5) => {
                let text = format!("Ok({})", self.leaf(value, known));
                named(&text, ty, known)
            }
            Type::Result(_, error) => {
                let text = format!("Err({})", self.leaf(error, known));
                named(&text, ty, known)
            }
            Type::Struct(of) => self.fields_in_any_order(&of.name, &of.fields, None, |this, ty| this.leaf(ty, true)),
            Type::Enum(of) => self.variant(of, |this, ty| this.leaf(ty, true)),
        }
    }

    fn tuple(&mut self, elements: &[Type], depth: u32, known: bool) -> String {
        if let [Type::Scalar(scalar), Type::Scalar(Scalar::Bool)] = elements
            && scalar.is_integer()
            && self.chance(0.5)
        {
            return self.overflowing(*scalar, depth);
        }
        let elements: Vec<String> = elements.iter().map(|element| self.expr(element, depth - 1, known)).collect();
        format!("({},)", elements.join(", "))
    }

    fn option(&mut self, value: &Type, depth: u32, known: bool) -> String {
        if let Some(scalar) = value.as_scalar()
            && scalar.is_integer()
            && self.chance(0.5)
        {
            return self.checked(scalar, depth);
        }
        if self.chance(0.8) {
            format!("Some({})", self.expr(value, depth - 1, known))
        } else {
            named("None", &Type::Option(Box::new(value.clone())), known)
        }
    }

    /// A value with fields. Effects in them happen in the order in which they are written. In parentheses, as it may be a condition's.
    fn fields_in_any_order(
        &mut self,
        path: &str,
        fields: &Fields,
        base: Option<String>,
        mut value: impl FnMut(&mut Self, &Type) -> String,
    ) -> String {
        if !fields.is_named() {
            let values: Vec<String> = fields.0.iter().map(|(_, ty)| value(self, ty)).collect();
            return format!("{path}{}", fields.with(&values));
        }
        let mut order: Vec<&(String, Type)> = fields.0.iter().collect();
        self.rng.shuffle(&mut order);
        if base.is_some() {
            order.truncate(self.rng.usize(..=order.len()));
        }
        let values: Vec<String> = order.into_iter().map(|(name, ty)| format!("{name}: {}", value(self, ty))).collect();
        let rest = base.map(|base| format!("..{base}"));
        format!("({path} {{ {} }})", values.into_iter().chain(rest).collect::<Vec<_>>().join(", "))
    }

    fn variant(&mut self, of: &Enum, value: impl FnMut(&mut Self, &Type) -> String) -> String {
        let variant = &of.variants[self.rng.usize(..of.variants.len())];
        self.fields_in_any_order(&variant.path, &variant.fields, None, value)
    }

    fn conditional(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        let condition = self.condition(depth - 1);
        let then = self.arm(ty, depth, known);
        if self.chance(0.2) {
            let second = self.condition(depth - 1);
            let (middle, otherwise) = (self.arm(ty, depth, known), self.arm(ty, depth, known));
            return format!("(if {condition} {{ {then} }} else if {second} {{ {middle} }} else {{ {otherwise} }})");
        }
        format!("(if {condition} {{ {then} }} else {{ {} }})", self.arm(ty, depth, known))
    }

    /// The inside of a block: perhaps a statement, then a value.
    pub(super) fn arm(&mut self, ty: &Type, depth: u32, known: bool) -> String {
        self.scoped(|inner| {
            let statement = if inner.chance(0.4) { inner.line(depth - 1) } else { String::new() };
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
        let counter = self.fresh_name("round");
        self.scoped(|inner| {
            let statement = inner.line(depth - 1);
            let value = inner.expr(ty, depth - 1, known);
            let rounds = inner.rng.u32(..4);
            format!("({{ let mut {counter} = 0u8; loop {{ {counter} += 1; {statement} if {counter} > {rounds} {{ break {value}; }} }} }})")
        })
    }

    /// A constant, or an element of a constant array.
    fn constant(&mut self, ty: &Type) -> Option<String> {
        let scalar = ty.as_scalar()?;
        let name = if self.chance(0.5) {
            let constants = self.world.constants.iter().filter(|(_, of)| *of == scalar);
            self.rng.choice(constants.collect::<Vec<_>>())?.0.clone()
        } else {
            let tables: Vec<_> = self.world.tables.iter().filter(|table| table.element == scalar).collect();
            let table = self.rng.choice(tables)?;
            let indices: Vec<String> = table.lengths.iter().map(|length| format!("[{}]", self.index(&length.to_string()))).collect();
            format!("{}{}", table.name, indices.concat())
        };
        Some(format!("({{ let constant: {} = {name}; constant }})", ty.name()))
    }

    /// The value in an option or a result.
    fn unwrap(&mut self, ty: &Type, depth: u32) -> Option<String> {
        let value = Box::new(ty.clone());
        let of = match self.chance(0.6) {
            true => Type::Option(value),
            false => Type::Result(value, Box::new(Type::Scalar(Scalar::any(self.rng)))),
        };
        if of.size() > super::weights::LARGEST {
            return None;
        }
        let option = self.expr(&of, depth - 1, false);
        let receiver = format!("({{ let option: {} = {option}; option }})", of.name());
        Some(match self.rng.u32(..12) {
            0 if !self.safe => format!("{receiver}.unwrap()"),
            1 if !self.safe => format!("{receiver}.expect(\"a value\")"),
            _ => format!("{receiver}.unwrap_or({})", self.expr(ty, depth - 1, true)),
        })
    }

    fn cast(&mut self, to: Scalar, depth: u32) -> String {
        if to.is_integer() && self.chance(0.15) {
            let plain: Vec<&Type> = self.world.types.iter().filter(|ty| matches!(ty, Type::Enum(of) if of.is_plain())).collect();
            if let Some(from) = self.rng.choice(plain) {
                return format!("({} as {})", self.expr(from, depth - 1, true), to.name());
            }
        }
        if self.chance(0.15) {
            let from: Vec<Scalar> = super::scalar::SCALARS.into_iter().filter(|from| from.converts_to(to)).collect();
            if let Some(from) = self.rng.choice(from) {
                return format!("{}::from({})", to.name(), self.scalar(from, depth - 1, false));
            }
        }
        let from = if to.is_integer() { Scalar::any(self.rng) } else { Scalar::any_number(self.rng) };
        format!("({} as {})", self.scalar(from, depth - 1, false), to.name())
    }
}

/// A value that does not say of which type it is, unless its place does.
fn named(value: &str, ty: &Type, known: bool) -> String {
    if known { value.to_owned() } else { format!("({{ let named: {} = {value}; named }})", ty.name()) }
}
