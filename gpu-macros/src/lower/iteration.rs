//! `for` over the elements of arrays and slices.
//!
//! `for (i, &v) in x.iter().enumerate() { … }` is lowered as `for k in 0..x.len() { let i = k; let v = x[k]; … }`, so that proofs and
//! checks are those of indices. What is a reference in Rust is the element itself here: `references` remembers the names of such, so
//! that `*v` is the element, and so that what Rust refuses of a reference is refused.

use super::Lowerer;
use crate::model::*;
use crate::start::Start;
use crate::words::words_of;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use std::collections::HashSet;
use syn::parse_quote;
use syn::spanned::Spanned;

/// The elements that a loop runs over, as far as the syntax shows.
enum Elements {
    /// The elements of `place`: themselves, or references to them.
    Of {
        place: syn::Expr,
        by_reference: bool,
    },
    Enumerated(Box<Elements>),
    Zipped(Box<Elements>, Box<Elements>),
    Reversed(Box<Elements>),
    Skipped(Box<Elements>, syn::Expr),
    Taken(Box<Elements>, syn::Expr),
}

/// `let pattern = value`, at the top of the loop's body.
struct Binding {
    pattern: syn::Pat,
    value: syn::Expr,
    by_reference: bool,
}

/// The statements before the loop, and the variables that its body must not change.
#[derive(Default)]
struct Preparation {
    lets: Vec<Stmt>,
    borrowed: Vec<LocalId>,
}

impl Lowerer<'_> {
    /// `for pattern in x.iter()…`, `in &x`, `in x` or `in [1, 2, 3]`.
    pub(super) fn lower_for_elements(&mut self, repeat: &syn::ExprForLoop) -> Expr {
        self.scoped(|lowerer| {
            let mut preparation = Preparation::default();
            // What a range can say at the end is left to it.
            let (mut source, mut adapters) = (&*repeat.expr, Vec::new());
            while let syn::Expr::MethodCall(call) = source
                && matches!((call.method.to_string().as_str(), call.args.len()), ("rev", 0) | ("step_by", 1))
            {
                adapters.push((&call.method, &call.args));
                source = &call.receiver;
            }
            let Some(elements) = lowerer.lower_elements(source, &mut preparation) else { return lowerer.lower_refused_for(repeat) };
            let length = elements.length();
            let mut range: syn::Expr = parse_quote!((0..#length));
            for (method, args) in adapters.into_iter().rev() {
                range = parse_quote!(#range.#method(#args));
            }
            let counter = lowerer.fresh_name(&repeat.pat, "index");
            let mut bindings = Vec::new();
            if lowerer.bind(&elements, &repeat.pat, &parse_quote!(#counter), &mut bindings).is_none() {
                return lowerer.lower_refused_for(repeat);
            }
            let counter = if bindings.is_empty() { Ident::new("_", Span::mixed_site()) } else { counter };
            let borrowed = preparation.borrowed.len();
            lowerer.borrowed.append(&mut preparation.borrowed);
            let inner = lowerer.lower_counted(repeat, &range, (counter, false), |lowerer| lowerer.lower_bindings(bindings));
            lowerer.borrowed.truncate(lowerer.borrowed.len() - borrowed);
            if preparation.lets.is_empty() {
                return inner;
            }
            preparation.lets.push(Stmt::Expr(Box::new(inner)));
            let block = Block { stmts: preparation.lets, value: None, is_unsafe: false, span: repeat.start() };
            lowerer.expr(ExprKind::Block { label: None, block }, repeat.start())
        })
    }

    fn lower_bindings(&mut self, bindings: Vec<Binding>) -> Vec<Stmt> {
        let mut lets = Vec::new();
        let bindings = if names_meet(&bindings) { self.read_first(bindings, &mut lets) } else { bindings };
        for Binding { pattern, value, by_reference } in bindings {
            let before = self.locals.len();
            lets.push(self.lower_let_of(&pattern, &value));
            if by_reference {
                if let Some(Local { name, .. }) = self.locals[before..].iter().find(|local| local.mutable) {
                    self.errors.push(
                        name.span(),
                        format!("`{name}` is a shared reference, through which the element cannot be changed\nhelp: write `&{name}` in the pattern, and `let mut {name} = {name};` in the loop"),
                    );
                }
                self.references.extend((before..self.locals.len()).map(LocalId));
            }
        }
        lets
    }

    /// The same of variables of our own, which are declared in `lets`.
    fn read_first(&mut self, bindings: Vec<Binding>, lets: &mut Vec<Stmt>) -> Vec<Binding> {
        let mut read = |Binding { pattern, value, by_reference }| {
            let name = self.fresh_name(&value, "element");
            lets.push(self.lower_let_of(&plain_pattern(&name), &value));
            Binding { pattern, value: parse_quote!(#name), by_reference }
        };
        bindings.into_iter().map(&mut read).collect()
    }

    fn lower_let_of(&mut self, pattern: &syn::Pat, value: &syn::Expr) -> Stmt {
        let local: syn::Stmt = parse_quote!(let #pattern = #value;);
        match &local {
            syn::Stmt::Local(local) => self.lower_let(local),
            other => unreachable!("`let` is parsed as such, not as {}", other.to_token_stream()),
        }
    }

    /// Removes the adapters.
    fn lower_elements(&mut self, source: &syn::Expr, before: &mut Preparation) -> Option<Elements> {
        let call = match source {
            syn::Expr::Paren(paren) => return self.lower_elements(&paren.expr, before),
            syn::Expr::Group(group) => return self.lower_elements(&group.expr, before),
            syn::Expr::Reference(reference) => match &reference.mutability {
                Some(token) => return self.refuse_mutable_elements(token.span(), &reference.expr),
                None => return self.lower_source(&reference.expr, Some(true), before),
            },
            syn::Expr::Range(range) => {
                self.errors.push(
                    range.span(),
                    "a range next to elements is not supported in kernels\nhelp: use `.enumerate()` to count the elements, or loop over indices, `for i in a..b`",
                );
                return None;
            }
            syn::Expr::MethodCall(call) => call,
            other => return self.lower_source(other, None, before),
        };
        let receiver = &*call.receiver;
        let name = call.method.to_string();
        Some(match (name.as_str(), call.args.len()) {
            ("iter", 0) => return self.lower_source(receiver, Some(true), before),
            ("into_iter", 0) => return self.lower_source(receiver, None, before),
            ("iter_mut", 0) => return self.refuse_mutable_elements(call.method.span(), receiver),
            ("copied" | "cloned", 0) => self.lower_elements(receiver, before)?.copied(),
            ("enumerate", 0) => Elements::Enumerated(Box::new(self.lower_elements(receiver, before)?)),
            ("rev", 0) => Elements::Reversed(Box::new(self.lower_elements(receiver, before)?)),
            ("zip", 1) => {
                let left = self.lower_elements(receiver, before)?;
                Elements::Zipped(Box::new(left), Box::new(self.lower_elements(&call.args[0], before)?))
            }
            ("skip" | "take", 1) => {
                let inner = Box::new(self.lower_elements(receiver, before)?);
                let count = self.evaluate_first(&call.args[0], &name, &mut before.lets)?;
                if name == "skip" { Elements::Skipped(inner, count) } else { Elements::Taken(inner, count) }
            }
            _ => match iterator_help(&name) {
                Some(help) => {
                    self.errors.push(
                        call.method.span(),
                        format!("`.{name}(…)` in the head of a `for` loop is not supported in kernels\nhelp: {help}"),
                    );
                    return None;
                }
                // A method of a struct, which returns an array.
                None => return self.lower_source(source, None, before),
            },
        })
    }

    /// Where the elements are. `by_reference` is `None` where Rust decides by the type.
    fn lower_source(&mut self, source: &syn::Expr, by_reference: Option<bool>, before: &mut Preparation) -> Option<Elements> {
        let source = match source {
            syn::Expr::Paren(paren) => return self.lower_source(&paren.expr, by_reference, before),
            syn::Expr::Group(group) => return self.lower_source(&group.expr, by_reference, before),
            source => source,
        };
        if let syn::Expr::Path(path) = source {
            let Some(local) = path.path.get_ident().and_then(|name| self.lookup(name)) else {
                // A constant.
                return Some(Elements::Of { place: source.clone(), by_reference: by_reference.unwrap_or(false) });
            };
            return self.lower_source_of_local(source, local, by_reference, before);
        }
        if let syn::Expr::Call(syn::ExprCall { func, .. }) = source
            && let syn::Expr::Path(function) = &**func
            && function.path.is_ident("range")
        {
            self.errors.push_invalid(
                function.span(),
                "there is no function `range` in kernels\nhelp: write `for i in 0..n`, or `(a..b).step_by(k)`",
            );
            return None;
        }
        if by_reference == Some(true)
            && let Some((place, root)) = self.lower_place(source, &mut before.lets)
        {
            before.borrowed.extend(root);
            return Some(Elements::Of { place, by_reference: true });
        }
        let place = self.evaluate_first(source, "elements", &mut before.lets)?;
        Some(Elements::Of { place, by_reference: by_reference.unwrap_or(false) })
    }

    fn lower_source_of_local(
        &mut self,
        source: &syn::Expr,
        local: LocalId,
        by_reference: Option<bool>,
        before: &mut Preparation,
    ) -> Option<Elements> {
        let Local { name, mutable, ty, .. } = &self.locals[local.0];
        let element = match ty {
            Type::Slice { element, .. } => Some(&**element),
            Type::Shared(array) => match &**array {
                Type::Array(element, _) => Some(&**element),
                _ => None,
            },
            _ => None,
        };
        let message = match (ty, by_reference) {
            (Type::Scalar(_), _) => Some(format!("`{name}` is a number, which has no elements\nhelp: write `for i in 0..{name}`")),
            (Type::View { .. }, _) => Some(format!(
                "`{name}` is a view, whose elements need one index for each axis\nhelp: write `for i in 0..{name}.shape()[0]`, and `{name}[[i, j]]` in the loop"
            )),
            _ if matches!(element, Some(Type::Atomic(_))) => Some(format!(
                "a loop over the elements of `{name}` would copy them, but atomics cannot be copied\nhelp: write `for i in 0..{name}.len()`, and `{name}[i].load(Ordering::Relaxed)` in the loop"
            )),
            (Type::Shared(_), None) => {
                Some(format!("`{name}` is a shared array, which cannot be moved into a loop\nhelp: write `{name}.iter()`"))
            }
            (Type::Slice { mutable: true, .. }, None) => Some(format!(
                "a loop over the elements of a `&mut` slice is not supported in kernels\nhelp: write `{name}.iter()` to read them; to change them, `for i in 0..{name}.len()` and `{name}[i] = …`"
            )),
            _ => None,
        };
        if let Some(message) = message {
            // Nor has Rust elements of these.
            if matches!(ty, Type::Scalar(_) | Type::View { .. } | Type::Shared(_)) {
                self.errors.mark_invalid();
            }
            self.errors.push(source.span(), message);
            return None;
        }
        let is_reference = matches!(ty, Type::Slice { .. }) || self.references.contains(&local);
        let mutable = *mutable;
        match by_reference {
            Some(true) => before.borrowed.push(local),
            // The body may change the variable, and not what the loop runs over.
            _ if !is_reference && mutable => {
                let place = self.evaluate_first(source, "elements", &mut before.lets)?;
                return Some(Elements::Of { place, by_reference: false });
            }
            _ => {}
        }
        Some(Elements::Of { place: source.clone(), by_reference: by_reference.unwrap_or(is_reference) })
    }

    /// A place with indices that the loop's body cannot change, and the variable that it is a part of.
    pub(super) fn lower_place(&mut self, place: &syn::Expr, before: &mut Vec<Stmt>) -> Option<(syn::Expr, Option<LocalId>)> {
        match place {
            syn::Expr::Paren(paren) => self.lower_place(&paren.expr, before),
            syn::Expr::Path(path) => Some((place.clone(), path.path.get_ident().and_then(|name| self.lookup(name)))),
            syn::Expr::Field(field) => {
                let (base, root) = self.lower_place(&field.base, before)?;
                let field = syn::ExprField { base: Box::new(base), ..field.clone() };
                Some((syn::Expr::Field(field), root))
            }
            syn::Expr::Index(index) if !matches!(&*index.index, syn::Expr::Range(_) | syn::Expr::Array(_)) => {
                let (base, root) = self.lower_place(&index.expr, before)?;
                let position = self.evaluate_first(&index.index, "index", before)?;
                let index = syn::ExprIndex { expr: Box::new(base), index: Box::new(position), ..index.clone() };
                Some((syn::Expr::Index(index), root))
            }
            _ => None,
        }
    }

    /// What stands for `value`: a literal, or a variable that is declared in `before`.
    pub(super) fn evaluate_first(&mut self, value: &syn::Expr, word: &str, before: &mut Vec<Stmt>) -> Option<syn::Expr> {
        if matches!(value, syn::Expr::Lit(_)) {
            return Some(value.clone());
        }
        let name = self.fresh_name(value, word);
        before.push(self.lower_let_of(&plain_pattern(&name), value));
        Some(parse_quote!(#name))
    }

    /// A name that does not occur in the function, so that there are no conflicts: for `x`, `x_index`.
    fn fresh_name(&self, of: &impl ToTokens, word: &str) -> Ident {
        let stem = match syn::parse2::<Ident>(of.to_token_stream()) {
            Ok(name) => format!("{}_{word}", name.to_string().trim_start_matches("r#")),
            Err(_) => word.to_owned(),
        };
        let candidates = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}{n}")));
        let is_free = |name: &Ident| !self.has_word(&name.to_string()) && !self.locals.iter().any(|local| local.name == *name);
        let mut names = candidates.map(|name| Ident::new(&name, Span::mixed_site().located_at(of.span())));
        names.find(is_free).expect("there are infinitely many names")
    }

    /// What the pattern of the loop binds, for the element at `position`.
    fn bind(&mut self, elements: &Elements, pattern: &syn::Pat, position: &syn::Expr, bindings: &mut Vec<Binding>) -> Option<()> {
        match (elements, pattern) {
            (_, syn::Pat::Wild(_)) => {}
            (_, syn::Pat::Paren(paren)) => return self.bind(elements, &paren.pat, position, bindings),
            (Elements::Of { place, by_reference }, pattern) => {
                let (pattern, by_reference) = match pattern {
                    syn::Pat::Reference(reference) if *by_reference && reference.mutability.is_none() => (&*reference.pat, false),
                    pattern => (pattern, *by_reference),
                };
                if !matches!(pattern, syn::Pat::Wild(_)) {
                    bindings.push(Binding { pattern: pattern.clone(), value: parse_quote!(#place[#position]), by_reference });
                }
            }
            (Elements::Enumerated(inner), syn::Pat::Tuple(pair)) if pair.elems.len() == 2 => {
                if !matches!(pair.elems[0], syn::Pat::Wild(_)) {
                    bindings.push(Binding { pattern: pair.elems[0].clone(), value: position.clone(), by_reference: false });
                }
                self.bind(inner, &pair.elems[1], position, bindings)?;
            }
            (Elements::Zipped(left, right), syn::Pat::Tuple(pair)) if pair.elems.len() == 2 => {
                self.bind(left, &pair.elems[0], position, bindings)?;
                self.bind(right, &pair.elems[1], position, bindings)?;
            }
            (Elements::Reversed(inner), pattern) => {
                let length = inner.length();
                self.bind(inner, pattern, &parse_quote!((#length - 1 - #position)), bindings)?;
            }
            (Elements::Skipped(inner, count), pattern) => self.bind(inner, pattern, &parse_quote!((#position + #count)), bindings)?,
            (Elements::Taken(inner, _), pattern) => self.bind(inner, pattern, position, bindings)?,
            (Elements::Enumerated(_), other) => return self.refuse_undivided(other, "index and element", "(i, x)"),
            (Elements::Zipped(..), other) => return self.refuse_undivided(other, "an element of each", "(a, b)"),
        }
        Some(())
    }

    /// `a.swap(i, j)`: two elements of an array or a slice.
    pub(super) fn lower_swap(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if call.method != "swap" || call.args.len() != 2 {
            return None;
        }
        Some(self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let place = lowerer.lower_place(&call.receiver, &mut stmts);
            let first = lowerer.evaluate_first(&call.args[0], "index", &mut stmts);
            let second = lowerer.evaluate_first(&call.args[1], "index", &mut stmts);
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
        }))
    }

    fn refuse_undivided(&mut self, pattern: &syn::Pat, what: &str, instead: &str) -> Option<()> {
        self.errors
            .push(pattern.span(), format!("this loop has {what} at a time, and each needs a name\nhelp: write `for {instead} in …`"));
        None
    }

    fn refuse_mutable_elements<T>(&mut self, span: Span, array: &syn::Expr) -> Option<T> {
        let name = match array {
            syn::Expr::Path(path) => path.path.get_ident().map_or_else(|| "x".to_owned(), ToString::to_string),
            _ => "x".to_owned(),
        };
        self.errors.push(
            span,
            format!("a loop that changes elements by reference is not supported in kernels\nhelp: write `for i in 0..{name}.len()`, and `{name}[i] = …` in the loop"),
        );
        None
    }

    /// The variable that `expr` is, if that stands for a reference to an element.
    pub(super) fn named_reference<'a>(&self, expr: &'a syn::Expr) -> Option<&'a syn::ExprPath> {
        match expr {
            syn::Expr::Paren(paren) => self.named_reference(&paren.expr),
            syn::Expr::Group(group) => self.named_reference(&group.expr),
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name))?;
                self.references.contains(&local).then_some(path)
            }
            _ => None,
        }
    }

    /// An expression that may be a reference to an element where Rust takes the element too: `x.sqrt()`, `2.0 * x`, `x.field`, `x[0]`.
    pub(super) fn lower_dereferenced(&mut self, expr: &syn::Expr) -> Expr {
        match self.named_reference(expr) {
            Some(path) => self.lower_path(path),
            None => self.lower_expr(expr),
        }
    }

    pub(super) fn refuse_reference(&mut self, path: &syn::ExprPath) -> Expr {
        let name = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
        self.refuse_invalid(
            path.span(),
            format!("`{name}` is a reference to an element here\nhelp: write `*{name}`, or `&{name}` in the pattern of the loop"),
        )
    }

    /// Refuses an assignment to an element through a shared reference, and to the array that a loop runs over.
    pub(super) fn check_not_borrowed(&mut self, local: LocalId, span: Span) {
        let name = &self.locals[local.0].name;
        if self.references.contains(&local) {
            self.errors.push_invalid(
                span,
                format!("`{name}` is a reference to an element, which cannot be assigned\nhelp: loop over the indices, `for i in 0..x.len()`, and write `x[i] = …`"),
            );
        } else if self.borrowed.contains(&local) {
            self.errors.push_invalid(
                span,
                format!("`{name}` is borrowed by the loop over its elements\nhelp: loop over the indices, `for i in 0..{name}.len()`"),
            );
        }
    }
}

impl Elements {
    /// How many there are, as an expression.
    fn length(&self) -> syn::Expr {
        match self {
            Elements::Of { place, .. } => parse_quote!(#place.len()),
            Elements::Enumerated(inner) | Elements::Reversed(inner) => inner.length(),
            Elements::Zipped(left, right) => {
                let (left, right) = (left.length(), right.length());
                parse_quote!(#left.min(#right))
            }
            Elements::Skipped(inner, count) => {
                let length = inner.length();
                parse_quote!(#length.saturating_sub(#count))
            }
            Elements::Taken(inner, count) => {
                let length = inner.length();
                parse_quote!(#length.min(#count))
            }
        }
    }

    /// The elements in place of references to them.
    fn copied(self) -> Elements {
        match self {
            Elements::Of { place, .. } => Elements::Of { place, by_reference: false },
            Elements::Reversed(inner) => Elements::Reversed(Box::new(inner.copied())),
            Elements::Skipped(inner, count) => Elements::Skipped(Box::new(inner.copied()), count),
            Elements::Taken(inner, count) => Elements::Taken(Box::new(inner.copied()), count),
            // rustc would say that pairs are no references; here they are no values either.
            pairs @ (Elements::Enumerated(_) | Elements::Zipped(..)) => pairs,
        }
    }
}

/// What to write instead of an unsupported adapter.
fn iterator_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "windows" => "write `for i in 0..x.len() - 1`, and `x[i]` and `x[i + 1]` in the loop",
        "chunks" | "chunks_exact" => "write `for start in (0..x.len()).step_by(n)`, and `x[start + k]` in the loop",
        "map" | "inspect" => "compute the value in the loop",
        "filter" | "filter_map" | "skip_while" => "test in the loop, and `continue`",
        "take_while" | "map_while" => "test in the loop, and `break`",
        "step_by" | "chain" | "cycle" | "peekable" | "flat_map" | "flatten" | "scan" => {
            "write `for i in 0..x.len()` and index; ranges take `.rev()` and `.step_by(k)`"
        }
        _ => return None,
    })
}

/// Whether a pattern may bind a name of a later value: in `for (&y, &x) in x.iter().zip(y)` the second `y` is the array.
fn names_meet(bindings: &[Binding]) -> bool {
    let mut bound = HashSet::new();
    bindings.iter().any(|Binding { pattern, value, .. }| {
        let meets = words_of(value.to_token_stream()).iter().any(|word| bound.contains(word));
        bound.extend(words_of(pattern.to_token_stream()));
        meets
    })
}

fn plain_pattern(name: &Ident) -> syn::Pat {
    syn::Pat::Ident(syn::PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident: name.clone(), subpat: None })
}
