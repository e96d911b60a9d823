//! Operators of types that only rustc and the C++ compiler see, such as users' structs.

use super::{BinaryOp, Class, Expr, ExprKind, NamedType, Scalar, Type, TypeParam, UnaryOp};

/// `left op right`, where its type is that of neither operand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Operation {
    pub(crate) op: BinaryOp,
    pub(crate) left: Type,
    pub(crate) right: Type,
    /// Which operands are references in Rust, the left one first.
    pub(crate) by_reference: [bool; 2],
}

/// Whether a quotient or a remainder of numbers of this type, by this divisor, can fail.
pub(crate) fn division_can_fail(ty: &Type, divisor: &Expr) -> bool {
    let by_literal = matches!(&divisor.kind, ExprKind::Int(literal) if literal.value != 0);
    let of_floats =
        matches!(ty, Type::Parameter(TypeParam { class: Some(Class::Float), .. })) || ty.as_scalar().is_some_and(Scalar::is_float);
    let of_duals = matches!(ty, Type::Named(named) if named.is_dual());
    !by_literal && !of_floats && !of_duals
}

impl BinaryOp {
    /// The trait of std that overloads it, whose name the runtime has a type of too. Shifts cannot be overloaded in kernels, and comparisons are found
    /// [another way](BinaryOp::own_comparison).
    pub(crate) fn trait_name(self) -> Option<&'static str> {
        match self {
            BinaryOp::Add => Some("Add"),
            BinaryOp::Subtract => Some("Sub"),
            BinaryOp::Multiply => Some("Mul"),
            BinaryOp::Divide => Some("Div"),
            BinaryOp::Remainder => Some("Rem"),
            BinaryOp::BitAnd => Some("BitAnd"),
            BinaryOp::BitOr => Some("BitOr"),
            BinaryOp::BitXor => Some("BitXor"),
            BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::PartialOrder
            | BinaryOp::TotalOrder => None,
        }
    }

    /// The runtime's name of the trait of which `left op right` may be what an `impl` of the user's says. Nothing is known of that. (Next to a
    /// number, it is a comparison of two numbers.)
    pub(crate) fn own_comparison(self, left: &Expr, right: &Expr) -> Option<&'static str> {
        let name = match self {
            BinaryOp::Equal | BinaryOp::NotEqual => "Equal",
            BinaryOp::TotalOrder => "TotalOrder",
            op if op.is_comparison() || op.is_order() => "PartialOrder",
            _ => return None,
        };
        let may_have_own =
            |operand: &Expr| operand.ty.is_followed() && (!operand.is_constant_operand() || matches!(operand.kind, ExprKind::Constant(_)));
        (may_have_own(left) && may_have_own(right)).then_some(name)
    }

    /// Whether `left op right` compares values that consist of others, or may do so.
    pub(crate) fn compares_parts(self, left: &Expr, right: &Expr) -> bool {
        let has_parts = |ty: &Type| matches!(ty, Type::Tuple(_) | Type::Array(..) | Type::Std(..));
        let is_number = |operand: &Expr| matches!(operand.kind, ExprKind::Int(_) | ExprKind::Float(_));
        let followed = [left, right].iter().all(|operand| operand.ty.is_followed() && !is_number(operand));
        self.is_order() || self.is_comparison() && (followed || has_parts(&left.ty) || has_parts(&right.ty))
    }

    /// The trait that `left op right` depends on, if an operand is of a type that may have its own operators.
    pub(crate) fn overloaded(self, left: &Expr, right: &Expr) -> Option<&'static str> {
        self.trait_name().filter(|_| left.ty.is_followed() || right.ty.is_followed())
    }
}

impl UnaryOp {
    /// The trait of std that overloads it.
    pub(crate) fn trait_name(self) -> &'static str {
        match self {
            UnaryOp::Negate => "Neg",
            UnaryOp::Not => "Not",
        }
    }

    /// The trait that `op operand` depends on, if the operand is of a type that may have its own operators.
    pub(crate) fn overloaded(self, operand: &Expr) -> Option<&'static str> {
        operand.ty.is_followed().then(|| self.trait_name())
    }
}

impl Type {
    /// `Ordering`
    pub(crate) fn ordering() -> Type {
        Type::Named(NamedType { path: syn::parse_quote!(::core::cmp::Ordering) })
    }

    /// The type of `left op right`, for an arithmetic `op`: that of the left operand, except for a number that is combined with what may
    /// be complex or a vector, and for products of types with different names, such as a matrix and a vector.
    pub(crate) fn of_operation(op: BinaryOp, left: &Type, right: &Type, by_reference: [bool; 2]) -> Type {
        if !op.is_shift() && left.yields_to(right) {
            return right.clone();
        }
        let is_named = |ty: &Type| matches!(ty, Type::Named(_));
        let is_product = op == BinaryOp::Multiply && left.is_followed() && right.is_followed() && left != right;
        if is_product && (is_named(left) || is_named(right)) {
            return Type::Operation(Box::new(Operation { op, left: left.clone(), right: right.clone(), by_reference }));
        }
        left.clone()
    }
}
