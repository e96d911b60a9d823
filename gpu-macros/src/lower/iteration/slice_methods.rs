//! Methods of slices that are loops over elements, or one element: `fill`, `contains`, `reverse`, `first`, `swap`.
//!
//! Their receivers are arrays, slices and parts of these. Of a field or an element, only its type says whether it is an array or of a type
//! of the user's that has a method of the name: then both are lowered, and inference chooses.

use super::Part;
use crate::first_span::Start;
use crate::lower::reference::Shape;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned};

/// Whether a slice has a method of this name here that is a loop.
fn is_loop_of_slice(call: &syn::ExprMethodCall) -> bool {
    matches!(
        (call.method.to_string().as_str(), call.args.len()),
        ("fill" | "copy_from_slice" | "clone_from_slice" | "contains" | "rotate_left" | "rotate_right", 1) | ("reverse", 0)
    )
}

impl Lowerer<'_> {
    /// `x.get(i)`, `x.first()` and `x.last()` of an array, a slice or a part of one.
    pub(in crate::lower) fn lower_element_call(&mut self, call: &syn::ExprMethodCall) -> Option<(Expr, Shape)> {
        let name = call.method.to_string();
        let is_element = matches!((name.as_str(), call.args.len()), ("get", 1) | ("first" | "last", 0));
        if !is_element || matches!(call.args.first(), Some(syn::Expr::Range(_))) || !self.has_elements(&call.receiver) {
            return None;
        }
        let lowered = self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let part = lowerer.lower_elements_of(&call.receiver, &mut stmts)?;
            let (place, length) = (&part.place, &part.length);
            let element: syn::Expr = match name.as_str() {
                "get" => {
                    let index = lowerer.evaluate_first(&call.args[0], "index", &mut stmts)?;
                    let position = part.index(&index);
                    parse_quote!(if #index < #length { Some(#place[#position]) } else { None })
                }
                "first" => {
                    let position = part.index(&parse_quote!(0));
                    parse_quote!(if #length > 0 { Some(#place[#position]) } else { None })
                }
                _ => {
                    let position = part.index(&parse_quote!(#length - 1));
                    parse_quote!(if #length > 0 { Some(#place[#position]) } else { None })
                }
            };
            let value = lowerer.lower_expr(&element);
            Some(if stmts.is_empty() { value } else { lowerer.block_of(stmts, Some(value), call) })
        })?;
        Some((lowered, Shape::Value.reference().option()))
    }

    /// Whether `place` is declared as an array or a slice, or is written as a part of one.
    pub(in crate::lower) fn has_elements(&self, place: &syn::Expr) -> bool {
        let place = without_parentheses(place);
        let is_range = |index: &syn::ExprIndex| matches!(without_parentheses(&index.index), syn::Expr::Range(_));
        self.part_named(place).is_some()
            || matches!(place, syn::Expr::Index(index) if is_range(index))
            || matches!(self.declared_type(place), Some(Type::Slice { .. } | Type::Array(..) | Type::Shared(_)))
    }

    /// Whether `place` may be an array, as far as its declaration shows: a variable, a field or an element. A variable without a declared
    /// type that has a method of numbers is taken for one.
    fn may_be_array(&self, place: &syn::Expr, call: &syn::ExprMethodCall) -> bool {
        let is_of_numbers = || Method::find(&call.method.to_string()).is_some_and(|method| method.args.len() == call.args.len());
        match (without_parentheses(place), self.declared_type(place)) {
            (syn::Expr::Path(_), declared) => matches!(declared, Some(Type::Variable(_))) && !is_of_numbers(),
            (syn::Expr::Field(_) | syn::Expr::Index(_), declared) => matches!(declared, None | Some(Type::Variable(_))),
            _ => false,
        }
    }

    /// What `receiver` has as elements, with indices that are evaluated in `before`.
    pub(super) fn lower_elements_of(&mut self, receiver: &syn::Expr, before: &mut Vec<Stmt>) -> Option<Part> {
        let receiver = without_parentheses(receiver);
        if let Some(part) = self.part_named(receiver) {
            return Some(part);
        }
        match self.lower_part(receiver, before) {
            Some((part, _)) => Some(Part { mutable: true, ..part }),
            None => self.lower_place(receiver, before).map(|(place, _)| Part { mutable: true, ..Part::whole(place) }),
        }
    }

    /// A method that is a loop over the elements of a slice or an array. `own` lowers it as a method of another type.
    pub(in crate::lower) fn lower_slice_method(&mut self, call: &syn::ExprMethodCall, own: impl FnOnce(&mut Self) -> Expr) -> Option<Expr> {
        if !is_loop_of_slice(call) {
            return None;
        }
        if self.has_elements(&call.receiver) {
            let errors = self.errors.count();
            let lowered = self.lower_loop_of_slice(call);
            return lowered.or_else(|| (self.errors.count() > errors).then(|| self.refused(call.start())));
        }
        self.may_be_array(&call.receiver, call).then(|| self.lower_by_receiver(call, Self::lower_loop_of_slice, own))
    }

    /// A method that may be one of std's and one of the user's.
    pub(in crate::lower) fn lower_by_receiver(
        &mut self,
        call: &syn::ExprMethodCall,
        std: impl FnOnce(&mut Self, &syn::ExprMethodCall) -> Option<Expr>,
        own: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        let of_own = self.errors.attempt(|| Some(own(self)));
        let Some(of_own) = of_own else {
            let errors = self.errors.count();
            let of_std = std(self, call);
            return of_std.unwrap_or_else(|| match self.errors.count() > errors {
                true => self.refused(call.start()),
                false => self
                    .refuse(call.method.span(), format!("this call of `{}` is not supported in kernels\nhelp: write a loop", call.method)),
            });
        };
        let receiver = self.lower_dereferenced(&call.receiver);
        match self.errors.attempt(|| std(self, call)) {
            Some(of_std) => {
                let question = TypeQuestion::OfStd(false.into());
                let choice = ByType { of: receiver, question, then: of_std, otherwise: of_own };
                self.expr(ExprKind::ByType(Box::new(choice)), call.start())
            }
            None => of_own,
        }
    }

    fn lower_loop_of_slice(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let at = call.start();
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let part = lowerer.lower_elements_of(&call.receiver, &mut stmts)?;
            if call.method != "contains" && !lowerer.check_changed_part(&call.receiver) {
                return None;
            }
            let mut value = None;
            match call.method.to_string().as_str() {
                "fill" => {
                    let filled = lowerer.evaluate_first(&call.args[0], "value", &mut stmts)?;
                    let (place, length, index) = (&part.place, &part.length, lowerer.own_name("index"));
                    let position = part.index(&parse_quote!(#index));
                    lowerer.push_loop(&parse_quote!(for #index in 0..#length { #place[#position] = #filled; }), &mut stmts);
                }
                "contains" => value = Some(lowerer.lower_contains(call, &part, &mut stmts)?),
                "reverse" => lowerer.push_reversal(&part, (&parse_quote!(0), &part.length), &mut stmts),
                "rotate_left" | "rotate_right" => lowerer.push_rotation(call, &part, &mut stmts)?,
                _ => lowerer.push_copy(call, &part, &mut stmts)?,
            }
            let block = Block { stmts, value: value.map(Box::new), is_unsafe: false, span: at };
            Some(lowerer.expr(ExprKind::Block { label: None, block }, at))
        })
    }

    /// `x.copy_from_slice(&y)`
    fn push_copy(&mut self, call: &syn::ExprMethodCall, to: &Part, stmts: &mut Vec<Stmt>) -> Option<()> {
        let source = match without_parentheses(&call.args[0]) {
            syn::Expr::Reference(reference) => &*reference.expr,
            other => other,
        };
        let named = match without_parentheses(source) {
            array @ (syn::Expr::Array(_) | syn::Expr::Repeat(_)) => Some(self.bind_first(array, "source", stmts)),
            _ => None,
        };
        let from = self.lower_elements_of(named.as_ref().unwrap_or(source), stmts)?;
        let message = format!("{}: the slices have the same length", call.method);
        let (place, length, source, source_length) = (&to.place, &to.length, &from.place, &from.length);
        self.push_check(call.start(), &parse_quote!(#length == #source_length), &message, stmts);
        let index = self.own_name("index");
        let (position, source_position) = (to.index(&parse_quote!(#index)), from.index(&parse_quote!(#index)));
        self.push_loop(&parse_quote!(for #index in 0..#length { #place[#position] = #source[#source_position]; }), stmts);
        Some(())
    }

    /// `x.contains(&value)`
    fn lower_contains(&mut self, call: &syn::ExprMethodCall, part: &Part, stmts: &mut Vec<Stmt>) -> Option<Expr> {
        let wanted: syn::Expr = match without_parentheses(&call.args[0]) {
            syn::Expr::Reference(reference) => (*reference.expr).clone(),
            other if self.is_reference(other) => parse_quote!((*#other)),
            other => {
                let message = "`contains` of a slice takes a reference\nhelp: write `x.contains(&value)`";
                self.errors.push_invalid(other.span(), message);
                return None;
            }
        };
        let wanted = self.evaluate_first(&wanted, "value", stmts)?;
        let (place, length) = (&part.place, &part.length);
        let (index, found) = (self.own_name("index"), self.own_name("found"));
        let position = part.index(&parse_quote!(#index));
        let declaration: syn::Stmt = parse_quote!(let mut #found = false;);
        let syn::Stmt::Local(declaration) = declaration else { unreachable!("`let` is parsed as such") };
        stmts.push(self.lower_let(&declaration));
        let search = parse_quote!(for #index in 0..#length { if #place[#position] == #wanted { #found = true; break; } });
        self.push_loop(&search, stmts);
        Some(self.lower_expr(&parse_quote!(#found)))
    }

    /// `x.rotate_left(k)` and `x.rotate_right(k)`: both parts are reversed, and then the whole.
    fn push_rotation(&mut self, call: &syn::ExprMethodCall, part: &Part, stmts: &mut Vec<Stmt>) -> Option<()> {
        let (length, zero) = (&part.length, parse_quote!(0));
        let count = self.evaluate_first(length, "length", stmts)?;
        let by = self.evaluate_first(&call.args[0], "by", stmts)?;
        let message = format!("{}: the elements are at least as many", call.method);
        self.push_check(call.start(), &parse_quote!(#by <= #count), &message, stmts);
        let middle = if call.method == "rotate_left" { by } else { self.evaluate_first(&parse_quote!(#count - #by), "middle", stmts)? };
        self.push_reversal(part, (&zero, &middle), stmts);
        self.push_reversal(part, (&middle, &count), stmts);
        self.push_reversal(part, (&zero, &count), stmts);
        Some(())
    }

    /// Reverses the elements from `start` up to `end`.
    fn push_reversal(&mut self, part: &Part, (start, end): (&syn::Expr, &syn::Expr), stmts: &mut Vec<Stmt>) {
        let place = &part.place;
        let (index, kept) = (self.own_name("index"), self.own_name("element"));
        let from = |position: syn::Expr| part.index(&position);
        let (first, last) = match crate::lower::length::integer(start) {
            Some(0) => (from(parse_quote!(#index)), from(parse_quote!((#end - 1 - #index)))),
            _ => (from(parse_quote!((#start + #index))), from(parse_quote!((#end - 1 - #index)))),
        };
        let half: syn::Expr = match crate::lower::length::integer(start) {
            Some(0) => parse_quote!(#end / 2),
            _ => parse_quote!((#end - #start) / 2),
        };
        let exchange = parse_quote!(for #index in 0..#half {
            let #kept = #place[#first];
            #place[#first] = #place[#last];
            #place[#last] = #kept;
        });
        self.push_loop(&exchange, stmts);
    }

    fn push_loop(&mut self, repeated: &syn::Expr, stmts: &mut Vec<Stmt>) {
        stmts.push(Stmt::Expr(Box::new(self.lower_expr(repeated))));
    }

    /// `assert!(condition, message)`
    pub(super) fn push_check(&mut self, at: Span, condition: &syn::Expr, message: &str, stmts: &mut Vec<Stmt>) {
        let check: syn::Expr = parse_quote_spanned!(at=> ::core::assert!(#condition, #message));
        stmts.push(Stmt::Expr(Box::new(self.lower_expr(&check))));
    }

    /// `a.swap(i, j)`: two elements of an array or a slice.
    pub(in crate::lower) fn lower_swap(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if call.method != "swap" || call.args.len() != 2 {
            return None;
        }
        Some(match self.declared_type(&call.receiver) {
            Some(Type::Named(_)) => self.lower_own_method(call),
            None | Some(Type::Variable(_)) => self.lower_by_receiver(
                call,
                |lowerer, call| Some(lowerer.lower_swapped_elements(call)),
                |lowerer| lowerer.lower_own_method(call),
            ),
            Some(_) => self.lower_swapped_elements(call),
        })
    }

    fn lower_swapped_elements(&mut self, call: &syn::ExprMethodCall) -> Expr {
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let place = lowerer.lower_place(&call.receiver, &mut stmts);
            let first = lowerer.evaluate_usize(&call.args[0], "index", &mut stmts);
            let second = lowerer.evaluate_usize(&call.args[1], "index", &mut stmts);
            let (Some((place, _)), Some(first), Some(second)) = (place, first, second) else {
                return lowerer
                    .refuse(call.method.span(), "only an array or a slice with a name can be changed\nhelp: bind it with `let mut` first");
            };
            let kept = lowerer.evaluate_first(&parse_quote!(#place[#first]), "element", &mut stmts);
            for assignment in [parse_quote!(#place[#first] = #place[#second]), parse_quote!(#place[#second] = #kept)] {
                stmts.push(Stmt::Expr(Box::new(lowerer.lower_expr(&assignment))));
            }
            let block = Block { stmts, value: None, is_unsafe: false, span: call.start() };
            lowerer.expr(ExprKind::Block { label: None, block }, call.start())
        })
    }
}
