//! Functions of types by their path: `Particle::new(x)`, `S::area(s)`, `<S as Shape>::area(&s)`.

use super::Lowerer;
use crate::first_span::Start;
use crate::model::*;
use syn::spanned::Spanned;

/// Whether a path ends in a type or trait, which begins with a capital or is a number, and the name of a function.
pub(super) fn is_function_of_type(path: &syn::Path) -> bool {
    let mut segments = path.segments.iter().rev();
    let (Some(function), Some(owner)) = (segments.next(), segments.next()) else { return false };
    let is_number =
        Scalar::from_name(&owner.ident.to_string()).is_some() || NamedType { path: owner.ident.clone().into() }.half_name().is_some();
    let is_type = begins_with_capital(&owner.ident) || is_number;
    is_type && !begins_with_capital(&function.ident)
}

impl Lowerer<'_> {
    pub(super) fn lower_path_call(&mut self, call: &syn::ExprCall, function: &syn::ExprPath) -> Expr {
        let syn::ExprPath { qself, path, .. } = function;
        let last = path.segments.last().expect("a path has a segment");
        if !last.arguments.is_none() {
            return self.refuse(
                last.arguments.span(),
                "an associated function with its own type parameters is not supported in kernels\nhelp: write a device function outside of the `impl`",
            );
        }
        let name = last.ident.clone();
        let args = call.args.iter().enumerate().map(|(index, arg)| match arg {
            syn::Expr::Reference(reference) if index == 0 => self.lower_self_argument(arg, reference),
            arg => self.lower_argument(arg),
        });
        let mut args: Vec<Expr> = args.collect();
        let path = FunctionPath { qself: qself.clone(), path: path.clone() };
        let owner = path.owner();
        // The same as `a.max(b)`: what is known of methods of numbers holds.
        if owner.half_name().is_some() && Method::find(&name.to_string()).is_some() && !args.is_empty() {
            let receiver = Expr { ty: Type::Named(owner), ..args.remove(0) };
            return self.lower_method(&name, receiver, args, call.start());
        }
        let path = Some(path);
        self.expr(ExprKind::Associated { path, receiver: None, name, args }, call.start())
    }

    /// `&s` where the function may take `&self`.
    fn lower_self_argument(&mut self, arg: &syn::Expr, reference: &syn::ExprReference) -> Expr {
        if let Some(part) = self.lower_part_argument(arg) {
            return part;
        }
        let place = self.lower_dereferenced(&reference.expr);
        if !place.is_place() || self.is_view(&place) {
            return self.lower_argument(arg);
        }
        if reference.mutability.is_some() {
            self.check_element_not_captured(&place);
        }
        let operand = Box::new(place);
        self.expr(ExprKind::Borrow { mutable: reference.mutability.is_some(), operand }, reference.start())
    }
}
