//! Types as the user wrote them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The type of a parameter in the user's tokens, which stands in generated Rust and in messages.
pub(crate) struct WrittenType {
    pub(crate) tokens: TokenStream,
    pub(crate) parts: WrittenParts,
}

/// The parts of it that stand alone.
pub(crate) enum WrittenParts {
    /// `&[T]` or `&mut [T]`.
    Slice { element: TokenStream },
    /// `View<T, N>`: what is before a lifetime, `View<`, and behind it, `T, N>`.
    View { element: TokenStream, before: TokenStream, behind: TokenStream },
    /// `impl Fn(f32) -> f32`
    ImplFn,
    /// Anything else.
    Whole,
}

impl WrittenType {
    /// `T` of a slice or view.
    pub(crate) fn element(&self) -> Option<&TokenStream> {
        match &self.parts {
            WrittenParts::Slice { element } | WrittenParts::View { element, .. } => Some(element),
            WrittenParts::ImplFn | WrittenParts::Whole => None,
        }
    }

    /// Of a view, `View<'_, T, N>` with this lifetime.
    pub(crate) fn view(&self, lifetime: &syn::Lifetime) -> Option<TokenStream> {
        match &self.parts {
            WrittenParts::View { before, behind, .. } => Some(quote!(#before #lifetime, #behind)),
            WrittenParts::Slice { .. } | WrittenParts::ImplFn | WrittenParts::Whole => None,
        }
    }

    pub(crate) fn is_impl_fn(&self) -> bool {
        matches!(self.parts, WrittenParts::ImplFn)
    }
}

impl ToTokens for WrittenType {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}
