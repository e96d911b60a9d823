//! Operators and conversions, with Rust's meaning.
//!
//! `u32`, `u64` and `usize` wrap in C as in Rust. Everything else that C leaves undefined or promotes to `int` goes through
//! a helper named like Rust's method: `gr_wrapping_add(a, b)`. What is [shown not to overflow](crate::check::Analysis::exact_operations) has the
//! operator of C, in the programs for launches that satisfy its conditions.

use super::Emitter;
use super::code::{Binding, Code};
use super::pattern::compared;
use super::structs::integer_of;
use super::text::{CText, c, join};
use crate::check::ExactOperations;
use crate::emit::{OperatorCallee, Overload, Piece};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Integers whose C arithmetic is Rust's.
fn wraps_in_c(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::U32 | Scalar::U64 | Scalar::Usize)
}

/// How tightly `op` binds in C.
pub(super) fn binding(op: BinaryOp) -> Binding {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => Binding::Product,
        BinaryOp::Add | BinaryOp::Subtract => Binding::Sum,
        BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
            Binding::Comparison
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Binding::Loose,
        BinaryOp::PartialOrder | BinaryOp::TotalOrder => unreachable!("it is a call"),
    }
}

/// `left op right`, with the parentheses that are needed.
fn infix(op: BinaryOp, left: &Code, right: &Code) -> Code {
    let binding = binding(op);
    Code::bound(binding, c![left.left_operand_of(binding), " ", op.symbol(), " ", right.operand_of(binding)])
}

/// An operator with its operands.
struct Operation<'e> {
    op: BinaryOp,
    left: &'e Expr,
    right: &'e Expr,
    /// Of a division.
    site: Option<SiteId>,
    /// The conditions, a bit for each, under which it does not overflow.
    exact_under: Option<u32>,
    /// Whether it is exact with a sign where a `usize` has 32 bits.
    is_small: bool,
    /// What may be a user's function.
    callee: Option<OperatorCallee>,
    /// The same of `left op= right`.
    assignment: Option<Overload>,
}

impl Emitter<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Expr, expr: &Expr) -> Code {
        if let (UnaryOp::Negate, ExprKind::Int(literal)) = (op, &operand.kind) {
            if expr.ty.is_followed() {
                return self.followed_integer(literal.value, true, &expr.ty);
            }
            return Code::constant(format!("({})", super::types::negative_integer(literal.value, expr.ty.as_scalar())));
        }
        let value = self.value(operand);
        match (op, operand.ty.as_scalar()) {
            (UnaryOp::Negate, Some(scalar)) if scalar.is_float() => Code::bound(Binding::Unary, c!["-", value.operand()]),
            (UnaryOp::Negate, _) => self.overloadable("gr_wrapping_neg", self.unary_callee(op, operand), &[value]),
            (UnaryOp::Not, Some(Scalar::Bool)) => Code::bound(Binding::Unary, value.negated()),
            (UnaryOp::Not, Some(scalar)) if wraps_in_c(scalar) => Code::bound(Binding::Unary, c!["~", value.operand()]),
            (UnaryOp::Not, _) => self.overloadable("gr_not", self.unary_callee(op, operand), &[value]),
        }
    }

    pub(super) fn binary(&mut self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr, site: Option<SiteId>) -> Code {
        if let Some(code) = self.equality_of_low_bits(op, left, right) {
            return code;
        }
        let callee = self.operator_callee(op, left, right).or_else(|| self.comparison_callee(op, left, right));
        let mut codes = match &callee {
            Some(callee) if is_followed_literal(left) => vec![self.literal_operand(left, callee, false), self.value(right)],
            Some(callee) if is_followed_literal(right) => vec![self.value(left), self.literal_operand(right, callee, true)],
            _ => self.in_width_of_comparison(op, left, right, |emitter| emitter.operands(&[left, right])),
        };
        if op.compares_parts(left, right) {
            self.need("compare");
        }
        if op.is_order() || callee.as_ref().is_some_and(|callee| callee.op == "PartialOrder") {
            self.need("ordering");
        }
        if op.is_comparison() {
            for (code, operand) in codes.iter_mut().zip([left, right]).filter(|(_, operand)| operand.ty == Type::Opaque) {
                if let Some(constant) = compared(operand) {
                    *code = constant;
                }
            }
        }
        let [left_code, right_code] = codes.try_into().unwrap_or_else(|_| unreachable!("two operands"));
        let (exact_under, is_small) = (self.exact_under(expr), self.is_small(expr));
        self.binary_code(&Operation { op, left, right, site, exact_under, is_small, callee, assignment: None }, left_code, right_code)
    }

    /// A literal that is an operand of `callee`, with the type that rustc finds for it.
    fn literal_operand(&mut self, literal: &Expr, callee: &OperatorCallee, is_right: bool) -> Code {
        let ty = CText::hole(Piece::OperandType(callee.clone(), is_right));
        match &literal.kind {
            ExprKind::Float(literal) => self.float_of(&literal.digits, ty),
            ExprKind::Int(literal) => integer_of(literal.value, false, ty),
            ExprKind::Unary { operand, .. } => match &operand.kind {
                ExprKind::Int(literal) => integer_of(literal.value, true, ty),
                _ => {
                    let positive = self.literal_operand(operand, callee, is_right);
                    Code::constant(c!["-", positive.operand()])
                }
            },
            _ => unreachable!("it is a literal"),
        }
    }

    /// `left op right`, where the operands' statements stand already.
    fn binary_code(&mut self, operation: &Operation<'_>, left: Code, right: Code) -> Code {
        let op = operation.op;
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                match &operation.callee {
                    Some(callee) => comparison(callee, op, &left, &right),
                    None => infix(op, &left, &right),
                }
            }
            BinaryOp::PartialOrder => self.overloadable("gr_partial_cmp", operation.callee.clone(), &[left, right]),
            BinaryOp::TotalOrder => self.overloadable("gr_cmp", operation.callee.clone(), &[left, right]),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shift(op, left, operation.left.ty.as_scalar(), operation.right, right),
            BinaryOp::Divide => match operation.scalar() {
                Some(scalar) if scalar.is_float() => infix(op, &left, &right),
                _ => self.divide(operation, left, right),
            },
            BinaryOp::Remainder => match operation.scalar() {
                Some(Scalar::F32) => call("fmodf", &[left, right]),
                Some(Scalar::F64) => call("fmod", &[left, right]),
                _ => self.divide(operation, left, right),
            },
            BinaryOp::Add => self.wrapping(operation, "gr_wrapping_add", left, right),
            BinaryOp::Subtract => self.wrapping(operation, "gr_wrapping_sub", left, right),
            BinaryOp::Multiply => self.wrapping(operation, "gr_wrapping_mul", left, right),
            BinaryOp::BitAnd => self.bits(operation, "gr_bit_and", left, right),
            BinaryOp::BitOr => self.bits(operation, "gr_bit_or", left, right),
            BinaryOp::BitXor => self.bits(operation, "gr_bit_xor", left, right),
        }
    }

    /// Sums and products; `helper` computes those that differ between C and Rust, or whose type only C++ knows.
    fn wrapping(&mut self, operation: &Operation<'_>, helper: &'static str, left: Code, right: Code) -> Code {
        if operation.is_small {
            return self.small(operation.op, &left, &right);
        }
        match (operation.scalar(), operation.exact_under) {
            (Some(scalar), _) if scalar.is_float() || wraps_in_c(scalar) => infix(operation.op, &left, &right),
            (Some(scalar), Some(conditions)) if scalar.bits() >= 32 => self.exact(operation.op, conditions, helper, &left, &right),
            _ => self.overloadable(helper, operation.callee.clone(), &[left, right]),
        }
    }

    /// A sum, difference or product that does not overflow under these conditions: the operator there, else the helper.
    fn exact(&mut self, op: BinaryOp, conditions: u32, helper: &'static str, left: &Code, right: &Code) -> Code {
        if conditions == 0 {
            return infix(op, left, right);
        }
        self.need("ops");
        let either = |shown: CText, checked: CText| {
            c![CText::hole(Piece::Shown(conditions, shown.into_pieces())), CText::hole(Piece::Checked(conditions, checked.into_pieces()))]
        };
        let (begin, then) = (either("(".into(), c![helper, "("]), either(c![" ", op.symbol(), " "], ", ".into()));
        let binding = binding(op);
        Code::atom(c![begin, left.left_operand_of(binding), then, right.operand_of(binding), ")"])
    }

    /// The conditions, a bit for each, under which the operation `expr` of signed integers does not overflow here.
    fn exact_under(&self, expr: &Expr) -> Option<u32> {
        let is_exact = |exact: &&ExactOperations| self.is_in_place && exact.operations.contains(&std::ptr::from_ref(expr));
        let exact = self.analysis.exact_operations.iter().find(is_exact)?;
        Some(self.analysis.conditions.bits_of(&exact.needs))
    }

    /// What `write` writes that is evaluated where Rust does not, or with values that it does not have.
    pub(super) fn out_of_place<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.is_in_place, false);
        let written = write(self);
        self.is_in_place = outer;
        written
    }

    fn bits(&mut self, operation: &Operation<'_>, helper: &'static str, left: Code, right: Code) -> Code {
        match operation.scalar() {
            Some(scalar) if scalar.bits() >= 32 => infix(operation.op, &left, &right),
            Some(small) => narrowed(small, infix(operation.op, &left, &right)),
            None => self.overloadable(helper, operation.callee.clone(), &[left, right]),
        }
    }

    fn divide(&mut self, operation: &Operation<'_>, left: Code, right: Code) -> Code {
        let op = operation.op;
        let overloads: Vec<_> = operation.assignment.iter().cloned().chain(operation.callee.clone().map(Overload::Operator)).collect();
        let (left, right) = self.check_division(left, &operation.left.ty, operation.right, right, operation.site, &overloads);
        match operation.scalar() {
            Some(scalar) if scalar.bits() >= 32 => infix(op, &left, &right),
            Some(small) => narrowed(small, infix(op, &left, &right)),
            None if op == BinaryOp::Divide => self.overloadable("gr_divide", operation.callee.clone(), &[left, right]),
            None => self.overloadable("gr_remainder", operation.callee.clone(), &[left, right]),
        }
    }

    fn shift(&mut self, op: BinaryOp, left: Code, scalar: Option<Scalar>, right_expr: &Expr, right: Code) -> Code {
        if let (Some(scalar), ExprKind::Int(literal)) = (scalar, &right_expr.kind)
            && literal.value < scalar.bits().into()
            && (wraps_in_c(scalar) || (op == BinaryOp::ShiftRight && scalar.bits() >= 32))
        {
            return Code::bound(Binding::Loose, c![left.operand_of(Binding::Loose), " ", op.symbol(), " ", literal.value.to_string()]);
        }
        let name = if op == BinaryOp::ShiftLeft { "gr_wrapping_shl" } else { "gr_wrapping_shr" };
        let amount = Code::atom(c!["(u32)", right.operand()]);
        self.helper("ops", name, &[left, amount])
    }

    pub(super) fn logical(&mut self, op: LogicalOp, left: &Expr, right: &Expr) -> Code {
        let left = self.value(left);
        let outer = self.writer.begin_capture();
        let right_value = self.value(right);
        let statements = self.writer.end_capture(outer);
        let (symbol, binding) = if op == LogicalOp::And { ("&&", Binding::And) } else { ("||", Binding::Or) };
        if statements.is_empty() {
            // `a || b && c` is legal C, but compilers warn: `&&` stands in parentheses there.
            let right = if op == LogicalOp::Or { right_value.operand_of(Binding::And) } else { right_value.operand_of(binding) };
            let left = if op == LogicalOp::Or && !left.is(binding) { left.operand_of(Binding::And) } else { left.left_operand_of(binding) };
            return Code::bound(binding, c![left, " ", symbol, " ", right]);
        }
        // The right side needs statements: they run only if the left side does not decide.
        let name = self.namer.temporary("condition");
        self.writer.line(c!["bool ", name, " = ", left.text, ";"]);
        let not = if op == LogicalOp::And { "" } else { "!" };
        self.writer.line(c!["if (", not, name, ") {"]);
        self.writer.indent();
        self.writer.append_indented(statements);
        self.writer.line(c![name, " = ", right_value.text, ";"]);
        self.writer.dedent();
        self.writer.line("}");
        Code::word(name)
    }

    pub(super) fn write_compound_assign(&mut self, expr: &Expr, op: BinaryOp, place: &Expr, value: &Expr, site: Option<SiteId>) {
        // Rust evaluates the value first, then the place.
        let callee = self.operator_callee(op, place, value);
        let value_code = match &callee {
            Some(callee) if is_followed_literal(value) => self.literal_operand(value, callee, true),
            _ => self.value(value),
        };
        let is_literal = value.ty.is_followed() && value_code.is_constant();
        let value_code = if place.writes() && !is_literal { self.spill(value_code, &value.ty, "value") } else { value_code };
        let place_code = self.assigned(place);
        let place_code = Code::atom(self.bind_place(place, place_code.text));
        let old = if self.may_tear(place) { self.copied(&place_code.text) } else { place_code.clone() };
        let simple = match place.ty.as_scalar() {
            Some(scalar) if scalar.is_float() => op != BinaryOp::Remainder,
            Some(scalar) if wraps_in_c(scalar) => !op.can_fail() && !op.is_shift(),
            _ => false,
        };
        let assignment = callee.clone().map(Overload::Assignment);
        let computed = if simple {
            c![place_code.text.clone(), " ", op.symbol(), "= ", value_code.text.clone(), ";"]
        } else {
            let (exact_under, assignment) = (self.exact_under(expr), assignment.clone());
            let operation = Operation { op, left: place, right: value, site, exact_under, is_small: false, callee, assignment };
            let result = self.binary_code(&operation, old, value_code.clone());
            c![place_code.text.clone(), " = ", result.text, ";"]
        };
        let Some(callee) = assignment else { return self.writer.line(computed) };
        let function = CText::hole(Piece::Operator(callee.clone(), String::new()));
        let argument = plain_literal(value).map_or(value_code.text, CText::from);
        let own = c![function, "(", self.lent(place, place_code.text), ", ", argument, ");"];
        let text = CText::hole(Piece::Overloaded { callee, own: own.into_pieces(), otherwise: computed.into_pieces() });
        self.writer.line(text);
    }

    pub(super) fn cast(&mut self, operand: &Expr, to: Scalar) -> Code {
        let value = self.value(operand);
        let constant = value.is_constant();
        let code = match operand.ty.as_scalar() {
            Some(from) if from == to => return value,
            Some(from) if !(from.is_float() && to.is_integer()) => Code::atom(c!["(", to.name(), ")", value.operand()]),
            _ => {
                self.need("cast");
                Code::atom(c!["gr_cast<", to.name(), ">(", value.text, ")"])
            }
        };
        code.with_constant(constant)
    }

    pub(super) fn convert(&mut self, conversion: Conversion, operand: &Expr, to: &Type) -> Code {
        match (conversion, to) {
            (Conversion::FromBits, _) => {
                let value = self.value(operand);
                let function = if to.as_scalar() == Some(Scalar::F32) { "__uint_as_float" } else { "__longlong_as_double" };
                call(function, &[value])
            }
            (Conversion::FromBytes(name), _) => {
                let (to, value) = (self.type_name(to), self.value(operand));
                self.need("bytes");
                Code::atom(c![format!("gr_{name}<"), to, ">(", value.text, ")"])
            }
            (Conversion::Fits, _) => {
                let (to, value) = (self.type_name(to), self.value(operand));
                self.need("cast");
                Code::atom(c!["gr_fits<", to, ">(", value.text, ")"])
            }
            (_, Type::Scalar(to)) => self.cast(operand, *to),
            (_, Type::Parameter(_) | Type::Named(_)) => match literal_of(conversion, operand, to) {
                Some(literal) => literal,
                None => {
                    self.need("cast");
                    let (to, value) = (self.type_name(to), self.value(operand));
                    Code::atom(c!["gr_cast<", to, ">(", value.text, ")"]).with_constant(value.is_constant())
                }
            },
            _ => unreachable!("`check` refuses a cast to an unknown type"),
        }
    }

    /// A call of the function of an operator: that of a user's type, or the helper `name`.
    fn overloadable(&mut self, name: &'static str, callee: Option<OperatorCallee>, args: &[Code]) -> Code {
        let Some(callee) = callee else { return self.helper("ops", name, args) };
        self.need("ops");
        let function = CText::hole(Piece::Operator(Overload::Operator(callee), name.into()));
        Code::atom(c![function, "(", join(args.iter().map(|arg| &arg.text), ", "), ")"])
    }

    /// A call of a helper from the snippet `snippet`.
    pub(super) fn helper(&mut self, snippet: &'static str, name: &str, args: &[Code]) -> Code {
        self.need(snippet);
        call(name, args)
    }
}

impl Operation<'_> {
    /// The scalar that it computes with, if the macro knows it.
    fn scalar(&self) -> Option<Scalar> {
        self.left.arithmetic_type(self.right).as_scalar()
    }
}

/// `a == b` or `a < b`, or what a user's function says.
fn comparison(callee: &OperatorCallee, op: BinaryOp, left: &Code, right: &Code) -> Code {
    let callee = Overload::Operator(callee.clone());
    let function = CText::hole(Piece::Operator(callee.clone(), String::new()));
    let own = c![function, "(", left.text.clone(), ", ", right.text.clone(), ")"];
    let own = match op {
        BinaryOp::NotEqual => c!["!", own],
        BinaryOp::Less => c!["gr_is_less(", own, ")"],
        BinaryOp::LessEqual => c!["gr_is_less_equal(", own, ")"],
        BinaryOp::Greater => c!["gr_is_greater(", own, ")"],
        BinaryOp::GreaterEqual => c!["gr_is_greater_equal(", own, ")"],
        _ => own,
    };
    let plain = infix(op, left, right);
    let text = CText::hole(Piece::Overloaded { callee, own: own.into_pieces(), otherwise: plain.text.clone().into_pieces() });
    Code::bound(Binding::Comparison, text).with_constant(plain.is_constant())
}

/// Whether it is a literal, possibly negated, of a type that only rustc and the C++ compiler see.
pub(super) fn is_followed_literal(operand: &Expr) -> bool {
    let is_literal = match &operand.kind {
        ExprKind::Unary { op: UnaryOp::Negate, operand } => matches!(operand.kind, ExprKind::Int(_) | ExprKind::Float(_)),
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        _ => false,
    };
    is_literal && operand.ty.is_followed()
}

/// A literal without a type, as the argument of a function that has one.
pub(super) fn plain_literal(arg: &Expr) -> Option<String> {
    if !is_followed_literal(arg) {
        return None;
    }
    match &arg.kind {
        ExprKind::Unary { operand, .. } => Some(format!("-{}", plain_literal(operand)?)),
        ExprKind::Int(literal) => Some(literal.value.to_string()),
        ExprKind::Float(literal) => Some(literal.digits_with_fraction()),
        _ => None,
    }
}

/// A call of a function without effects.
pub(super) fn call(function: &str, args: &[Code]) -> Code {
    Code::atom(c![function, "(", join(args.iter().map(|arg| &arg.text), ", "), ")"])
}

/// C has computed with `int`s.
fn narrowed(to: Scalar, code: Code) -> Code {
    Code::atom(c!["(", to.name(), ")(", code.text, ")"])
}

/// `T::from_f64(0.5)` as a literal of the type that `T` stands for: Rust rounds it, and the GPU never sees a double.
fn literal_of(conversion: Conversion, operand: &Expr, to: &Type) -> Option<Code> {
    let (Type::Parameter(param), Conversion::FromF64 | Conversion::FromI32) = (to, conversion) else { return None };
    let (negative, literal) = match &operand.kind {
        ExprKind::Unary { op: UnaryOp::Negate, operand } => (true, &**operand),
        _ => (false, operand),
    };
    let digits = match &literal.kind {
        ExprKind::Float(literal) if conversion == Conversion::FromF64 => format!("{}f64", literal.digits_with_fraction()),
        ExprKind::Int(literal) if conversion == Conversion::FromI32 => format!("{}i32", literal.value),
        _ => return None,
    };
    let text = if negative { format!("-{digits}") } else { digits };
    let (value, name) = (text.parse::<TokenStream>().ok()?, &param.name);
    let function = Ident::new(if conversion == Conversion::FromF64 { "from_f64" } else { "from_i32" }, Span::call_site());
    Some(Code::constant_word(CText::hole(Piece::Constant(quote!(#name::#function(#value))))))
}
