//! Blocks, statements and patterns.

use super::super::tokens::{expand_type, glue};
use super::Body;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    /// `{ statements; value }`
    pub(super) fn expand_block(&self, block: &Block) -> TokenStream {
        let stmts = block.stmts.iter().map(|stmt| self.expand_stmt(stmt));
        let value = block.value.as_ref().map(|value| self.expand_expr(value));
        let unsafety = block.is_unsafe.then(|| quote_spanned!(block.span=> unsafe));
        quote_spanned!(glue(block.span)=> #unsafety { #(#stmts)* #value })
    }

    fn expand_stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Let(binding) => self.expand_let(binding),
            Stmt::Expr(expr) => {
                let tokens = self.expand_expr(expr);
                quote_spanned!(glue(expr.span)=> #tokens;)
            }
        }
    }

    fn expand_let(&self, binding: &Let) -> TokenStream {
        let span = glue(binding.span);
        let pattern = self.expand_pattern(&binding.pattern);
        let ty = match &binding.tokens {
            Some(tokens) => Some(quote_spanned!(span=> : #tokens)),
            None => self.pattern_type(&binding.pattern).map(|ty| quote_spanned!(span=> : #ty)),
        };
        let init = binding.init.as_ref().map(|init| {
            let init = self.expand_expr(init);
            quote_spanned!(span=> = #init)
        });
        quote_spanned!(span=> let #pattern #ty #init;)
    }

    fn expand_pattern(&self, pattern: &Pattern) -> TokenStream {
        match pattern {
            Pattern::Wildcard(span) => quote_spanned!(*span=> _),
            Pattern::Bind(id) => self.expand_binding(*id),
            Pattern::Tuple(elements, span) => {
                let elements = elements.iter().map(|element| self.expand_pattern(element));
                quote_spanned!(glue(*span)=> (#(#elements,)*))
            }
        }
    }

    /// A variable where it is declared.
    pub(super) fn expand_binding(&self, id: LocalId) -> TokenStream {
        let Local { name, mutable, .. } = self.function.local(id);
        if *mutable { quote_spanned!(glue(name.span())=> mut #name) } else { quote_spanned!(name.span()=> #name) }
    }

    /// The inferred type of a pattern, for rustc to confirm. `None` if a variable's type is not known in full.
    fn pattern_type(&self, pattern: &Pattern) -> Option<TokenStream> {
        match pattern {
            Pattern::Wildcard(span) => Some(quote_spanned!(glue(*span)=> _)),
            Pattern::Bind(id) => {
                let Local { name, ty, .. } = self.function.local(*id);
                expand_type(ty, name.span())
            }
            Pattern::Tuple(elements, span) => {
                let elements = elements.iter().map(|element| self.pattern_type(element)).collect::<Option<Vec<_>>>()?;
                Some(quote_spanned!(glue(*span)=> (#(#elements,)*)))
            }
        }
    }

    /// `let name: type = value;` for one of our own variables.
    pub(super) fn expand_own_let(&self, name: &proc_macro2::Ident, ty: &Type, value: TokenStream, span: Span) -> TokenStream {
        let ty = expand_type(ty, span).map(|ty| quote_spanned!(glue(span)=> : #ty));
        quote_spanned!(glue(span)=> let #name #ty = #value;)
    }
}
