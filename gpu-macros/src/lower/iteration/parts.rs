//! Parts of slices: `&x[a..b]`, and what `windows` and `chunks` have as items.
//!
//! A part is not a value in the model. Its name stands for an array, a first index and a length, so that `row[k]` is `x[start + k]`, behind
//! a check of `k` where `k` is not a literal within the length.

use super::elements::{Elements, Parts, number};
use crate::first_span::Start;
use crate::idents::word;
use crate::lower::length::integer;
use crate::lower::{Lowerer, Name, without_parentheses};
use crate::model::*;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned};

const OUT_OF_BOUNDS: &str = "the range of a slice is in bounds";

#[derive(Clone)]
pub(in crate::lower) struct Part {
    /// Of `&mut x[a..b]`.
    pub(super) mutable: bool,
    pub(super) place: syn::Expr,
    pub(super) start: syn::Expr,
    pub(super) length: syn::Expr,
}

impl Part {
    /// Whether nothing can be changed through it.
    pub(in crate::lower) fn is_shared(&self) -> bool {
        !self.mutable
    }

    /// All elements of `place`.
    pub(super) fn whole(place: syn::Expr) -> Part {
        Part { mutable: false, start: parse_quote!(0), length: parse_quote!(#place.len()), place }
    }

    /// The index in the array of the element at `position`.
    pub(super) fn index(&self, position: &syn::Expr) -> syn::Expr {
        let start = &self.start;
        if integer(start) == Some(0) { position.clone() } else { parse_quote!((#start + #position)) }
    }
}

/// `last + 1`.
fn after(last: &syn::Expr) -> syn::Expr {
    match integer(last).and_then(|last| last.checked_add(1)) {
        Some(end) => number(end),
        None => parse_quote!(#last + 1),
    }
}

impl Lowerer<'_> {
    /// `x[a..b]`, with ends that are evaluated and checked in `before`.
    pub(in crate::lower) fn lower_part(&mut self, expr: &syn::Expr, before: &mut Vec<Stmt>) -> Option<(Part, Option<LocalId>)> {
        let syn::Expr::Index(index) = without_parentheses(expr) else { return None };
        let syn::Expr::Range(range) = without_parentheses(&index.index) else { return None };
        let (whole, root) = match self.part_named(&index.expr) {
            Some(part) => (part, None),
            None => match self.lower_part(&index.expr, before) {
                Some(part) => part,
                None => {
                    let (place, root) = self.lower_place(&index.expr, before)?;
                    (Part::whole(place), root)
                }
            },
        };
        let start = match &range.start {
            Some(start) => self.evaluate_usize(start, "start", before)?,
            None => parse_quote!(0),
        };
        let length = &whole.length;
        let (end, is_within): (_, syn::Expr) = match (&range.end, &range.limits) {
            (Some(last), syn::RangeLimits::Closed(_)) => {
                let last = self.evaluate_usize(last, "last", before)?;
                let end = self.evaluate_usize(&after(&last), "end", before)?;
                // Of the last element, which has one after it if it is within: `end` alone may have wrapped around.
                (end, parse_quote!(#last < #length))
            }
            (Some(end), syn::RangeLimits::HalfOpen(_)) => {
                let end = self.evaluate_usize(end, "end", before)?;
                let is_within = parse_quote!(#end <= #length);
                (end, is_within)
            }
            (None, _) => (length.clone(), parse_quote!(#length <= #length)),
        };
        let check: syn::Expr = parse_quote_spanned!(expr.start()=> ::core::assert!(#start <= #end && #is_within, #OUT_OF_BOUNDS));
        let check = self.lower_expr(&check);
        before.push(Stmt::Expr(Box::new(Expr { span: expr.span(), ..check })));
        let length = match (integer(&start), integer(&end)) {
            (Some(0), _) => end,
            (Some(start), Some(end)) if start <= end => number(end - start),
            _ => parse_quote!((#end - #start)),
        };
        let length = self.evaluate_usize(&length, "length", before)?;
        Some((Part { start: whole.index(&start), length, ..whole }, root))
    }

    /// `let row = &x[a..b];`
    pub(in crate::lower) fn lower_let_of_part(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let (syn::Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let syn::Expr::Reference(reference) = without_parentheses(&init.expr) else { return None };
        if name.mutability.is_some() || name.subpat.is_some() || init.diverge.is_some() {
            return None;
        }
        let mut stmts = Vec::new();
        let (part, _) = self.lower_part(&reference.expr, &mut stmts)?;
        let part = Part { mutable: reference.mutability.is_some(), ..part };
        self.name_part(&name.ident, part);
        Some(stmts)
    }

    /// Lets `name` stand for `part`.
    pub(super) fn name_part(&mut self, name: &syn::Ident, part: Part) {
        self.check_not_hidden(name);
        let local = LocalId(self.locals.len());
        self.locals.push(Local {
            name: name.clone(),
            mutable: false,
            mut_token: None,
            ty: Type::Refused,
            kind: LocalKind::Let,
            holds: Holds::Value,
        });
        self.scope.push(Name { word: word(name), at: name.span(), local, shape: Default::default(), part: Some(part), is_pinned: false });
    }

    /// The part that `expr` names.
    pub(in crate::lower) fn part_named(&self, expr: &syn::Expr) -> Option<Part> {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => path.path.get_ident().and_then(|name| self.named(name)).and_then(|name| name.part.clone()),
            _ => None,
        }
    }

    /// `&x[a..b]`, `&mut x[a..b]`, or the name of a part, as an argument of a device function.
    pub(in crate::lower) fn lower_part_argument(&mut self, arg: &syn::Expr) -> Option<Expr> {
        let (is_reference, mutable, part) = match arg {
            syn::Expr::Reference(reference) => (true, reference.mutability.is_some(), without_parentheses(&reference.expr)),
            other => (false, false, other),
        };
        if let Some(part) = self.part_named(part) {
            let end = part.index(&part.length);
            let site = self.site(arg.span(), SiteKind::Unchecked);
            let mutable = part.mutable && (mutable || !is_reference);
            return Some(self.lower_subslice(arg.span(), &part.place, (Some(&part.start), Some(&end)), mutable, site));
        }
        let (true, syn::Expr::Index(index)) = (is_reference, part) else { return None };
        let syn::Expr::Range(range) = without_parentheses(&index.index) else { return None };
        let end: Option<syn::Expr> = range.end.as_ref().map(|end| match range.limits {
            syn::RangeLimits::HalfOpen(_) => syn::Expr::clone(end),
            syn::RangeLimits::Closed(_) if integer(end).is_some() => after(end),
            syn::RangeLimits::Closed(_) => {
                let (last, name) = (self.own_name("last"), self.own_name("end"));
                parse_quote_spanned!(arg.start()=> {
                    let #last = #end;
                    let #name = #last + 1;
                    ::core::assert!(#last < #name, #OUT_OF_BOUNDS);
                    #name
                })
            }
        });
        let site = self.site(arg.span(), SiteKind::Assert(OUT_OF_BOUNDS.into()));
        let Some(whole) = self.part_named(&index.expr) else {
            return Some(self.lower_subslice(arg.span(), &index.expr, (range.start.as_deref(), end.as_ref()), mutable, site));
        };
        // Both are compared in the part: a start that wraps around would be before it.
        let within = |name: syn::Ident, bound: &syn::Expr| -> syn::Expr {
            let length = &whole.length;
            parse_quote_spanned!(arg.start()=> {
                let #name = #bound;
                ::core::assert!(#name <= #length, #OUT_OF_BOUNDS);
                #name
            })
        };
        let start = range.start.as_deref().map(|start| whole.index(&within(self.own_name("start"), start)));
        let start = start.unwrap_or_else(|| whole.start.clone());
        let end = end.map_or_else(|| whole.length.clone(), |end| within(self.own_name("end"), &end));
        Some(self.lower_subslice(arg.span(), &whole.place, (Some(&start), Some(&whole.index(&end))), mutable, site))
    }

    fn lower_subslice(
        &mut self,
        at: Span,
        base: &syn::Expr,
        (start, end): (Option<&syn::Expr>, Option<&syn::Expr>),
        mutable: bool,
        site: SiteId,
    ) -> Expr {
        let base = Box::new(self.lower_dereferenced(base));
        if base.is_refused() {
            return *base;
        }
        if self.is_view(&base) {
            return self.refuse_invalid(
                base.span,
                "parts of views are not supported in kernels\nhelp: pass the view and the first index, or pass a view of the part, `array.view().slice_axis(0, a..b)`, to the launch",
            );
        }
        if !base.is_place() {
            return self.refuse(base.span, "only an array or a slice with a name has parts\nhelp: bind it with `let` first");
        }
        let start = match start {
            Some(start) => self.lower_expr(start),
            None => self.usize_literal(0, at),
        };
        let end = end.map(|end| Box::new(self.lower_expr(end)));
        let operand = Box::new(self.expr(ExprKind::Subslice { mutable, base, start: Box::new(start), end, site }, at));
        if mutable {
            self.check_place(&operand);
        }
        self.expr(ExprKind::Borrow { mutable, operand }, at)
    }

    /// Refuses the assignment to `row[k]`, where `row` is `&x[a..b]`.
    pub(in crate::lower) fn check_assigned_part(&self, place: &syn::Expr) {
        if let syn::Expr::Index(index) = without_parentheses(place) {
            self.check_changed_part(&index.expr);
        }
    }

    /// The same of what changes elements of `row`, or of a part of it: whether it may.
    pub(super) fn check_changed_part(&self, part: &syn::Expr) -> bool {
        let named = match without_parentheses(part) {
            syn::Expr::Index(index) => return self.check_changed_part(&index.expr),
            named => self.part_named(named),
        };
        let is_shared = named.is_some_and(|part| part.is_shared());
        if is_shared {
            self.errors.push_invalid(
                part.span(),
                "this part is a shared reference, and cannot be assigned through\nhelp: write `&mut` where the part is declared",
            );
        }
        !is_shared
    }

    /// `row[k]`
    pub(in crate::lower) fn lower_index_of_part(&mut self, index: &syn::ExprIndex) -> Option<Expr> {
        let part = self.part_named(&index.expr)?;
        let (place, length, position) = (&part.place, &part.length, &*index.index);
        let is_within = integer(position).zip(integer(length)).is_some_and(|(position, length)| position < length);
        let position = if is_within {
            position.clone()
        } else {
            let name = self.own_name("index");
            parse_quote_spanned!(index.start()=> {
                let #name = #position;
                ::core::assert!(#name < #length, "the index is in bounds of the part of a slice");
                #name
            })
        };
        let position = part.index(&position);
        let element = self.lower_expr(&parse_quote!(#place[#position]));
        Some(Expr { span: index.span(), ..element })
    }

    /// `row.len()` and `row.is_empty()`
    pub(in crate::lower) fn lower_length_of_part(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let Part { length, .. } = self.part_named(&call.receiver)?;
        match (call.method.to_string().as_str(), call.args.len()) {
            ("len", 0) => Some(self.lower_expr(&length)),
            ("is_empty", 0) => Some(self.lower_expr(&parse_quote!((#length == 0)))),
            _ => None,
        }
    }

    /// `x.chunks_exact_mut(n)` or `x.chunks_mut(n)`: parts that the body of a `for` changes.
    pub(super) fn lower_mutable_parts(&mut self, call: &syn::ExprMethodCall, before: &mut super::Preparation) -> Option<Elements> {
        let borrowed = before.borrowed.len();
        let elements = self.lower_parts(call, before)?;
        before.borrowed.truncate(borrowed);
        Some(Elements::Mutable(Box::new(elements)))
    }

    /// `x.windows(n)`, `x.chunks_exact(n)` or `x.chunks(n)`
    pub(super) fn lower_parts(&mut self, call: &syn::ExprMethodCall, before: &mut super::Preparation) -> Option<Elements> {
        let named = self.part_named(&call.receiver).map(|part| (part, None));
        let (whole, root) = match named.or_else(|| self.lower_part(&call.receiver, &mut before.lets)) {
            Some(part) => part,
            None => {
                let Some((place, root)) = self.lower_place(&call.receiver, &mut before.lets) else {
                    self.errors
                        .push(call.receiver.span(), "only an array or a slice with a name has parts\nhelp: bind it with `let` first");
                    return None;
                };
                (Part::whole(place), root)
            }
        };
        before.borrowed.extend(root);
        let size = self.evaluate_usize(&call.args[0], "size", &mut before.lets)?;
        if integer(&size) == Some(0) {
            self.errors.push_invalid(call.args.span(), "the size of a part must not be zero");
            return None;
        }
        if integer(&size).is_none() {
            let check: syn::Expr = parse_quote_spanned!(call.start()=> ::core::assert!(#size != 0, "the size of a part is not zero"));
            let check = self.lower_expr(&check);
            before.lets.push(Stmt::Expr(Box::new(check)));
        }
        let kind = match call.method.to_string().as_str() {
            "windows" => Parts::Windows,
            "chunks" | "chunks_mut" => Parts::Chunks,
            _ => Parts::ChunksExact,
        };
        Some(Elements::Parts { whole, size, kind })
    }
}
