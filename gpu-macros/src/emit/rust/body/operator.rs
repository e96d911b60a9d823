//! Operators with the semantics of release-mode Rust, whatever the profile of the user's crate.

use super::super::associated::expand_operator_of;
use super::super::sites::expand_site;
use super::super::tokens::glue;
use super::Body;
use super::place::{Access, is_variable};
use crate::model::*;
use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{format_ident, quote_spanned};

/// How the twin spells an operator.
enum Spelling {
    /// As the user did: nothing can overflow or fail.
    Plain,
    /// The thread's method, which wraps and tells the checker. It works on every type.
    Wrapping(&'static str),
    /// The runtime's function that works on every type, for operands whose type is unknown.
    Generic(&'static str),
    /// The runtime's function that fails at a site.
    Failing(&'static str),
    /// The operator of this name of types that may have operators of their own.
    Overloaded(&'static str),
    /// A comparison of types that may have a `PartialEq`, a `PartialOrd` or an `Ord` of their own.
    Comparison,
}

fn spelling(op: BinaryOp, left: &Expr, right: &Expr) -> Spelling {
    use BinaryOp::*;
    if !op.is_shift() && types_clash(left, right) {
        // rustc refuses it, and says so in terms of the operator.
        return Spelling::Plain;
    }
    if let Some(name) = op.overloaded(left, right) {
        return Spelling::Overloaded(name);
    }
    if op.own_comparison(left, right).is_some() {
        return Spelling::Comparison;
    }
    let is_followed = left.ty.is_followed() || right.ty.is_followed() || op.compares_parts(left, right);
    let name = match op {
        Add => "add",
        Subtract => "sub",
        Multiply => "mul",
        ShiftLeft => "shl",
        ShiftRight => "shr",
        Divide => "div",
        Remainder => "rem",
        BitAnd => "bitand",
        BitOr => "bitor",
        BitXor => "bitxor",
        // Of a type that only rustc sees: it may be no number, and then C has no comparison of it. The operands of these functions have
        // one type: the comparison of a number with another type is a function of the user's, about which nothing is known.
        PartialOrder => return Spelling::Generic("partial_order"),
        TotalOrder => return Spelling::Generic("total_order"),
        Equal if is_followed => "eq",
        NotEqual if is_followed => "ne",
        Less if is_followed => "lt",
        LessEqual if is_followed => "le",
        Greater if is_followed => "gt",
        GreaterEqual if is_followed => "ge",
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => return Spelling::Plain,
    };
    // Neither by zero nor, of the least number, by minus one.
    let is_by_literal = matches!(&right.kind, ExprKind::Int(literal) if literal.value > 0);
    let is_followed_or_integer = left.ty.is_picked_by_c() || left.ty.as_scalar().is_some_and(Scalar::is_integer);
    match op {
        Divide | Remainder if is_by_literal && !left.ty.is_picked_by_c() => Spelling::Plain,
        Divide | Remainder if is_followed_or_integer => Spelling::Failing(name),
        Add | Subtract | Multiply | ShiftLeft | ShiftRight if is_followed_or_integer => Spelling::Wrapping(name),
        // A comparison of a number with another type may be a function of the user's too.
        _ if left.ty.is_picked_by_c() || right.ty.is_picked_by_c() || op.compares_parts(left, right) => Spelling::Generic(name),
        // On a type without the operator, rustc says so.
        _ => Spelling::Plain,
    }
}

/// Whether two operands have no type in common.
fn types_clash(left: &Expr, right: &Expr) -> bool {
    match (&left.ty, &right.ty) {
        (Type::Scalar(left), Type::Scalar(right)) => left != right,
        // A literal that inference could not give the type of the other operand.
        (Type::Scalar(_), Type::Opaque) => matches!(right.kind, ExprKind::Int(_) | ExprKind::Float(_)),
        _ => false,
    }
}

impl Body<'_> {
    pub(super) fn is_plain_binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        matches!(spelling(op, left, right), Spelling::Plain)
    }

    pub(super) fn is_plain_unary(&self, op: UnaryOp, operand: &Expr) -> bool {
        match (&operand.ty, op) {
            // `-128` of an `i8`: a negated `128` would not fit.
            (ty, UnaryOp::Negate) if ty.is_followed() && matches!(operand.kind, ExprKind::Int(_) | ExprKind::Float(_)) => true,
            (ty, _) if ty.is_picked_by_c() => false,
            (Type::Scalar(scalar), UnaryOp::Negate) => !scalar.is_signed_integer() || matches!(operand.kind, ExprKind::Int(_)),
            _ => true,
        }
    }

    pub(super) fn expand_unary(&self, op: UnaryOp, operand: &Expr, at: Span) -> TokenStream {
        let (runtime, span) = (self.runtime, glue(at));
        let plain = self.is_plain_unary(op, operand);
        match (op, plain) {
            (UnaryOp::Negate, true) => {
                // Also `-128i8`, which as a negated `128i8` would not fit.
                let operand = self.expand_operand(operand);
                quote_spanned!(at=> -#operand)
            }
            (UnaryOp::Not, true) => {
                let operand = self.expand_operand(operand);
                quote_spanned!(at=> !#operand)
            }
            (_, false) if op.overloaded(operand).is_some() => {
                let name = expand_operator_of(runtime, op.trait_name(), [operand.by_reference, false]);
                let operand = self.expand_expr(operand);
                let path = quote_spanned!(span=> #runtime::__private::ops::unary_operator::<#name, _>);
                let call = expand_call(path, quote_spanned!(span=> __thread, #operand), at);
                quote_spanned!(span=> #call?)
            }
            (UnaryOp::Negate, false) => self.expand_watched("neg", &[self.expand_expr(operand)], at),
            (UnaryOp::Not, false) => {
                let operand = self.expand_expr(operand);
                quote_spanned!(span=> #runtime::__private::ops::not(#operand))
            }
        }
    }

    pub(super) fn expand_binary(&self, op: BinaryOp, left: &Expr, right: &Expr, site: Option<SiteId>, whole: &Expr) -> TokenStream {
        let mut first = self.expand_operand(left);
        // A comparison borrows its operands, and no reference to an element may last while other threads run.
        if op.is_comparison() && right.suspends() {
            first = quote_spanned!(glue(left.span)=> ({ #first }));
        }
        let mut second = self.expand_operand(right);
        if op.is_comparison() {
            // Inside parentheses with the user's span, rustc's lints know a comparison of the user's, such as `thread_idx().x < 0`.
            let is_literal = |operand: &Expr| matches!(operand.kind, ExprKind::Int(_));
            if is_literal(right) && !matches!(left.kind, ExprKind::Local(_)) {
                first = quote_spanned!(left.span=> (#first));
            } else if is_literal(left) && !matches!(right.kind, ExprKind::Local(_)) {
                second = quote_spanned!(right.span=> (#second));
            }
        }
        self.expand_operator(op, [left, right], first, second, site, whole)
    }

    /// `left op right` of operands that are atomic, as the value of `whole`.
    fn expand_operator(
        &self,
        op: BinaryOp,
        operands: [&Expr; 2],
        left: TokenStream,
        right: TokenStream,
        site: Option<SiteId>,
        whole: &Expr,
    ) -> TokenStream {
        let (runtime, span) = (self.runtime, glue(whole.span));
        match (spelling(op, operands[0], operands[1]), site) {
            (Spelling::Wrapping(name), _) => self.expand_watched(name, &[left, right], whole.operator),
            (Spelling::Generic(name), _) => {
                let (name, runtime) = (Ident::new(name, span), runtime.located_at(whole.span));
                quote_spanned!(span=> #runtime::__private::ops::#name(#left, #right))
            }
            (Spelling::Overloaded(name), site) => {
                let op = expand_operator_of(runtime, name, operands.map(|operand| operand.by_reference));
                let function = Ident::new(overloaded_function(operands, &whole.ty), span);
                let site = expand_optional_site(site, span);
                let path = quote_spanned!(span=> #runtime::__private::ops::#function::<#op, _, _>);
                let call = expand_call(path, quote_spanned!(span=> __thread, #left, #right, #site), whole.operator);
                quote_spanned!(span=> #call?)
            }
            (Spelling::Comparison, _) => {
                let method = Ident::new(compared_by(op), span);
                // A variant of a generic enum does not tell which instance it is of.
                let is_variant = |operand: &Expr| matches!(&operand.kind, ExprKind::Constant(path) if enum_of_variant(path).is_some());
                let are_alike = operands.iter().any(|operand| is_variant(operand)) && operands[0].ty == operands[1].ty;
                let comparing = Ident::new(if are_alike { "comparing_alike" } else { "comparing" }, span);
                quote_spanned! {span=> ({
                    #[allow(unused_imports)]
                    use #runtime::__private::ops::{EqualParts as _, OrderParts as _};
                    #runtime::__private::ops::#comparing(__thread, #left, #right).#method()?
                })}
            }
            (Spelling::Failing(name), Some(site)) => {
                let (name, site) = (Ident::new(name, span), expand_site(site));
                quote_spanned!(span=> #runtime::__private::ops::#name(__thread, #left, #right, #site)?)
            }
            (Spelling::Plain | Spelling::Failing(_), _) => {
                // With the user's span, rustc's lints know an operator of the user's.
                [left, expand_symbol(op, whole.operator), right].into_iter().collect()
            }
        }
    }

    /// An operation that the checker watches for overflow, as a method of the thread.
    pub(super) fn expand_watched(&self, name: &str, operands: &[TokenStream], at: Span) -> TokenStream {
        let (thread, name) = (quote_spanned!(glue(at)=> __thread), Ident::new(name, at));
        // With the user's span, as that of the whole call, rustc takes this place for that of the caller. It would take the attribute's for
        // our span.
        let operands = quote_spanned!(at=> (#(#operands),*));
        quote_spanned!(glue(at)=> #thread.#name #operands)
    }

    /// `place op= value`: like Rust for numbers, the value first, then the place.
    pub(super) fn expand_compound_assign(
        &self,
        op: BinaryOp,
        place: &Expr,
        value: &Expr,
        site: Option<SiteId>,
        whole: &Expr,
    ) -> TokenStream {
        let span = glue(whole.span);
        let own = format_ident!("__value", span = glue(value.span));
        // A literal that is combined with a complex number is a real number.
        let ty = if value.ty.is_followed() && value.is_constant_operand() { &Type::Opaque } else { &value.ty };
        let binding = self.expand_own_let(&own, ty, self.expand_expr(value), value.span);
        let target = self.expand_place(place, Some(Access::Update));
        let (indices, tokens) = (target.indices, target.tokens);
        let spelling = spelling(op, place, value);
        if matches!(spelling, Spelling::Plain) && is_variable(place) {
            let (op, value) = (expand_compound_symbol(op, whole.operator), self.expand_operand(value));
            return quote_spanned!(span=> #tokens #op #value);
        }
        if let Spelling::Overloaded(name) = spelling {
            let (runtime, site) = (self.runtime, expand_optional_site(site, span));
            let op = expand_operator_of(runtime, name, [false, value.by_reference]);
            // The user's span, as in `expand_watched`.
            let assign = Ident::new("assign", whole.operator);
            let arguments = quote_spanned!(span=> __thread, #site);
            let arguments = quote_spanned!(whole.operator=> (#arguments));
            return quote_spanned! {span=> {
                #[allow(unused_imports)]
                use #runtime::__private::ops::{AssignResult as _, NotDeclared as _};
                #binding
                #indices
                #runtime::__private::ops::assignment::<#op, _, _>(&mut #tokens, #own).declared().#assign #arguments?;
            }};
        }
        let result = self.expand_operator(op, [place, value], tokens.clone(), quote_spanned!(span=> #own), site, whole);
        quote_spanned!(span=> { #binding #indices #tokens = #result; })
    }
}

/// The method of the runtime's `Comparing` for a comparison.
fn compared_by(op: BinaryOp) -> &'static str {
    use BinaryOp::*;
    match op {
        Less => "less",
        LessEqual => "less_equal",
        Greater => "greater",
        GreaterEqual => "greater_equal",
        PartialOrder => "partial_order",
        TotalOrder => "total_order",
        NotEqual => "not_equal",
        _ => "equal",
    }
}

/// A call of a function, whose caller is the user's code at `at`, as in `expand_watched`.
fn expand_call(path: TokenStream, arguments: TokenStream, at: Span) -> TokenStream {
    let at_user = |mut token: TokenTree| {
        token.set_span(at);
        token
    };
    let (path, arguments) = (path.into_iter().map(at_user).collect::<TokenStream>(), quote_spanned!(at=> (#arguments)));
    quote_spanned!(at=> #path #arguments)
}

pub(super) fn expand_optional_site(site: Option<SiteId>, span: Span) -> TokenStream {
    match site.map(expand_site) {
        Some(site) => quote_spanned!(span=> ::core::option::Option::Some(#site)),
        None => quote_spanned!(span=> ::core::option::Option::None),
    }
}

/// The runtime's function for an operator that may be a user's, with a result of type `ty`: inference assumed which operand has its type.
fn overloaded_function([left, right]: [&Expr; 2], ty: &Type) -> &'static str {
    if matches!(ty, Type::Operation(_)) || *ty == Type::Unit {
        "operator"
    } else if left.is_constant_operand() || left.ty.as_scalar().is_some() || (*ty == right.ty && *ty != left.ty) {
        "operator_like_right"
    } else {
        "operator_like_left"
    }
}

/// `+=` for `+`.
fn expand_compound_symbol(op: BinaryOp, span: Span) -> TokenStream {
    let at = |mut symbol: Punct| {
        symbol.set_span(span);
        TokenTree::Punct(symbol)
    };
    let joined = expand_symbol(op, span).into_iter().map(|token| match token {
        TokenTree::Punct(symbol) => at(Punct::new(symbol.as_char(), Spacing::Joint)),
        other => other,
    });
    joined.chain([at(Punct::new('=', Spacing::Alone))]).collect()
}

pub(super) fn expand_symbol(op: BinaryOp, span: Span) -> TokenStream {
    use BinaryOp::*;
    match op {
        Add => quote_spanned!(span=> +),
        Subtract => quote_spanned!(span=> -),
        Multiply => quote_spanned!(span=> *),
        Divide => quote_spanned!(span=> /),
        Remainder => quote_spanned!(span=> %),
        BitAnd => quote_spanned!(span=> &),
        BitOr => quote_spanned!(span=> |),
        BitXor => quote_spanned!(span=> ^),
        ShiftLeft => quote_spanned!(span=> <<),
        ShiftRight => quote_spanned!(span=> >>),
        Equal => quote_spanned!(span=> ==),
        NotEqual => quote_spanned!(span=> !=),
        Less => quote_spanned!(span=> <),
        LessEqual => quote_spanned!(span=> <=),
        Greater => quote_spanned!(span=> >),
        GreaterEqual => quote_spanned!(span=> >=),
        PartialOrder | TotalOrder => unreachable!("it is a call"),
    }
}
