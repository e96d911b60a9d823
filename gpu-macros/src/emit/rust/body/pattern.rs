//! Patterns, `match`, and `let` in conditions. They stay as the user wrote them, so that rustc checks whether they cover every value, and
//! reports unreachable patterns.

use super::super::tokens::{expand_std_variant, expand_type, glue, in_delimiters};
use super::Body;
use crate::model::*;
use proc_macro2::{Delimiter, Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    /// A pattern that not every value may match.
    pub(super) fn expand_pattern(&self, pattern: &Pattern) -> TokenStream {
        self.expand_with(pattern, true)
    }

    /// The pattern of a `let`: its names are variables, or rustc refuses them.
    pub(super) fn expand_let_pattern(&self, pattern: &Pattern) -> TokenStream {
        self.expand_nested(pattern, !matches!(pattern.kind, PatternKind::Bind { sub: None, .. } | PatternKind::Tuple(_)))
    }

    fn expand_with(&self, pattern: &Pattern, binds: bool) -> TokenStream {
        let span = glue(pattern.span);
        match &pattern.kind {
            PatternKind::Refused => unreachable!("what was refused is not emitted"),
            PatternKind::Wildcard => quote_spanned!(pattern.span=> _),
            PatternKind::Bind { local, sub: None } if !binds => self.expand_binding(*local),
            // A plain name would be compared with, if there is a constant of that name.
            PatternKind::Bind { local, sub: None } => {
                let name = self.expand_binding(*local);
                quote_spanned!(span=> #name @ _)
            }
            PatternKind::Bind { local, sub: Some(sub) } => {
                let (name, sub) = (self.expand_binding(*local), self.expand_nested(sub, binds));
                quote_spanned!(span=> #name @ #sub)
            }
            PatternKind::Value(value) => self.expand_pattern_value(value),
            PatternKind::Range { start, end, inclusive } => {
                let expand = |end: &Option<Box<Expr>>| end.as_ref().map(|end| self.expand_pattern_value(end));
                let (start, end) = (expand(start), expand(end));
                if *inclusive { quote_spanned!(span=> #start..=#end) } else { quote_spanned!(span=> #start..#end) }
            }
            PatternKind::Or(alternatives) => {
                let alternatives = alternatives.iter().map(|alternative| self.expand_nested(alternative, binds));
                quote_spanned!(span=> #(#alternatives)|*)
            }
            PatternKind::Tuple(sequence) => {
                let parts = self.expand_sequence(sequence, pattern.span, binds);
                quote_spanned!(glue(pattern.end)=> (#(#parts,)*))
            }
            PatternKind::Array(sequence) => {
                let parts = self.expand_sequence(sequence, pattern.span, binds);
                quote_spanned!(span=> [#(#parts),*])
            }
            PatternKind::Struct(parts) => self.expand_struct_pattern(parts, glue(pattern.end)),
            PatternKind::Variant { variant, part } => {
                let variant = expand_std_variant(*variant, pattern.span);
                let part = part.as_ref().map(|part| self.expand_with(part, binds));
                let part = part.map(|part| quote_spanned!(glue(pattern.end)=> (#part)));
                quote_spanned!(span=> #variant #part)
            }
        }
    }

    fn expand_struct_pattern(&self, pattern: &StructPattern, span: Span) -> TokenStream {
        let StructPattern { constructor, fields, rest, positional } = pattern;
        let path = &constructor.path;
        let parts = fields.iter().map(|(member, part)| {
            let part = self.expand_nested(part, true);
            if *positional {
                return part;
            }
            quote_spanned!(span=> #member: #part)
        });
        let rest = rest.then(|| quote_spanned!(span=> ..));
        let parts = parts.chain(rest);
        if *positional { quote_spanned!(span=> #path(#(#parts),*)) } else { quote_spanned!(span=> #path { #(#parts),* }) }
    }

    /// A pattern inside another, in parentheses where `|` or `..` would take in more.
    fn expand_nested(&self, pattern: &Pattern, binds: bool) -> TokenStream {
        let tokens = self.expand_with(pattern, binds);
        match pattern.kind {
            PatternKind::Or(_) | PatternKind::Range { .. } => quote_spanned!(glue(pattern.span)=> (#tokens)),
            _ => tokens,
        }
    }

    fn expand_sequence(&self, sequence: &Sequence, span: Span, binds: bool) -> Vec<TokenStream> {
        let mut parts: Vec<_> = sequence.parts.iter().map(|part| self.expand_nested(part, binds)).collect();
        if let Some(before) = sequence.rest {
            parts.insert(before, quote_spanned!(glue(span)=> ..));
        }
        parts
    }

    /// The inferred type of the pattern of a `let`, for rustc to confirm. `None` if a variable's type is not known in full.
    pub(super) fn pattern_type(&self, pattern: &Pattern) -> Option<TokenStream> {
        match &pattern.kind {
            PatternKind::Wildcard => Some(quote_spanned!(glue(pattern.span)=> _)),
            PatternKind::Bind { local, .. } => {
                let Local { name, ty, holds, .. } = self.function.local(*local);
                let ty = expand_type(ty, name.span())?;
                Some(match holds {
                    Holds::Value => ty,
                    Holds::Shared => quote_spanned!(glue(name.span())=> &#ty),
                    Holds::Mutable => quote_spanned!(glue(name.span())=> &mut #ty),
                })
            }
            PatternKind::Tuple(Sequence { parts, rest: None }) => {
                let parts = parts.iter().map(|part| self.pattern_type(part)).collect::<Option<Vec<_>>>()?;
                Some(quote_spanned!(glue(pattern.span)=> (#(#parts,)*)))
            }
            _ => expand_type(&pattern.ty, pattern.span),
        }
    }

    pub(super) fn expand_match(&self, scrutinee: &Expr, arms: &[Arm], at: Span) -> TokenStream {
        let span = glue(at);
        let mut scrutinee = self.expand_expr(scrutinee);
        if arms.iter().filter_map(|arm| arm.guard.as_ref()).any(Expr::suspends) {
            // The value before the first pattern, not that of a place to which others may write in the meantime.
            scrutinee = quote_spanned!(span=> { #scrutinee });
        }
        let arms = arms.iter().map(|arm| {
            let (pattern, mut body) = (self.expand_pattern(&arm.pattern), self.expand_expr(&arm.body));
            // rustc joins spans of one kind only: the first token of other patterns is the user's.
            if let (Some(end), PatternKind::Variant { .. }) = (arm.end, &arm.pattern.kind) {
                body = in_delimiters(Delimiter::Parenthesis, body, glue(end));
            }
            let guard = arm.guard.as_ref().map(|guard| {
                let guard = self.expand_expr(guard);
                quote_spanned!(span=> if (#guard))
            });
            quote_spanned!(span=> #pattern #guard => #body,)
        });
        quote_spanned!(span=> match (#scrutinee) { #(#arms)* })
    }

    /// The condition of `if` or `while`.
    pub(super) fn expand_condition(&self, condition: &Expr) -> TokenStream {
        if condition.binds() {
            return self.expand_conjunction(condition);
        }
        let tokens = self.expand_expr(condition);
        quote_spanned!(glue(condition.span)=> (#tokens))
    }

    fn expand_conjunction(&self, condition: &Expr) -> TokenStream {
        let span = glue(condition.span);
        match &condition.kind {
            ExprKind::Let { pattern, value } => {
                let (pattern, value) = (self.expand_pattern(pattern), self.expand_expr(value));
                quote_spanned!(span=> let #pattern = (#value))
            }
            ExprKind::Logical { op: LogicalOp::And, left, right } if condition.binds() => {
                let (left, right) = (self.expand_conjunction(left), self.expand_conjunction(right));
                quote_spanned!(span=> #left && #right)
            }
            _ => self.expand_operand(condition),
        }
    }
}
