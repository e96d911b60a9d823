//! `const` items in a body.

use super::Scalar;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

/// One of them. Written out, it is the user's item.
pub(crate) struct Constant {
    pub(crate) name: Ident,
    /// The user's tokens for the whole item.
    pub(crate) item: TokenStream,
    /// Of a literal that is there under any configuration: its type and value.
    pub(crate) literal: Option<(Scalar, u64)>,
}

/// A constant outside of the function that it names, and the number that it is taken for: what the text around shows. Generated code asserts
/// it, where a proof relies on it.
#[derive(Debug, Clone)]
pub(crate) struct NamedNumber {
    pub(crate) name: Ident,
    pub(crate) number: u64,
}

impl ToTokens for Constant {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.item.to_tokens(tokens);
    }
}
