//! `ptx!(…)`.

use super::Lowerer;
use crate::model::*;
use proc_macro2::Span;
use syn::Token;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;

/// The contents of the parentheses.
struct Invocation {
    template: syn::LitStr,
    outputs: Vec<syn::Type>,
    inputs: Vec<syn::Expr>,
    is_pure: bool,
    alternative: Option<syn::Block>,
}

impl Parse for Invocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let template = input.parse()?;
        let mut invocation = Invocation { template, outputs: Vec::new(), inputs: Vec::new(), is_pure: false, alternative: None };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            invocation.parse_part(input)?;
        }
        Ok(invocation)
    }
}

impl Invocation {
    fn parse_part(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if let Some(alternative) = &self.alternative {
            return Err(syn::Error::new(alternative.span(), "`else { … }` must come last in `ptx!`"));
        }
        if input.peek(Token![else]) {
            input.parse::<Token![else]>()?;
            self.alternative = Some(input.parse()?);
            return Ok(());
        }
        let inner;
        if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            syn::parenthesized!(inner in input);
            self.inputs.push(inner.parse()?);
        } else {
            let name: syn::Ident = input.parse()?;
            syn::parenthesized!(inner in input);
            match name.to_string().as_str() {
                "out" if self.inputs.is_empty() => self.outputs.push(inner.parse()?),
                "out" => {
                    return Err(syn::Error::new(
                        name.span(),
                        "outputs must come before inputs in `ptx!`\nhelp: move this `out(…)` to the front, and number the operands anew",
                    ));
                }
                "options" if inner.parse::<syn::Ident>()? == "pure" => self.is_pure = true,
                "options" => return Err(syn::Error::new(name.span(), "the only option of `ptx!` is `options(pure)`")),
                other => {
                    return Err(syn::Error::new(
                        name.span(),
                        format!("expected `out(type)`, `in(value)`, `options(pure)` or `else {{ … }}`, found `{other}`"),
                    ));
                }
            }
        }
        if inner.is_empty() { Ok(()) } else { Err(inner.error("expected `)`")) }
    }
}

impl Lowerer<'_> {
    pub(super) fn lower_assembly(&mut self, call: &syn::Macro) -> Expr {
        let span = call.span();
        let invocation = match call.parse_body::<Invocation>() {
            Ok(invocation) => invocation,
            Err(error) => return self.refuse_invalid(error.span(), error),
        };
        let Invocation { template, outputs, inputs, is_pure, alternative } = invocation;
        if self.unsafe_depth == 0 {
            return self.refuse_invalid(span, "PTX is not checked, so `ptx!` needs an `unsafe` block\nhelp: write `unsafe { ptx!(…) }`");
        }
        let Some(alternative) = alternative else {
            return self.refuse_invalid(
                span,
                "this `ptx!` has no alternative for the CPU\nhelp: end with Rust code that computes the same, such as `else { a + b }`",
            );
        };
        if is_pure && outputs.is_empty() {
            return self.refuse_invalid(span, "`pure` PTX without an output has no effect\nhelp: remove `options(pure)`");
        }
        let Some(outputs) = outputs.iter().map(|ty| self.lower_register(ty)).collect::<Option<Vec<_>>>() else {
            return self.refused(span);
        };
        let Some(pieces) = self.lower_template(&template, outputs.len() + inputs.len()) else { return self.refused(span) };
        let inputs = inputs.iter().map(|input| self.lower_expr(input)).collect();
        let alternative = self.lower_block(&alternative);
        self.check_alternative(&alternative);
        let assembly = Assembly { template: pieces, outputs, inputs, is_pure, alternative };
        self.expr(ExprKind::Assembly(Box::new(assembly)), span)
    }

    /// The type of an output.
    fn lower_register(&mut self, ty: &syn::Type) -> Option<Scalar> {
        let scalar = match self.lower_type(ty)? {
            Type::Scalar(scalar) if has_register(scalar) => scalar,
            _ => {
                self.errors.push_invalid(ty.span(), NO_REGISTER);
                return None;
            }
        };
        Some(scalar)
    }

    fn lower_template(&mut self, template: &syn::LitStr, operands: usize) -> Option<Vec<TemplatePiece>> {
        match split_template(&template.value(), operands) {
            Ok(pieces) => Some(pieces),
            Err(message) => {
                self.errors.push_invalid(template.span(), message);
                None
            }
        }
    }

    /// The alternative for a CPU must behave like PTX: it cannot jump out and cannot wait for other threads.
    fn check_alternative(&mut self, alternative: &Block) {
        let mut found = None;
        alternative.for_each_child(&mut |expr| found = found.or_else(|| find_jump(expr)));
        if let Some(span) = found {
            self.errors
                .push_invalid(span, "the alternative of `ptx!` can only compute a value\nhelp: move jumps and barriers after the `ptx!`");
        }
    }
}

fn find_jump(expr: &Expr) -> Option<Span> {
    let action = expr.action();
    let jumps_or_waits = matches!(action, Action::Jump) || action.suspends();
    if jumps_or_waits {
        return Some(expr.span);
    }
    let mut found = None;
    expr.for_each_child(&mut |child| found = found.or_else(|| find_jump(child)));
    found
}

/// Text and operands: `{}` is the next operand, `{0}` an operand by its number, `{{` and `}}` are braces.
fn split_template(template: &str, operands: usize) -> Result<Vec<TemplatePiece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut next = 0;
    let mut used = vec![false; operands];
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some((name, after)) = rest.split_once('}').filter(|_| brace == "{") else {
            return Err(format!("unmatched `{brace}`\nhelp: write PTX's own braces as `{{{{` and `}}}}`"));
        };
        rest = after;
        let operand = match name.trim() {
            "" => {
                next += 1;
                next - 1
            }
            number => {
                number.parse().map_err(|_| format!("`{{{number}}}` is not an operand\nhelp: write `{{}}`, or the number of an operand, `{{0}}`; write PTX's own braces as `{{{{` and `}}}}`"))?
            }
        };
        match used.get_mut(operand) {
            Some(used) => *used = true,
            None => {
                return Err(format!(
                    "the text uses operand {operand}, but the number of operands is {operands}, counted from 0, outputs first\nhelp: append the operand, `in(value)` or `out(type)`, or correct its number"
                ));
            }
        }
        pieces.push(TemplatePiece::Text(std::mem::take(&mut text)));
        pieces.push(TemplatePiece::Operand(operand));
    }
    text.push_str(rest);
    pieces.push(TemplatePiece::Text(text));
    match used.iter().position(|used| !used) {
        Some(unused) => Err(format!("operand {unused} is not in the text\nhelp: write `{{{unused}}}` where it belongs, or remove it")),
        None => Ok(pieces),
    }
}
