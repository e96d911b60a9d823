//! What a call tells about its types, for rustc to find the instance of a generic callee.
//!
//! The macro knows most types. One that it does not know is mostly what another device function returns; then that call stands
//! for its type, and rustc finds it.

use super::Emitter;
use crate::emit::{Callee, Known};
use crate::model::*;

impl Emitter<'_> {
    /// The callee of `path(args)`, a call of type `output`.
    pub(super) fn callee(&self, path: &syn::Path, explicit: &[GenericArgument], args: &[Expr], output: &Type) -> Callee {
        Callee {
            path: path.clone(),
            explicit: explicit.iter().map(explicit_argument).collect(),
            output: known(output),
            args: args.iter().map(|arg| self.known(arg)).collect(),
            by_name: false,
        }
    }

    /// What is known of the type of `expr`; of an array, slice or view, of its elements.
    pub(super) fn known(&self, expr: &Expr) -> Known {
        if let Some((element, _)) = expr.ty.element() {
            return known(element);
        }
        if let Some((element, _)) = expr.ty.view() {
            return known(element);
        }
        match &expr.kind {
            _ if expr.ty != Type::Opaque => known(&expr.ty),
            ExprKind::Call { path, explicit, args, .. } => Known::OutputOf(Box::new(self.callee(path, explicit, args, &expr.ty))),
            ExprKind::Local(local) => self.origins.get(local).cloned().unwrap_or(Known::Nothing),
            ExprKind::Unary { operand, .. } => self.known(operand),
            ExprKind::Binary { op, left, right, .. } if !op.is_comparison() => match self.known(left) {
                Known::Nothing if !op.is_shift() => self.known(right),
                known => known,
            },
            _ => Known::Nothing,
        }
    }

    /// Remembers where the type of the variable `id` comes from, if only its initialiser tells.
    pub(super) fn remember_origin(&mut self, id: LocalId, init: &Expr) {
        if self.function.local(id).ty == Type::Opaque {
            let origin = self.known(init);
            self.origins.insert(id, origin);
        }
    }
}

/// What stands between `::<` and `>`.
pub(super) fn explicit_argument(argument: &GenericArgument) -> Known {
    match argument {
        GenericArgument::Type(ty) => known(ty),
        GenericArgument::Const(argument) => Known::Const(argument.clone()),
    }
}

fn known(ty: &Type) -> Known {
    if ty.is_scalar() || matches!(ty, Type::Named(_)) { Known::Type(ty.clone()) } else { Known::Nothing }
}
