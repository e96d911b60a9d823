//! Blocks and statements.

use super::super::tokens::{expand_type, glue, in_delimiters};
use super::Body;
use super::operator::expand_symbol;
use crate::model::*;
use proc_macro2::{Delimiter, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Token;

impl Body<'_> {
    /// `{ statements; value }`
    pub(super) fn expand_block(&self, block: &Block) -> TokenStream {
        let stmts = block.stmts.iter().map(|stmt| self.expand_stmt(stmt));
        let value = block.value.as_ref().map(|value| self.expand_expr(value));
        // `collect` moves streams, and `quote!` copies them: for each copy, a macro asks the compiler several times.
        let contents: TokenStream = stmts.chain(value).collect();
        let contents = in_delimiters(Delimiter::Brace, contents, glue(block.span));
        if block.is_unsafe { quote_spanned!(block.span=> unsafe #contents) } else { contents }
    }

    fn expand_stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Let(binding) => self.expand_let(binding),
            Stmt::Expr(expr) => {
                let tokens = self.expand_expr(expr);
                let mut tokens = match unused_operator(expr) {
                    Some(unused) => quote_spanned!(glue(expr.span)=> if false { #unused; } let _ = #tokens),
                    None => tokens,
                };
                Token![;](glue(expr.span)).to_tokens(&mut tokens);
                tokens
            }
        }
    }

    fn expand_let(&self, binding: &Let) -> TokenStream {
        let span = glue(binding.span);
        let pattern = self.expand_let_pattern(&binding.pattern);
        let ty = binding.tokens.clone().or_else(|| self.pattern_type(&binding.pattern));
        let colon = ty.as_ref().map(|_| Token![:](span));
        let equals = binding.init.as_ref().map(|_| Token![=](span));
        let init = binding.init.as_ref().map(|init| {
            let init = self.expand_expr(init);
            // Before `else`, a value must not end in a brace.
            if binding.otherwise.is_some() { in_delimiters(Delimiter::Parenthesis, init, span) } else { init }
        });
        let otherwise = binding.otherwise.as_ref().map(|otherwise| {
            let block = self.expand_block(otherwise);
            quote_spanned!(span=> else #block)
        });
        // Where an `else` is missing, rustc proposes it behind the end.
        let end = Token![;](glue(binding.end));
        quote_spanned!(span=> let #pattern #colon #ty #equals #init #otherwise #end)
    }

    /// A variable where it is declared.
    pub(super) fn expand_binding(&self, id: LocalId) -> TokenStream {
        let local = self.function.local(id);
        let Local { name, mutable, mut_token, ty, .. } = local;
        if local.is_reference() {
            return quote_spanned!(name.span()=> #name);
        }
        // The handle of a shared array changes nothing itself.
        let is_handle = matches!(ty, Type::Shared(_) | Type::Slice { .. });
        let mutability = match mut_token {
            // With the user's tokens, rustc's lints know a variable of the user's.
            Some(at) if !is_handle => Some(quote_spanned!(*at=> mut)),
            _ => mutable.then(|| quote_spanned!(glue(name.span())=> mut)),
        };
        quote_spanned!(name.span()=> #mutability #name)
    }

    /// `let name: type = value;` for one of our own variables.
    pub(super) fn expand_own_let(&self, name: &proc_macro2::Ident, ty: &Type, value: TokenStream, span: Span) -> TokenStream {
        let ty = expand_type(ty, span);
        let colon = ty.as_ref().map(|_| Token![:](glue(span)));
        quote_spanned!(glue(span)=> let #name #colon #ty = #value;)
    }
}

/// For an operator whose value nothing uses: the same operator, of literals at the places of the operands, which is never evaluated. rustc
/// warns about it there, and in terms of the operator; in the twin, operators are calls.
fn unused_operator(expr: &Expr) -> Option<TokenStream> {
    let one = |span: Span| {
        let mut literal = Literal::i32_suffixed(1);
        literal.set_span(span);
        literal
    };
    match &expr.kind {
        ExprKind::Binary { op, left, right, .. } if !matches!(op, BinaryOp::PartialOrder | BinaryOp::TotalOrder) => {
            let (left, op, right) = (one(left.span), expand_symbol(*op, expr.operator), one(right.span));
            Some(quote!(#left #op #right))
        }
        ExprKind::Unary { op, operand } => {
            let operand = one(operand.span);
            Some(match op {
                UnaryOp::Negate => quote_spanned!(expr.span=> -#operand),
                UnaryOp::Not => quote_spanned!(expr.span=> !#operand),
            })
        }
        _ => None,
    }
}
