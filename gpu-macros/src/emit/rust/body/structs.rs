//! Structs in the twin: as the user wrote them.

use super::super::associated::with_traits_of_std;
use super::super::method::twin_name;
use super::super::tokens::{expand_or_stop, expand_std_variant, expand_type, glue};
use super::Body;
use super::place::{Access, Place};
use crate::model::*;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote_spanned};

impl Body<'_> {
    pub(super) fn expand_field(&self, base: &Expr, name: &proc_macro2::Ident, span: Span) -> TokenStream {
        let base = self.expand_operand(base);
        quote_spanned!(glue(span)=> #base.#name)
    }

    pub(super) fn expand_struct(
        &self,
        constructor: &Constructor,
        fields: &[(Member, Expr)],
        base: Option<&Expr>,
        positional: bool,
        at: Span,
    ) -> TokenStream {
        let (span, path) = (glue(at), &constructor.path);
        let values = fields.iter().map(|(_, value)| self.expand_expr(value));
        let members = fields.iter().map(|(member, _)| member);
        if positional {
            // Neither with braces nor as a pattern can a function of that name stand here.
            let made = quote_spanned!(span=> __made);
            return quote_spanned! {span=> {
                let #made = #path { #(#members: #values),* };
                #[allow(unreachable_patterns)]
                match #made {
                    #path(..) => {}
                    _ => {}
                }
                #made
            }};
        }
        let base = base.map(|base| {
            let base = self.expand_expr(base);
            quote_spanned!(span=> ..#base)
        });
        quote_spanned!(span=> #path { #(#members: #values,)* #base })
    }

    /// `Some(value)`, with the types that inference found for what the variant does not have.
    pub(super) fn expand_std_variant(&self, variant: StdVariant, value: Option<&Expr>, whole: &Expr) -> TokenStream {
        let (span, path) = (glue(whole.span), expand_std_variant(variant, whole.span));
        let value = value.map(|value| {
            let value = self.expand_expr(value);
            quote_spanned!(span=> (#value))
        });
        let arguments = match &whole.ty {
            Type::Std(_, arguments) if variant != StdVariant::Some => arguments.as_slice(),
            _ => return quote_spanned!(span=> #path #value),
        };
        let arguments = arguments.iter().map(|argument| match argument {
            Type::Unit => quote_spanned!(span=> ()),
            known => expand_type(known, whole.span).unwrap_or_else(|| quote_spanned!(span=> _)),
        });
        quote_spanned!(span=> #path::<#(#arguments),*> #value)
    }

    /// The length of `array`, whose type the macro does not know: rustc refuses it if it is not an array.
    pub(super) fn expand_array_length(&self, array: &TokenStream, span: Span) -> TokenStream {
        let runtime = self.runtime;
        quote_spanned!(glue(span)=> #runtime::__private::array_length(&#array))
    }

    /// A method of a number whose type the macro does not know: the runtime's trait that has it, for rustc to find the type.
    pub(super) fn expand_followed_method(
        &self,
        method: Method,
        name: &proc_macro2::Ident,
        receiver: &TokenStream,
        args: &[TokenStream],
        at: Span,
    ) -> TokenStream {
        let (runtime, span) = (self.runtime, glue(at));
        match method.receiver {
            Receiver::Array => {
                let length = self.expand_array_length(receiver, at);
                if method == Method::Len { length } else { quote_spanned!(span=> (#length == 0)) }
            }
            Receiver::Float if method.of_complex => {
                quote_spanned!(span=> #runtime::__private::Elementary::#name(#receiver, #(#args),*))
            }
            Receiver::Float => quote_spanned!(span=> #runtime::Float::#name(#receiver, #(#args),*)),
            Receiver::Integer => quote_spanned!(span=> #runtime::Integer::#name(#receiver, #(#args),*)),
            Receiver::SignedNumber => quote_spanned!(span=> #runtime::Signed::#name(#receiver, #(#args),*)),
            Receiver::Number | Receiver::Unsigned | Receiver::Signed => {
                quote_spanned!(span=> #runtime::__private::Ordered::#name(#receiver, #(#args),*))
            }
        }
    }

    /// A call of a function of a type, as its twin. Rust borrows the receiver as the method asks; the arguments come before
    /// that, and after the indices of the receiver. What a method takes by value is copied before the arguments.
    pub(super) fn expand_associated(
        &self,
        path: Option<&FunctionPath>,
        receiver: Option<&Expr>,
        name: &proc_macro2::Ident,
        args: &[Expr],
        at: Span,
    ) -> TokenStream {
        let (span, twin) = (glue(at), twin_name(name));
        let expanded = args.iter().map(|arg| match arg.kind {
            ExprKind::Closure(_) => at_user(self.expand_argument(arg), arg.span),
            _ => self.expand_argument(arg),
        });
        let Some(receiver) = receiver else {
            let function = path.map(|path| path.renamed(twin));
            let call = expand_or_stop(&quote_spanned!(span=> #function(#(#expanded,)* __thread)), at);
            return with_traits_of_std(self.runtime, name, call);
        };
        let Place { indices, tokens, count } = self.expand_place(receiver, Some(Access::Read));
        let change = self.function.receiver_change(receiver, args);
        let is_in_place = match change {
            ReceiverChange::No => false,
            ReceiverChange::BehindReference => true,
            ReceiverChange::ByName => !self.can_be_lent(receiver),
        };
        if count == 0 || is_in_place {
            let call = expand_or_stop(&quote_spanned!(span=> #tokens.#twin(#(#expanded,)* __thread)), at);
            return if count == 0 { call } else { quote_spanned!(span=> { #indices #call }) };
        }
        // What runs nothing stays where rustc sees what it is for.
        let mut bindings = TokenStream::new();
        let passed = args.iter().zip(expanded).enumerate().map(|(index, (arg, value))| {
            if let ExprKind::Closure(_) | ExprKind::FunctionItem { .. } | ExprKind::Int(_) | ExprKind::Float(_) = arg.kind {
                return value;
            }
            let name = format_ident!("__value{index}", span = glue(arg.span));
            bindings.extend(quote_spanned!(span=> let #name = #value;));
            name.into_token_stream()
        });
        let passed: Vec<TokenStream> = passed.collect();
        let (before, receiver) = match change {
            ReceiverChange::ByName => {
                let (runtime, before) = (self.runtime, format_ident!("__before", span = span));
                let both = quote_spanned!(span=> (*#runtime::__private::ops::Receiver { before: #before, place: &mut #tokens }));
                (Some(quote_spanned!(span=> let #before = #tokens;)), both)
            }
            ReceiverChange::BehindReference | ReceiverChange::No => (None, tokens),
        };
        let call = expand_or_stop(&quote_spanned!(span=> #receiver.#twin(#(#passed,)* __thread)), at);
        quote_spanned!(span=> { #indices #before #bindings #call })
    }

    /// Whether a part of a variable can be borrowed mutably, though the method may not need that: no reference to another part has a name,
    /// and the user's `Index` has not borrowed it.
    fn can_be_lent(&self, place: &Expr) -> bool {
        let root = self.function.root_of(place);
        let is_named_part = |local: usize| {
            let init = self.function.body.initial_value(LocalId(local)).filter(|_| self.function.locals[local].is_reference());
            matches!(init.map(|init| &init.kind), Some(ExprKind::Borrow { operand, .. }) if self.function.root_of(operand) == root)
        };
        !self.function.goes_through_own_index(place) && !(0..self.function.locals.len()).any(is_named_part)
    }
}

/// A closure as an argument of a method, whose ends are where the user's begins. As the name of a method is the user's too, rustc would
/// show the attribute in place of what is generated.
fn at_user(closure: TokenStream, span: Span) -> TokenStream {
    let mut tokens: Vec<TokenTree> = closure.into_iter().collect();
    if let Some(first) = tokens.first_mut() {
        first.set_span(span);
    }
    if let Some(last) = tokens.last_mut() {
        last.set_span(span);
    }
    tokens.into_iter().collect()
}
