//! Places: indexing, borrowing and assignment.
//!
//! Rust evaluates the value of an assignment first, then the indices of the place from left to right. Each index is checked when it is
//! evaluated. Indices of a place that is written are stored in variables first, so that an index may read the place.

use super::super::sites::expand_site;
use super::super::tokens::{glue, in_delimiters};
use super::Body;
use super::operator::expand_optional_site;
use crate::model::*;
use proc_macro2::{Delimiter, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

/// A place whose indices have been evaluated.
pub(super) struct Place {
    /// `let` statements for the checked indices.
    pub(super) indices: Option<TokenStream>,
    /// The place in terms of those.
    pub(super) tokens: TokenStream,
    /// How many indices there are.
    pub(super) count: usize,
}

/// An index, and the statements before it that check it.
struct CheckedIndex {
    check: Option<TokenStream>,
    index: TokenStream,
}

/// How a thread uses an element.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
    /// It reads and writes it.
    Update,
    Atomic,
}

impl Access {
    /// The method of the runtime's thread that says whether the thread stops before it.
    pub(super) fn method(self, of: &str, is_proved: bool, span: Span) -> Ident {
        let name = match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Update => "update",
            Access::Atomic => "atomic",
        };
        format_ident!("stops_at_{name}{of}{}", if is_proved { "_unless_proved" } else { "" }, span = span)
    }
}

/// When a check is redundant.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Redundancy {
    No,
    /// In a launch for which `in_bounds` holds.
    InBounds,
    Always,
}

impl Body<'_> {
    /// `base[index]`, which is `place`, where it is read, or with `None`, where only a part of it is used.
    pub(super) fn expand_index(&self, place: &Expr, base: &Expr, index: &Expr, site: SiteId, access: Option<Access>) -> TokenStream {
        let span = place.span;
        if self.function.may_be_own_index(base, site) && !(self.function.site(site).is_changed || index.writes()) {
            let (base, key) = (self.expand_base_of_own(base), self.expand_key(index));
            return self.expand_own_element(&base, &key, site, span);
        }
        let asks_for_length = !matches!(base.ty.element(), Some((_, Some(_))));
        let is_named_twice = asks_for_length && !is_variable(base) || self.is_shared_by_threads(base) && base.writes();
        if !self.is_unchecked(site) && (index.writes() || is_named_twice) {
            // The arrays of a launch are indexed by an operator of their own, which borrows before the index is evaluated. And what is
            // asked for its length, or where its element is, must not be evaluated once more for that.
            let Place { indices, tokens, .. } = self.expand_place(place, access);
            // In parentheses: at the beginning of a statement, a block would be all of it.
            return quote_spanned!(glue(span)=> ({ #indices #tokens }));
        }
        let tokens = self.expand_base(base);
        if self.is_unchecked(site) {
            let index = self.expand_expr(index);
            return self.expand_unchecked(false, &tokens, &index, glue(span));
        }
        let CheckedIndex { check, index } = self.expand_checked_index(base, &tokens, index, (site, access), span);
        let index = match check {
            Some(check) => in_delimiters(Delimiter::Brace, [check, index].into_iter().collect(), glue(span)),
            None => index,
        };
        quote_spanned!(place.operator=> #tokens[#index])
    }

    /// What is indexed by an operator that may be the user's. If it is an element itself, that is read.
    fn expand_base_of_own(&self, base: &Expr) -> TokenStream {
        match &base.kind {
            ExprKind::Field { base: outer, name } => {
                let (outer, span) = (self.expand_base_of_own(outer), glue(base.span));
                quote_spanned!(span=> #outer.#name)
            }
            _ => self.expand_operand(base),
        }
    }

    /// `(*element(&base, key, …)?)`, or that of `element_mut`.
    fn expand_own_element(&self, base: &TokenStream, key: &TokenStream, site: SiteId, span: Span) -> TokenStream {
        let (runtime, span) = (self.runtime.located_at(span), glue(span));
        let reference = self.expand_own_reference(base, key, site, span, &runtime);
        quote_spanned!(span=> (*#reference))
    }

    fn expand_own_reference(&self, base: &TokenStream, key: &TokenStream, site: SiteId, span: Span, runtime: &RuntimePath) -> TokenStream {
        let (is_changed, site) = (self.function.site(site).is_changed, expand_optional_site(Some(site), span));
        match is_changed {
            true => quote_spanned!(span=> #runtime::__private::ops::element_mut(&mut #base, #key, __thread, #site)?),
            false => quote_spanned!(span=> #runtime::__private::ops::element(&#base, #key, __thread, #site)?),
        }
    }

    /// An index that the user's operator may take: of numbers only a `usize`, which rustc checks where nothing of ours stands around it.
    fn expand_key(&self, index: &Expr) -> TokenStream {
        let (tokens, span) = (self.expand_expr(index), glue(index.span));
        if index.ty == Type::USIZE || !index.ty.is_scalar() {
            return tokens;
        }
        let own = Ident::new("__position", span);
        let binding = self.expand_own_let(&own, &Type::USIZE, tokens, index.span);
        quote_spanned!(span=> { #binding #own })
    }

    /// The array in which an element is accessed. An array in an array is not accessed itself.
    fn expand_base(&self, base: &Expr) -> TokenStream {
        let span = glue(base.span);
        match &base.kind {
            ExprKind::Index { base: outer, index, site } => self.expand_index(base, outer, index, *site, None),
            ExprKind::Field { base, name } => {
                let base = self.expand_base(base);
                quote_spanned!(span=> #base.#name)
            }
            _ => self.expand_operand(base),
        }
    }

    /// Whether several threads may have the array: it is a parameter or a shared array, or in one.
    fn is_shared_by_threads(&self, array: &Expr) -> bool {
        match &array.kind {
            ExprKind::Local(local) => matches!(self.function.local(*local).ty, Type::Slice { .. } | Type::Shared(_)),
            ExprKind::Index { base, .. } | ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => {
                self.is_shared_by_threads(base)
            }
            _ => false,
        }
    }

    /// Whether the user guarantees the index, with `get_unchecked`.
    pub(super) fn is_unchecked(&self, site: SiteId) -> bool {
        self.function.site(site).kind == SiteKind::Unchecked
    }

    /// The element at an index that the user guarantees.
    pub(super) fn expand_unchecked(&self, mutable: bool, array: &TokenStream, index: &TokenStream, span: Span) -> TokenStream {
        let runtime = self.runtime.located_at(span);
        match mutable {
            true => quote_spanned!(span=> (*#runtime::calls::get_unchecked_mut(&mut #array, #index))),
            false => quote_spanned!(span=> (*#runtime::calls::get_unchecked(&#array, #index))),
        }
    }

    /// How many elements an array has.
    pub(super) fn expand_length(&self, array: &TokenStream, span: Span) -> TokenStream {
        let runtime = self.runtime.located_at(span);
        quote_spanned!(span=> #runtime::calls::length(&#array))
    }

    fn expand_checked_index(
        &self,
        base: &Expr,
        base_tokens: &TokenStream,
        index: &Expr,
        (site_id, access): (SiteId, Option<Access>),
        span: Span,
    ) -> CheckedIndex {
        let span = glue(span);
        let (binding, index) = self.expand_bound_index(index);
        let redundancy = self.redundancy([site_id]);
        let access = access.filter(|_| self.is_shared_by_threads(base));
        let length = || match base.ty.element() {
            Some((_, Some(length))) => length.tokens(),
            _ if base.ty.is_followed() => self.expand_array_length(base_tokens, base.span),
            _ => self.expand_length(base_tokens, span),
        };
        if access.is_none() && redundancy == Redundancy::Always {
            let length = length();
            return CheckedIndex { check: binding, index: quote_spanned!(span=> unsafe { __thread.proved_index(#index, #length) }) };
        }
        let site = expand_site(site_id);
        let test = match access {
            Some(access) => {
                let method = access.method("", redundancy != Redundancy::No, span);
                quote_spanned!(span=> __thread.#method(#index, &#base_tokens, #site))
            }
            None => {
                let (length, proved) = (length(), if redundancy == Redundancy::No { "" } else { "_unless_proved" });
                let method = format_ident!("stops_at_index{proved}", span = span);
                quote_spanned!(span=> __thread.#method(#index, #length, #site))
            }
        };
        let check = self.expand_stop_if(binding, test, redundancy != Redundancy::No, span);
        CheckedIndex { check: Some(check), index }
    }

    /// `first if test { return … }`. `is_unsafe`: the test relies on a proof.
    pub(super) fn expand_stop_if(&self, first: Option<TokenStream>, test: TokenStream, is_unsafe: bool, span: Span) -> TokenStream {
        let stopped = self.expand_stopped(span);
        match is_unsafe {
            true => quote_spanned!(span=> #first if unsafe { #test } { return #stopped; }),
            false => quote_spanned!(span=> #first if #test { return #stopped; }),
        }
    }

    /// An index as a name or a literal, which can stand twice, and the statement that evaluates it.
    pub(super) fn expand_bound_index(&self, index: &Expr) -> (Option<TokenStream>, TokenStream) {
        let tokens = self.expand_expr(index);
        if index.ty == Type::USIZE && matches!(index.kind, ExprKind::Local(_) | ExprKind::Int(_)) {
            return (None, tokens);
        }
        // rustc checks the type of an index where nothing of ours stands around it.
        let own = Ident::new("__position", glue(index.span));
        (Some(self.expand_own_let(&own, &Type::USIZE, tokens, index.span)), own.into_token_stream())
    }

    /// Whether an index is a name or a literal that stands for the same number until the place is used.
    fn is_lasting(&self, index: &Expr) -> bool {
        match index.kind {
            ExprKind::Local(local) => index.ty == Type::USIZE && !self.function.local(local).mutable,
            ExprKind::Int(_) => index.ty == Type::USIZE,
            _ => false,
        }
    }

    /// When all of the checks at these sites are redundant.
    pub(super) fn redundancy(&self, sites: impl IntoIterator<Item = SiteId>) -> Redundancy {
        let redundancy = |site: SiteId| match self.bounds.get(site.0) {
            None | Some(Bound::Unknown) => Redundancy::No,
            Some(Bound::Below(conditions)) if conditions.is_empty() => Redundancy::Always,
            Some(Bound::Below(_)) => Redundancy::InBounds,
        };
        sites.into_iter().map(redundancy).min().unwrap_or(Redundancy::No)
    }

    /// A place that is accessed, or with `None`, of which only a part is.
    pub(super) fn expand_place(&self, place: &Expr, access: Option<Access>) -> Place {
        let span = glue(place.span);
        match &place.kind {
            ExprKind::Index { base, index, site } if self.function.may_be_own_index(base, *site) => {
                let Place { indices, tokens, count } = self.expand_place(base, access);
                let (key, element) = (format_ident!("__index{}", count, span = span), format_ident!("__element{}", count, span = span));
                let value = self.expand_key(index);
                let reference =
                    self.expand_own_reference(&tokens, &key.to_token_stream(), *site, span, &self.runtime.located_at(place.span));
                let indices = quote_spanned!(span=> #indices let #key = #value; let #element = #reference;);
                Place { indices: Some(indices), tokens: quote_spanned!(span=> (*#element)), count: count + 1 }
            }
            ExprKind::Index { base, index, site } => {
                let Place { mut indices, mut tokens, count } = self.expand_place(base, None);
                if count == 0 && !is_variable(base) && !self.is_unchecked(*site) {
                    // A value: it is evaluated once, though it stands twice in what follows.
                    let name = Ident::new("__array", span);
                    indices = Some(quote_spanned!(span=> #[allow(unused_mut)] let mut #name = #tokens;));
                    tokens = quote_spanned!(span=> #name);
                }
                let is_unchecked = self.is_unchecked(*site);
                let CheckedIndex { check, index: value } = if is_unchecked {
                    CheckedIndex { check: None, index: self.expand_expr(index) }
                } else {
                    self.expand_checked_index(base, &tokens, index, (*site, access), place.span)
                };
                let (binding, index) = if self.is_lasting(index) && self.redundancy([*site]) != Redundancy::Always {
                    (None, value)
                } else {
                    let name = format_ident!("__index{}", count, span = span);
                    (Some(quote_spanned!(span=> let #name = #value;)), name.into_token_stream())
                };
                let tokens =
                    if is_unchecked { self.expand_unchecked(true, &tokens, &index, span) } else { quote_spanned!(span=> #tokens[#index]) };
                let statements: Vec<TokenStream> = [indices, check, binding].into_iter().flatten().collect();
                let indices = (!statements.is_empty()).then(|| statements.into_iter().collect());
                Place { indices, tokens, count: count + 1 }
            }
            ExprKind::Element { base, indices, sites } => self.expand_element_place(place, base, indices, sites, access),
            ExprKind::TupleField { base, index } => {
                let Place { indices, tokens, count } = self.expand_place(base, access);
                let index = syn::Index { index: *index as u32, span };
                Place { indices, tokens: quote_spanned!(span=> #tokens.#index), count }
            }
            ExprKind::Field { base, name } => {
                let Place { indices, tokens, count } = self.expand_place(base, access);
                Place { indices, tokens: quote_spanned!(span=> #tokens.#name), count }
            }
            _ => Place { indices: None, tokens: self.expand_operand(place), count: 0 },
        }
    }

    /// `&place` or `&mut place`.
    pub(super) fn expand_borrow(&self, mutable: bool, operand: &Expr, at: Span) -> TokenStream {
        let span = glue(at);
        let access = match mutable {
            // Whether it is read through the reference, nobody sees.
            true => Access::Write,
            false if matches!(operand.ty.innermost(), Type::Atomic(_)) => Access::Atomic,
            false => Access::Read,
        };
        let Place { indices, tokens, count } = self.expand_place(operand, Some(access));
        // Around a variable of the user's, with the user's span, so that rustc takes both for one expression.
        let span = if matches!(operand.kind, ExprKind::Local(_)) { at } else { span };
        let borrow = if mutable { quote_spanned!(span=> &mut #tokens) } else { quote_spanned!(span=> &#tokens) };
        if count == 0 { borrow } else { quote_spanned!(span=> { #indices #borrow }) }
    }

    /// `&base[start..end]` or `&mut base[start..end]`: a handle, as the twin has of each array.
    pub(super) fn expand_subslice(
        &self,
        mutable: bool,
        base: &Expr,
        (start, end): (&Expr, Option<&Expr>),
        site: SiteId,
        span: Span,
    ) -> TokenStream {
        let (runtime, span) = (self.runtime, glue(span));
        let Place { indices, tokens, .. } = self.expand_place(base, None);
        let start = self.expand_own_let(&Ident::new("__start", span), &Type::USIZE, self.expand_expr(start), start.span);
        let array = match (&base.ty, mutable) {
            (Type::Slice { mutable: false, .. }, _) => tokens,
            (_, false) => quote_spanned!(span=> &#tokens),
            (_, true) => quote_spanned!(span=> &mut #tokens),
        };
        let whole = match mutable {
            false => quote_spanned!(span=> #runtime::__private::IntoSliceRef::into_slice_ref(#array)),
            true => quote_spanned!(span=> #runtime::__private::IntoSliceMut::into_slice_mut(#array)),
        };
        let own_end = Ident::new("__end", span);
        let (end, last) = match end {
            Some(end) => (Some(self.expand_own_let(&own_end, &Type::USIZE, self.expand_expr(end), end.span)), None),
            None => {
                let length = self.expand_length(&quote_spanned!(span=> __whole), span);
                (None, Some(quote_spanned!(span=> let #own_end = #length;)))
            }
        };
        let site = expand_site(site);
        // The array is borrowed after the ends have been evaluated, which may read it.
        quote_spanned!(span=> {
            #indices
            #start
            #end
            let __whole = #whole;
            #last
            __thread.part(__whole.part(__start, #own_end), #site)?
        })
    }

    pub(super) fn expand_assign(&self, target: &Target, value: &Expr, span: Span) -> TokenStream {
        let span = glue(span);
        if let Some(sum) = self.expand_tile_assign(value) {
            return sum;
        }
        match target {
            Target::Place(place) if matches!((&place.kind, &place.ty), (ExprKind::Local(_), Type::Tile(_))) => {
                let ExprKind::Local(tile) = place.kind else { unreachable!("it is a variable") };
                let (place, value) = (self.expand_local(tile, place.span), self.expand_expr(value));
                quote_spanned!(span=> #place = #value)
            }
            Target::Place(place) if matches!(place.kind, ExprKind::Local(_)) => {
                let (place, value) = (self.expand_expr(place), self.expand_expr(value));
                quote_spanned!(span=> #place = #value)
            }
            Target::Place(place) if matches!(value.kind, ExprKind::Local(_)) && place.ty.is_scalar() && !place.writes() => {
                let store = self.expand_store(place, self.expand_expr(value));
                in_delimiters(Delimiter::Brace, store, span)
            }
            Target::Place(place) => {
                let own = format_ident!("__value", span = glue(value.span));
                let value = self.expand_own_let(&own, &place.ty, self.expand_expr(value), value.span);
                let store = self.expand_store(place, own.into_token_stream());
                in_delimiters(Delimiter::Brace, [value, store].into_iter().collect(), span)
            }
            Target::Wildcard(_) => {
                let value = self.expand_expr(value);
                quote_spanned!(span=> { let _ = #value; })
            }
            // Like rustc: all values first, then the places from left to right.
            Target::Tuple(..) => {
                let mut stores = TokenStream::new();
                let pattern = self.expand_target(target, &mut 0, &mut stores);
                let value = self.expand_expr(value);
                quote_spanned!(span=> { let #pattern = #value; #stores })
            }
        }
    }

    /// A pattern that takes the values for `target`, and in `stores` the statements that put them where they belong.
    fn expand_target(&self, target: &Target, count: &mut usize, stores: &mut TokenStream) -> TokenStream {
        match target {
            Target::Place(place) => {
                let own = format_ident!("__value{}", *count, span = glue(place.span));
                *count += 1;
                let (span, store) = (glue(place.span), self.expand_store(place, own.to_token_stream()));
                // The indices of each place are its own.
                stores.extend(quote_spanned!(span=> { #store }));
                quote_spanned!(span=> #own)
            }
            Target::Wildcard(span) => quote_spanned!(*span=> _),
            Target::Tuple(targets, span) => {
                let patterns: Vec<_> = targets.iter().map(|target| self.expand_target(target, count, stores)).collect();
                quote_spanned!(glue(*span)=> (#(#patterns,)*))
            }
        }
    }

    fn expand_store(&self, place: &Expr, value: TokenStream) -> TokenStream {
        let Place { indices, tokens, .. } = self.expand_place(place, Some(Access::Write));
        quote_spanned!(glue(place.span)=> #indices #tokens = #value;)
    }
}

/// Whether it is a variable or constant, or a part of one without an index: free to be written twice.
pub(super) fn is_variable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Constant(_) => true,
        ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => is_variable(base),
        _ => false,
    }
}
