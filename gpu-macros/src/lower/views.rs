//! Views: `View<T, N>` and `ViewMut<T, N>` parameters, `a[[i, j]]`, `a.shape()`.
//!
//! A view is only ever a parameter, so its rank is known here, and every index can be given a site per axis.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::Span;
use syn::spanned::Spanned;

/// The maximum number of axes of a view parameter.
const MOST_AXES: usize = 4;

/// Whether this is the type of a view, judging by its name.
pub(super) fn is_view(ty: &syn::TypePath) -> bool {
    ty.qself.is_none() && ty.path.segments.last().is_some_and(|last| last.ident == "View" || last.ident == "ViewMut")
}

impl Lowerer<'_> {
    /// `View<T, N>` or `ViewMut<T, N>`, with or without `'_` in front. `None` after an error.
    pub(super) fn lower_view_type(&mut self, ty: &syn::TypePath) -> Option<Type> {
        let last = ty.path.segments.last()?;
        let name = &last.ident;
        if self.is_array_function {
            let wanted = if name == "View" { "&[T]" } else { "&mut [T]" };
            self.errors.push(
                ty.span(),
                format!("views are not supported in array functions\nhelp: take a slice, `{wanted}`; kernels and device functions can take views"),
            );
            return None;
        }
        let arguments: Vec<&syn::GenericArgument> = match &last.arguments {
            syn::PathArguments::AngleBracketed(generics) => generics.args.iter().collect(),
            _ => Vec::new(),
        };
        let arguments = match arguments.as_slice() {
            [syn::GenericArgument::Lifetime(lifetime), rest @ ..] => {
                if lifetime.ident != "_" {
                    // One that is declared was refused there.
                    if !self.generics_refused {
                        self.errors
                            .push_invalid(lifetime.span(), "named lifetimes are not supported in parameters\nhelp: remove the lifetime");
                    }
                    return None;
                }
                rest
            }
            all => all,
        };
        let [syn::GenericArgument::Type(element), rank] = arguments else {
            self.errors.push_invalid(
                ty.span(),
                format!("`{name}` needs an element type and a number of axes\nhelp: write `{name}<f32, 2>` for a matrix of `f32`"),
            );
            return None;
        };
        let tokens = element;
        let element = self.lower_element_type(element)?;
        if let (Type::Atomic(scalar), true) = (&element, name == "ViewMut") {
            let name = scalar.atomic_name();
            self.errors.push(
                ty.span(),
                format!("atomics are changed through a shared reference\nhelp: write `View<{name}, 2>`, with its number of axes"),
            );
            return None;
        }
        let wanted = "the elements of a view must be numbers, `bool`, atomics, structs, or arrays or tuples of them";
        if !matches!(element, Type::Atomic(_)) {
            self.check_in_memory(&element, tokens.span(), wanted)?;
        }
        let rank = match rank {
            syn::GenericArgument::Const(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(rank), .. })) => {
                rank.base10_parse::<usize>().ok().filter(|rank| (1..=MOST_AXES).contains(rank)).ok_or(rank.span())
            }
            other => Err(other.span()),
        };
        match rank {
            Ok(rank) => Some(Type::View { element: Box::new(element), rank, mutable: name == "ViewMut" }),
            Err(span) => {
                self.errors.push(
                    span,
                    format!("a view in a kernel has one to {MOST_AXES} axes, written as a number\nhelp: write `{name}<f32, 2>` for a matrix of `f32`"),
                );
                None
            }
        }
    }

    /// The element type, rank and mutability of a variable that is a view.
    fn view(&self, expr: &Expr) -> Option<(&Type, usize, bool)> {
        match expr.kind {
            ExprKind::Local(local) => match &self.locals[local.0].ty {
                Type::View { element, rank, mutable } => Some((element, *rank, *mutable)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn is_view(&self, expr: &Expr) -> bool {
        self.view(expr).is_some()
    }

    fn rank(&self, view: &Expr) -> usize {
        self.view(view).expect("the caller has found a view").1
    }

    /// `base[[i, j]]`, or `base[i]` of one axis, with a site of `kind` per axis.
    pub(super) fn lower_element(&mut self, base: Box<Expr>, index: &syn::Expr, kind: fn(usize) -> SiteKind, span: Span) -> Expr {
        let rank = self.rank(&base);
        let indices: Vec<&syn::Expr> = match without_parentheses(index) {
            syn::Expr::Array(array) => array.elems.iter().collect(),
            _ if rank == 1 && kind(0) != SiteKind::Unchecked => vec![index],
            _ => {
                let name = self.name_of(&base);
                let indices = index_names(rank);
                return self.refuse_invalid(
                    index.span(),
                    format!(
                        "`{name}` has {}, so its index must be {rank} numbers in brackets\nhelp: write `{name}[[{indices}]]`",
                        axes(rank)
                    ),
                );
            }
        };
        if indices.len() != rank {
            let name = self.name_of(&base);
            return self.refuse_invalid(
                index.span(),
                format!(
                    "`{name}` has {}, but this index has {} number{}\nhelp: write `{name}[[{}]]`",
                    axes(rank),
                    indices.len(),
                    if indices.len() == 1 { "" } else { "s" },
                    index_names(rank)
                ),
            );
        }
        let spans: Vec<Span> = indices.iter().map(Spanned::span).collect();
        let indices: Vec<Expr> = indices.into_iter().map(|index| self.lower_expr(index)).collect();
        // Each check is where its index stands.
        let sites = spans.into_iter().enumerate().map(|(axis, span)| self.site(span, kind(axis))).collect();
        self.expr(ExprKind::Element { base, indices, sites }, span)
    }

    /// `view.shape()[k]`, if `index` has this form.
    pub(super) fn lower_extent(&mut self, index: &syn::ExprIndex) -> Option<Expr> {
        let base = self.receiver_of_shape(&index.expr)?;
        let rank = self.rank(&base);
        let axis = match without_parentheses(&index.index) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(axis), .. }) => axis.base10_parse::<usize>().unwrap_or(usize::MAX),
            other => {
                let name = self.name_of(&base);
                return Some(self.refuse(
                    other.span(),
                    format!(
                        "the axis must be a literal here\nhelp: bind the shape first, `let shape = {name}.shape();`, and write `shape[…]`"
                    ),
                ));
            }
        };
        if axis >= rank {
            let name = self.name_of(&base);
            return Some(self.refuse(
                index.index.span(),
                format!("`{name}` has {}, so there is no axis {axis}\nhelp: axes are numbered from 0", axes(rank)),
            ));
        }
        Some(self.expr(ExprKind::Extent { base: Box::new(base), axis }, index.start()))
    }

    /// `let [rows, columns] = view.shape();`, as a `let` of a tuple. `None` for any other statement.
    pub(super) fn lower_let_of_shape(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (syn::Pat::Slice(pattern), Some(init)) = (&local.pat, &local.init) else { return None };
        let base = self.receiver_of_shape(&init.expr)?;
        let rank = self.rank(&base);
        if init.diverge.is_some() || pattern.elems.iter().any(|element| matches!(element, syn::Pat::Rest(_))) {
            return None;
        }
        if pattern.elems.len() != rank {
            let name = self.name_of(&base);
            self.errors.push_invalid(
                pattern.span(),
                format!(
                    "`{name}` has {}, but this pattern has another number of elements\nhelp: write `let [{}] = {name}.shape();`",
                    axes(rank),
                    index_names(rank)
                ),
            );
        }
        let extents = self.extents(&base, init.expr.start());
        let init = self.expr(ExprKind::Tuple(extents), init.expr.start());
        let ty = if pattern.elems.len() == rank { Type::Tuple(vec![Type::USIZE; rank]) } else { Type::Refused };
        let tuple = syn::Pat::Tuple(syn::PatTuple {
            attrs: Vec::new(),
            paren_token: syn::token::Paren(pattern.bracket_token.span.join()),
            elems: pattern.elems.clone(),
        });
        let pattern = self.lower_irrefutable(&tuple, ty.clone());
        let span = local.start();
        Some(Stmt::Let(Box::new(Let { pattern, tokens: None, ty, init: Some(init), otherwise: None, span, end: span })))
    }

    /// The view `a` of `a.shape()`.
    fn receiver_of_shape(&mut self, expr: &syn::Expr) -> Option<Expr> {
        let syn::Expr::MethodCall(call) = without_parentheses(expr) else { return None };
        let syn::Expr::Path(path) = without_parentheses(&call.receiver) else { return None };
        let local = self.lookup(path.path.get_ident()?)?;
        let is_shape = call.method == "shape" && call.args.is_empty() && call.turbofish.is_none();
        (is_shape && self.locals[local.0].ty.view().is_some()).then(|| self.lower_expr(&call.receiver))
    }

    /// Methods that only views have. `None` for those that slices have too.
    pub(super) fn lower_view_method(&mut self, call: &syn::ExprMethodCall, receiver: &Expr) -> Option<Expr> {
        let (name, span) = (self.name_of(receiver), call.start());
        let method = call.method.to_string();
        match method.as_str() {
            "len" | "is_empty" => None,
            "shape" if call.args.is_empty() => {
                let extents = self.extents(receiver, span);
                Some(self.expr(ExprKind::Array(extents), span))
            }
            "get_unchecked" | "get_unchecked_mut" => {
                let indices = index_names(self.rank(receiver));
                Some(self.refuse_invalid(
                    call.method.span(),
                    format!("references are not supported as values in kernels\nhelp: write `unsafe {{ *{name}.{method}([{indices}]) }}`"),
                ))
            }
            "t" | "slice_axis" | "index_axis" | "permute" | "reshape" | "swap_axes" | "broadcast_to" => Some(self.refuse_invalid(
                call.method.span(),
                format!("changing the shape of a view is not supported in kernels\nhelp: pass `array.view().{method}({})` to the launch, or compute the index", if method == "t" { "" } else { "…" }),
            )),
            _ => Some(self.refuse_invalid(
                call.method.span(),
                format!("a view has no method `{method}` in kernels\nhelp: loop over the indices, or call the array's method on the host; views have `shape`, `len`, `is_empty` and `get_unchecked`"),
            )),
        }
    }

    /// `view.shape()[0]`, `view.shape()[1]`, …
    fn extents(&mut self, view: &Expr, span: Span) -> Vec<Expr> {
        let ExprKind::Local(local) = view.kind else { unreachable!("a view is a variable") };
        let rank = self.rank(view);
        (0..rank)
            .map(|axis| {
                let base = Box::new(self.expr(ExprKind::Local(local), view.span));
                self.expr(ExprKind::Extent { base, axis }, span)
            })
            .collect()
    }

    /// Refuses the assignment to an element of a `View`.
    pub(super) fn check_element_of_view(&self, base: &Expr, span: Span) {
        if let Some((element, rank, false)) = self.view(base) {
            let name = self.name_of(base);
            let element = match element {
                Type::Parameter(param) => param.name.to_string(),
                other => other.as_scalar().map_or("T", Scalar::name).to_owned(),
            };
            self.errors.push_invalid(
                span,
                format!("`{name}` is a `View<{element}, {rank}>`, so its elements cannot be assigned\nhelp: declare it `{name}: ViewMut<{element}, {rank}>`"),
            );
        }
    }

    /// `view.len` and `view.shape`. `None` for anything else than a field of a view.
    pub(super) fn refuse_field_of_view(&mut self, view: &Expr, field: &syn::Ident) -> Option<Expr> {
        if !self.is_view(view) {
            return None;
        }
        let name = self.name_of(view);
        let help = match field.to_string().as_str() {
            "shape" => format!("write `{name}.shape()`"),
            "len" | "length" | "size" => format!("write `{name}.len()`"),
            _ => "use the methods `shape`, `len` and `is_empty`".to_owned(),
        };
        Some(self.refuse_invalid(field.span(), format!("a view has no fields\nhelp: {help}")))
    }

    pub(super) fn refuse_borrowed_view(&mut self, view: &Expr, span: Span) -> Expr {
        let name = self.name_of(view);
        self.refuse_invalid(span, format!("a view is passed by value, not by reference\nhelp: write `{name}`"))
    }

    fn name_of(&self, view: &Expr) -> String {
        match view.kind {
            ExprKind::Local(local) => self.locals[local.0].name.to_string(),
            _ => unreachable!("a view is a variable"),
        }
    }
}

fn axes(rank: usize) -> String {
    if rank == 1 { "1 axis".into() } else { format!("{rank} axes") }
}

/// `i, j, k` for messages.
fn index_names(rank: usize) -> String {
    ["i", "j", "k", "l"][..rank].join(", ")
}
