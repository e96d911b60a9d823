//! The copy of a function's text with dual numbers.

use super::inward::outward;
use super::{MODULE, NUMBERS, Order, STEPS, message_of_step};
use crate::errors::Errors;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;

/// Writes the function's text with dual numbers.
pub(super) struct Copier<'c> {
    /// `f32` or `f64`.
    pub(super) float: &'c str,
    /// Of which derivatives the copy is.
    pub(super) order: Order,
    /// The dual number, as a path.
    pub(super) dual: &'c TokenStream,
    /// The variables of the body: a call of one means no function of that name.
    pub(super) variables: Vec<String>,
    /// Whether it is in the argument of `stop_gradient`.
    pub(super) is_stopped: bool,
    pub(super) errors: &'c Errors,
}

impl Copier<'_> {
    pub(super) fn copy(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut copied: Vec<TokenTree> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => self.copy_group(group, &tokens, index, &mut copied),
                TokenTree::Literal(literal) if is_float(literal) && !is_field(&tokens, index) => {
                    self.refuse_pattern(&tokens, index);
                    let dual = self.dual;
                    copied.extend(quote_spanned!(literal.span()=> #dual::constant(#literal)));
                }
                TokenTree::Ident(name) => self.copy_name(name, &tokens, index, &mut copied),
                _ => copied.push(token.clone()),
            }
        }
        copied.into_iter().collect()
    }

    fn copy_group(&self, group: &Group, tokens: &[TokenTree], index: usize, copied: &mut Vec<TokenTree>) {
        // An attribute.
        if group.delimiter() == Delimiter::Bracket && is_punct(before(tokens, index), '#') {
            return copied.push(group.clone().into());
        }
        let is_stopped = self.is_stopped || is_word(before(tokens, index), "stop_gradient");
        let inner = Copier { is_stopped, variables: self.variables.clone(), ..*self }.copy(group.stream());
        let mut inner = Group::new(group.delimiter(), inner);
        inner.set_span(group.span());
        // `f64::from(n)` does not vary: rustc refuses it with what does.
        if is_word(before(tokens, index), "from") && self.is_of_float(tokens, index - 1) && !is_word(tokens.get(index + 1), "as") {
            let function: TokenStream = copied.split_off(copied.len() - 4).into_iter().collect();
            let dual = self.dual;
            copied.extend(quote_spanned!(group.span()=> #dual::constant(#function #inner)));
        } else {
            copied.push(inner.into());
        }
    }

    fn copy_name(&self, name: &Ident, tokens: &[TokenTree], index: usize, copied: &mut Vec<TokenTree>) {
        let next = tokens.get(index + 1);
        let text = name.to_string();
        let is_call = matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let is_method = is_punct(before(tokens, index), '.');
        let is_macro = is_punct(next, '!') && matches!(tokens.get(index + 2), Some(TokenTree::Group(_)));
        let dual = self.dual;
        if is_macro && !matches!(text.as_str(), "return" | "break" | "if" | "while" | "match" | "in") {
            self.errors
                .push(name.span(), format!("the derivative of the macro `{text}!` is not supported\nhelp: remove it, or call a function"));
        } else if matches!(
            text.as_str(),
            "const" | "static" | "fn" | "unsafe" | "async" | "struct" | "enum" | "impl" | "use" | "mod" | "type"
        ) {
            self.errors
                .push(name.span(), format!("`{text}` in a function with a derivative is not supported\nhelp: move it out of the function"));
        } else if text == self.float && is_word(before(tokens, index), "as") {
            // A number that does not vary: the attribute refuses the conversion of one that does.
            let start = start_of_operand(copied);
            if is_negated(&copied[..start]) {
                self.errors.push(name.span(), "what is negated here, the number or the result?\nhelp: put parentheses around one of them");
            }
            let operand: TokenStream = copied.split_off(start).into_iter().collect();
            copied.extend(quote_spanned!(name.span()=> #dual::constant(#operand #name)));
        } else if text == self.float && !is_punct(next, ':') {
            copied.extend(respanned(dual.clone(), name.span()));
        } else if self.is_constant(&text, tokens, index) {
            self.refuse_pattern(tokens, index);
            let path: TokenStream = copied.split_off(start_of_path(copied)).into_iter().collect();
            copied.extend(quote_spanned!(name.span()=> #dual::constant(#path #name)));
        } else if let Some(outward) = outward(tokens, index) {
            copied.extend(outward);
        } else if !is_call {
            copied.push(name.clone().into());
        } else if STEPS.contains(&text.as_str()) && !self.is_stopped {
            self.errors.push(name.span(), message_of_step(&text));
        } else if text == "total_cmp" {
            let message = "the derivative of `total_cmp` is not supported\nhelp: compare with `<` and `==`, or with `partial_cmp`";
            self.errors.push(name.span(), message);
        } else if let ("clamp" | "rem_euclid", true, false) = (text.as_str(), is_method, next.is_some_and(is_of_integers)) {
            // Kernels check their arguments, so no type can have a method of that name.
            copied.push(Ident::new(&format!("{text}_of_float"), name.span()).into());
        } else if is_method || !is_function(&text) || self.variables.contains(&text) || is_of_number(tokens, index) {
            copied.push(name.clone().into());
        } else {
            let module = Ident::new(MODULE, name.span());
            let name_of_copy = match (self.order, is_word(tokens.get(index + 2), "as")) {
                (Order::First, _) if text != "stop_gradient" => "dual".to_owned(),
                (Order::Second, _) if text != "stop_gradient" => "second".to_owned(),
                (Order::First, true) => format!("number_of_{}", self.float),
                (Order::First, false) => format!("dual_of_{}", self.float),
                (Order::Second, true) => format!("second_number_of_{}", self.float),
                (Order::Second, false) => format!("second_of_{}", self.float),
            };
            let copy = Ident::new(&name_of_copy, Span::call_site());
            copied.extend(quote_spanned!(name.span()=> #name::#module::#copy));
        }
    }

    /// Refuses the float or constant at `index` as the end of the pattern of an arm.
    fn refuse_pattern(&self, tokens: &[TokenTree], index: usize) {
        let is_end = is_punct(tokens.get(index + 1), '=') && is_punct(tokens.get(index + 2), '>');
        let is_separator = |token: &TokenTree| {
            is_punct(Some(token), ',') || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
        };
        let has_guard = || tokens[..index].iter().rev().take_while(|token| !is_separator(token)).any(|token| is_word(Some(token), "if"));
        if is_end && !has_guard() {
            self.errors.push(
                tokens[index].span(),
                "a float in a pattern is not supported in a function with a derivative\nhelp: compare in an `if`, or in a guard, `x if x == 0.0 => …`",
            );
        }
    }

    /// Whether it is a constant that is a float by its path, `f64::MAX` or `consts::PI`, or by the type of the variable that takes it.
    fn is_constant(&self, name: &str, tokens: &[TokenTree], index: usize) -> bool {
        let is_name = name.starts_with(char::is_uppercase) && !name.contains(char::is_lowercase);
        let (next, is_path) = (tokens.get(index + 1), is_punct(before(tokens, index), ':'));
        if !is_name || is_punct(next, ':') || matches!(next, Some(TokenTree::Group(_))) || is_word(next, "as") {
            return false;
        }
        let is_of_consts = is_path && index >= 3 && is_word(Some(&tokens[index - 3]), "consts");
        let is_of_other = is_of_consts && index >= 6 && is_punct(Some(&tokens[index - 4]), ':') && !self.is_of_float(tokens, index - 3);
        let start = start_of_path(&tokens[..index]);
        let is_bound = start >= 3
            && is_punct(Some(&tokens[start - 1]), '=')
            && is_word(Some(&tokens[start - 2]), self.float)
            && is_punct(Some(&tokens[start - 3]), ':')
            && is_punct(next, ';');
        is_bound || is_of_consts && !is_of_other || is_path && self.is_of_float(tokens, index)
    }

    /// Whether `f64::` is before the name.
    fn is_of_float(&self, tokens: &[TokenTree], name: usize) -> bool {
        name >= 3 && is_punct(Some(&tokens[name - 1]), ':') && is_word(Some(&tokens[name - 3]), self.float)
    }
}

/// The variables that `let` declares in the body.
pub(super) fn variables(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found.extend(variables(group.stream())),
            TokenTree::Ident(name) if ["let", "mut"].iter().any(|word| is_word(before(&tokens, index), word)) => {
                found.push(name.to_string());
            }
            _ => {}
        }
    }
    found
}

fn before(tokens: &[TokenTree], index: usize) -> Option<&TokenTree> {
    index.checked_sub(1).map(|before| &tokens[before])
}

fn is_word(token: Option<&TokenTree>, expected: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(name)) if name == expected)
}

/// Whether one of the arguments is an integer literal: then all of them are integers.
fn is_of_integers(arguments: &TokenTree) -> bool {
    let is_integer = |token| matches!(token, TokenTree::Literal(literal) if matches!(syn::Lit::new(literal.clone()), syn::Lit::Int(_)));
    matches!(arguments, TokenTree::Group(group) if group.stream().into_iter().any(is_integer))
}

/// Where the path at the end, `std::f64::`, begins.
fn start_of_path(tokens: &[TokenTree]) -> usize {
    let mut start = tokens.len();
    while start >= 2 && is_punct(Some(&tokens[start - 1]), ':') && is_punct(Some(&tokens[start - 2]), ':') {
        start -= 2;
        if start > 0 && matches!(tokens[start - 1], TokenTree::Ident(_)) {
            start -= 1;
        }
    }
    start
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
}

/// `0.1` of `pair.0.1` is no float. In a range, `0..0.5`, there are two points.
fn is_field(tokens: &[TokenTree], index: usize) -> bool {
    let point = |back: usize| is_punct(index.checked_sub(back).map(|before| &tokens[before]), '.');
    point(1) && !point(2)
}

fn is_float(literal: &proc_macro2::Literal) -> bool {
    matches!(syn::Lit::new(literal.clone()), syn::Lit::Float(_))
}

/// Whether a name in front of parentheses is that of a function, and neither a keyword nor a variant such as `Some`.
fn is_function(name: &str) -> bool {
    const KEYWORDS: [&str; 13] = ["if", "while", "match", "return", "for", "in", "else", "as", "let", "mut", "loop", "move", "break"];
    !KEYWORDS.contains(&name) && !name.starts_with(char::is_uppercase)
}

/// `from` of `f64::from`: rustc checks what it is called with.
fn is_of_number(tokens: &[TokenTree], index: usize) -> bool {
    let of = |name: &Ident| NUMBERS.contains(&name.to_string().as_str()) || name == "f32" || name == "f64";
    index >= 3 && is_punct(Some(&tokens[index - 1]), ':') && matches!(&tokens[index - 3], TokenTree::Ident(name) if of(name))
}

/// Where the operand of the `as` at the end begins: a name, literal or group with the fields, calls and indices after it.
fn start_of_operand(tokens: &[TokenTree]) -> usize {
    let mut start = tokens.len().saturating_sub(2);
    while start > 0 {
        let is_chained = match (&tokens[start - 1], &tokens[start]) {
            (TokenTree::Punct(point), _) if matches!(point.as_char(), '.' | ':' | '?') => true,
            (_, TokenTree::Punct(point)) if matches!(point.as_char(), '.' | ':' | '?') => true,
            (TokenTree::Ident(name), TokenTree::Group(group)) => group.delimiter() != Delimiter::Brace && is_function(&name.to_string()),
            (TokenTree::Group(before), TokenTree::Group(group)) => {
                before.delimiter() != Delimiter::Brace && group.delimiter() != Delimiter::Brace
            }
            // `n as u32 as f64`
            (TokenTree::Ident(word), TokenTree::Ident(_)) | (_, TokenTree::Ident(word)) if word == "as" => true,
            _ => false,
        };
        if !is_chained {
            break;
        }
        start -= 1;
    }
    start
}

/// Whether `-` without a left operand is at the end: it binds more tightly than `as`.
fn is_negated(tokens: &[TokenTree]) -> bool {
    let has_left = match tokens.len().checked_sub(2).map(|before| &tokens[before]) {
        Some(TokenTree::Ident(name)) => is_function(&name.to_string()) || name.to_string().starts_with(char::is_uppercase),
        Some(TokenTree::Punct(_)) | None => false,
        Some(_) => true,
    };
    is_punct(tokens.last(), '-') && !has_left
}

fn respanned(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |mut token: TokenTree| {
        token.set_span(token.span().located_at(span));
        token
    };
    tokens.into_iter().map(at).collect()
}
