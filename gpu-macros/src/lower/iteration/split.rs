//! `let (left, right) = x.split_at(middle);`: two names for parts of a slice.

use super::Part;
use crate::first_span::Start;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use syn::parse_quote;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(in crate::lower) fn lower_let_of_split(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let (syn::Pat::Tuple(names), Some(init)) = (&local.pat, &local.init) else { return None };
        let syn::Expr::MethodCall(call) = without_parentheses(&init.expr) else { return None };
        let is_split = matches!(call.method.to_string().as_str(), "split_at" | "split_at_mut") && call.args.len() == 1;
        if !is_split || names.elems.len() != 2 || !self.has_elements(&call.receiver) {
            return None;
        }
        let mut stmts = Vec::new();
        let whole = self.lower_elements_of(&call.receiver, &mut stmts)?;
        let middle = self.evaluate_usize(&call.args[0], "middle", &mut stmts)?;
        let length = self.evaluate_usize(&whole.length, "length", &mut stmts)?;
        let message = format!("{}: the index is in bounds of the slice", call.method);
        self.push_check(call.start(), &parse_quote!(#middle <= #length), &message, &mut stmts);
        let rest = self.evaluate_usize(&parse_quote!(#length - #middle), "length", &mut stmts)?;
        let start = whole.index(&middle);
        let mutable = call.method == "split_at_mut";
        let left = Part { mutable, place: whole.place.clone(), start: whole.start.clone(), length: middle };
        let right = Part { mutable, place: whole.place, start, length: rest };
        for (name, part) in names.elems.iter().zip([left, right]) {
            match name {
                syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => self.name_part(ident, part),
                syn::Pat::Wild(_) => {}
                other => {
                    let message = match other {
                        syn::Pat::Ident(syn::PatIdent { mutability: Some(_), .. }) => {
                            "a part of a slice cannot be declared `mut` in kernels\nhelp: remove `mut`; use `split_at_mut` on a `&mut` slice to change elements"
                        }
                        _ => "a part of a slice needs a name here\nhelp: write `let (left, right) = …`, and use `left[i]`",
                    };
                    self.errors.push(other.span(), message);
                    self.declare_refused(other);
                }
            }
        }
        Some(stmts)
    }
}
