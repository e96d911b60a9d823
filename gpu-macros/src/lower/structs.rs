//! Structs: their fields, and how they are made.

use super::Lowerer;
use crate::model::*;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_field(&mut self, field: &syn::ExprField) -> Expr {
        let base = Box::new(self.lower_expr(&field.base));
        let span = field.span();
        match &field.member {
            syn::Member::Unnamed(index) => self.expr(ExprKind::TupleField { base, index: index.index as usize }, span),
            syn::Member::Named(name) => {
                // Of other coordinates, inference finds out that they are some.
                let axis = Axis::from_name(name).filter(|_| matches!(base.kind, ExprKind::Intrinsic { .. }));
                match axis {
                    Some(axis) => self.expr(ExprKind::Axis { base, axis, name: name.clone() }, span),
                    None => self.expr(ExprKind::Field { base, name: name.clone() }, span),
                }
            }
        }
    }

    /// `Particle { mass: 1.0, ..base }`
    pub(super) fn lower_struct(&mut self, literal: &syn::ExprStruct) -> Expr {
        if let Some(qself) = &literal.qself {
            return self.refuse(qself.span(), "a qualified path is not supported in kernels");
        }
        let fields = literal.fields.iter().map(|field| {
            self.check_attributes(&field.attrs);
            let member = match &field.member {
                syn::Member::Named(name) => Member::Name(name.clone()),
                syn::Member::Unnamed(index) => Member::Position(index.index as usize, index.span),
            };
            (member, self.lower_expr(&field.expr))
        });
        let fields = fields.collect();
        let base = literal.rest.as_ref().map(|base| Box::new(self.lower_expr(base)));
        let ty = NamedType { path: literal.path.clone() };
        self.expr(ExprKind::Struct { ty, fields, base, positional: false }, literal.span())
    }

    /// `Pair(a, b)`: a call of what is spelled like a type.
    pub(super) fn lower_tuple_struct(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Option<Expr> {
        let last = path.segments.last()?;
        if !last.ident.to_string().starts_with(char::is_uppercase) {
            return None;
        }
        if ["Some", "Ok", "Err"].iter().any(|variant| last.ident == variant) {
            return Some(
                self.refuse(path.span(), format!("`{}` is not supported in kernels yet\nhelp: keep a `bool` beside the value", last.ident)),
            );
        }
        let fields = call.args.iter().enumerate().map(|(index, value)| (Member::Position(index, value.span()), self.lower_expr(value)));
        let fields = fields.collect();
        let ty = NamedType { path: path.clone() };
        Some(self.expr(ExprKind::Struct { ty, fields, base: None, positional: true }, call.span()))
    }
}
