//! Dynamic shared arrays: what the host computes before a launch.

use super::{Axis, BinaryOp, Length, Method, Passed, Scalar};
use proc_macro2::{Ident, Span, TokenStream};

/// A `dynamic_shared::<T>(length)` of a kernel. They lie one after the other, in the order of their declaration.
pub(crate) struct DynamicArray {
    /// The user's tokens for `T`.
    pub(crate) element: TokenStream,
    pub(crate) length: HostValue,
}

/// An integer that the host knows at launch, and every thread computes to the same.
pub(crate) struct HostValue {
    pub(crate) kind: HostValueKind,
    pub(crate) span: Span,
}

impl HostValue {
    /// Whether a launch may give its operators no result.
    pub(crate) fn can_fail(&self) -> bool {
        match &self.kind {
            HostValueKind::Binary(..) => true,
            HostValueKind::Method(method, _, _, operands) => method.failure.is_some() || operands.iter().any(HostValue::can_fail),
            HostValueKind::Cast(operand, _) => operand.can_fail(),
            HostValueKind::Literal(..)
            | HostValueKind::Constant(_)
            | HostValueKind::Param(_)
            | HostValueKind::Len(_)
            | HostValueKind::Extent(..)
            | HostValueKind::ArrayLength(_)
            | HostValueKind::BlockDim(_)
            | HostValueKind::GridDim(_) => false,
        }
    }
}

pub(crate) enum HostValueKind {
    Literal(u128, Option<Scalar>),
    Constant(syn::Path),
    /// A value that the launch passes.
    Param(Passed),
    /// The number of its elements.
    Len(usize),
    /// Of a view, its extent along an axis.
    Extent(usize, usize),
    /// Of an array type.
    ArrayLength(Length),
    BlockDim(Axis),
    GridDim(Axis),
    /// Of operands of this integer type.
    Binary(HostOp, Scalar, Box<HostValue>, Box<HostValue>),
    /// One that can be computed [on the host](super::MethodInfo::on_host), of this integer type, with the user's name of it.
    Method(Method, Scalar, Ident, Vec<HostValue>),
    Cast(Box<HostValue>, Scalar),
}

/// The operators that the host computes, checked for overflow.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HostOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl HostOp {
    pub(crate) fn of(op: BinaryOp) -> Option<HostOp> {
        match op {
            BinaryOp::Add => Some(HostOp::Add),
            BinaryOp::Subtract => Some(HostOp::Subtract),
            BinaryOp::Multiply => Some(HostOp::Multiply),
            BinaryOp::Divide => Some(HostOp::Divide),
            BinaryOp::Remainder => Some(HostOp::Remainder),
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
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
}
