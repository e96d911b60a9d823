//! Structs: their fields, and how they are made.

use super::{BodyItem, Lowerer};
use crate::cuda_names::value_instead;
use crate::first_span::Start;
use crate::model::*;
use crate::source_scope::{Surroundings, imported_variant};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_field(&mut self, field: &syn::ExprField) -> Expr {
        if let Some(module) = self.foreign_module(&field.base)
            && let syn::Member::Named(name) = &field.member
            && let Some(instead) = value_instead(&name.to_string())
        {
            return self.refuse_invalid(field.start(), format!("there is no `{module}.{name}` in kernels\nhelp: write `{instead}`"));
        }
        let base = Box::new(self.lower_dereferenced(&field.base));
        let span = field.start();
        match &field.member {
            syn::Member::Unnamed(index) => self.expr(ExprKind::TupleField { base, index: index.index as usize }, span),
            syn::Member::Named(name) => {
                if let Some(refused) = self.refuse_field_of_view(&base, name) {
                    return refused;
                }
                // Of other coordinates, inference finds out that they are some.
                let is_coordinate = matches!(
                    base.kind,
                    ExprKind::Intrinsic {
                        intrinsic: Intrinsic::ThreadIdx | Intrinsic::BlockIdx | Intrinsic::BlockDim | Intrinsic::GridDim,
                        ..
                    }
                );
                let axis = Axis::from_name(name).filter(|_| is_coordinate);
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
        let constructor = self.constructor(&literal.path);
        self.expr(ExprKind::Struct { constructor, fields, base, positional: false }, literal.span())
    }

    /// `Pair(a, b)` or `Shape::Rect(a, b)`: a call of what is spelled like a type.
    pub(super) fn lower_tuple_struct(&mut self, call: &syn::ExprCall, path: &syn::Path) -> Option<Expr> {
        let last = path.segments.last()?;
        if !last.ident.to_string().starts_with(char::is_uppercase) || self.is_function_with_capitals(path) {
            return None;
        }
        let fields = call.args.iter().enumerate().map(|(index, value)| (Member::Position(index, value.span()), self.lower_expr(value)));
        let fields = fields.collect();
        let constructor = self.constructor(path);
        Some(self.expr(ExprKind::Struct { constructor, fields, base: None, positional: true }, call.start()))
    }

    /// What `path` makes or takes apart.
    pub(super) fn constructor(&self, path: &syn::Path) -> Constructor {
        match self.imported_variant(path) {
            // The user's name stays in the twin, so that rustc sees a use of the import.
            Some(variant) => Constructor { path: path.clone(), ..Constructor::new(&variant) },
            None => Constructor::new(path),
        }
    }

    /// `Shape::Circle` of `Circle`, after `use Shape::*` or `use Shape::Circle` in the body or around it.
    pub(super) fn imported_variant(&self, path: &syn::Path) -> Option<syn::Path> {
        let name = path.get_ident().filter(|name| begins_with_capital(name))?;
        if self.items.iter().any(|item| item.is_type(name)) || self.constants.iter().any(|(constant, _)| constant.ident == *name) {
            return None;
        }
        let around = Surroundings::of(&self.source.sig.ident);
        let has_variant = |owner: &Ident| {
            let mut own = self.items.iter().filter_map(BodyItem::as_enum).filter(|item| item.ident == *owner);
            own.any(|item| item.variants.iter().any(|variant| variant.ident == *name)) || around.has_variant(owner, name)
        };
        let imported = |import: &syn::ItemUse| imported_variant(&import.tree, name, &has_variant);
        let in_body = self.items.iter().filter_map(BodyItem::as_import).find_map(imported);
        let mut path = in_body.or_else(|| around.variant(name))?;
        path.segments.iter_mut().for_each(|segment| segment.ident.set_span(name.span()));
        Some(path)
    }

    /// `self` of a method: its first parameter.
    pub(super) fn lower_self(&mut self, receiver: &syn::Receiver) -> Param {
        let owner = self.owner.clone().expect("a method has an owner");
        let (holds, mutable) = match &receiver.kind {
            syn::ReceiverKind::Value => (Holds::Value, receiver.mutability.is_some()),
            syn::ReceiverKind::Reference(_, None, Some(_)) => (Holds::Mutable, true),
            syn::ReceiverKind::Reference(_, None, None) => (Holds::Shared, false),
            _ => {
                self.errors.push(receiver.span(), "this `self` is not supported in kernels\nhelp: write `self`, `&self` or `&mut self`");
                (Holds::Value, false)
            }
        };
        self.has_receiver = true;
        let path = &owner.path;
        let written = WrittenType { tokens: path.to_token_stream(), parts: WrittenParts::Whole };
        // A trait's functions may be those of a number.
        let scalar = path.get_ident().and_then(|name| Scalar::from_name(&name.to_string()));
        if let Some(scalar) = scalar {
            self.assume(path, scalar);
        }
        let ty = scalar.map_or_else(|| Type::Named(owner.clone()), Type::Scalar);
        let name = syn::Ident::new("self", receiver.self_token.span);
        let local = self.declare(&name, mutable, ty, LocalKind::Param(0));
        self.locals[local.0].holds = holds;
        Param { local, written }
    }
}
