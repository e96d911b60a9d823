//! The body of a kernel with a parameter of its own for each field: `b.x[i]` becomes `b_x[i]`, also in the arguments of macros.
//!
//! Tokens have no scopes. So the name of the parameter is only used with a field after it: another variable of this name is an error.

use super::fields::FieldType;
use super::param_name;
use crate::errors::Errors;
use crate::idents::{word, words_of};
use crate::model::{Method, StructureField};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// The operators that assign.
const ASSIGNMENTS: [&str; 10] = ["+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<<=", ">>="];

pub(super) struct Body<'e> {
    structs: Vec<Struct>,
    /// Every name of the kernel.
    words: Vec<String>,
    errors: &'e Errors,
}

struct Struct {
    name: Ident,
    is_mutable: bool,
    fields: Vec<(Ident, FieldType)>,
    /// The fields that the body uses, in the order of their first use.
    used: Vec<Used>,
}

/// A field that the body uses.
pub(super) struct Used {
    /// The parameter in its place.
    param: Ident,
    field: Ident,
    ty: FieldType,
    /// The body may change elements.
    is_written: bool,
}

impl Used {
    /// An error where what the user has written for a type, or for an argument of one, is none.
    pub(super) fn expand_param(&self) -> syn::Result<syn::FnArg> {
        let (name, ty) = (&self.param, self.ty.expand(self.is_written, self.param.span()));
        syn::parse2(quote_spanned!(Span::mixed_site()=> #name: #ty))
    }

    /// The field of `structure` that the launcher passes.
    pub(super) fn expand_field(&self, structure: &Ident) -> StructureField {
        let field = &self.field;
        let value = match (&self.ty, self.is_written) {
            (FieldType::Value(_), _) => quote_spanned!(Span::mixed_site()=> #structure.#field),
            (_, true) => quote_spanned!(Span::mixed_site()=> &mut #structure.#field),
            (_, false) => quote_spanned!(Span::mixed_site()=> &#structure.#field),
        };
        StructureField { name: word(field), value }
    }
}

impl<'e> Body<'e> {
    pub(super) fn new(function: &syn::ItemFn, errors: &'e Errors) -> Self {
        Body { structs: Vec::new(), words: words_of(function.to_token_stream()), errors }
    }

    pub(super) fn add(&mut self, name: Ident, is_mutable: bool, fields: Vec<(Ident, FieldType)>) {
        self.structs.push(Struct { name, is_mutable, fields, used: Vec::new() });
    }

    /// The fields that the body uses of the struct of this name.
    pub(super) fn used(&self, name: &Ident) -> Option<&[Used]> {
        self.structs.iter().find(|known| known.name == *name).map(|known| known.used.as_slice())
    }

    /// Whether it has fields: with wrong type arguments, it has none.
    pub(super) fn is_known(&self, name: &Ident) -> bool {
        self.structs.iter().any(|known| known.name == *name && !known.fields.is_empty())
    }

    pub(super) fn forget_uses(&mut self) {
        self.structs.iter_mut().for_each(|known| known.used.clear());
    }

    pub(super) fn rewrite(&mut self, tokens: TokenStream) -> TokenStream {
        self.rewrite_all(tokens, false)
    }

    /// In what is assigned to, `is_target`, all elements are changed.
    fn rewrite_all(&mut self, tokens: TokenStream, is_target: bool) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut written, mut at) = (Vec::with_capacity(tokens.len()), 0);
        while let Some(token) = tokens.get(at) {
            let (before, rest) = (&tokens[..at], &tokens[at + 1..]);
            at += 1;
            match token {
                TokenTree::Group(group) => {
                    let is_changed = is_target || assigns(rest) || is_behind_mut(before);
                    let inner = self.rewrite_all(group.stream(), is_changed && !is_index(group, before));
                    let mut group = Group::new(group.delimiter(), inner);
                    group.set_span(token.span());
                    written.push(TokenTree::Group(group));
                }
                TokenTree::Ident(name) if !is_member_or_lifetime(before) => match self.structs.iter().position(|known| known.name == *name)
                {
                    Some(number) => {
                        let param = self.rewrite_use(number, name, rest, is_target || is_behind_mut(before));
                        at += if param.is_some() { 2 } else { 0 };
                        if self.is_whole_array(number, rest) {
                            drop_borrow(&mut written);
                        }
                        written.push(TokenTree::Ident(param.unwrap_or_else(|| name.clone())));
                    }
                    None => written.push(token.clone()),
                },
                other => written.push(other.clone()),
            }
        }
        written.into_iter().collect()
    }

    /// Whether the struct's name and these tokens are an array, and not an element or a method of it.
    fn is_whole_array(&self, number: usize, rest: &[TokenTree]) -> bool {
        let [_, TokenTree::Ident(field), behind @ ..] = rest else { return false };
        let is_part = match behind.first() {
            Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Bracket,
            Some(TokenTree::Punct(mark)) => mark.as_char() == '.',
            _ => false,
        };
        let is_array = |(name, ty): &(Ident, FieldType)| name == field && !matches!(ty, FieldType::Value(_));
        !is_part && self.structs[number].fields.iter().any(is_array)
    }

    /// The parameter for the field at the beginning of `rest`, in which the struct's name is followed by it.
    fn rewrite_use(&mut self, number: usize, name: &Ident, rest: &[TokenTree], is_target: bool) -> Option<Ident> {
        let known = &mut self.structs[number];
        let [TokenTree::Punct(dot), TokenTree::Ident(field), behind @ ..] = rest else {
            self.errors.push_invalid(name.span(), unused_as_a_whole(known));
            return None;
        };
        let found = known.fields.iter().find(|(declared, _)| dot.as_char() == '.' && declared == field);
        let Some((_, ty)) = found else {
            let message = if dot.as_char() == '.' { no_such_field(known, field) } else { unused_as_a_whole(known) };
            self.errors.push_invalid(name.span(), message);
            return None;
        };
        let refusal = refuse_write(name, field, ty, known.is_mutable, is_target, behind);
        let is_written =
            refusal.is_none() && matches!(ty, FieldType::Array(_)) && known.is_mutable && (is_target || use_of(behind) != Use::Read);
        if let Some(message) = refusal {
            self.errors.push_invalid(field.span(), message);
        }
        let position = known.used.iter().position(|used| used.field == *field).unwrap_or_else(|| {
            let param = param_name(name, field, &self.words);
            self.words.push(param.to_string());
            known.used.push(Used { param, field: field.clone(), ty: ty.clone(), is_written: false });
            known.used.len() - 1
        });
        let used = &mut known.used[position];
        used.is_written |= is_written;
        let mut param = used.param.clone();
        param.set_span(field.span().resolved_at(name.span()));
        Some(param)
    }
}

/// Why the kernel may not write the field as it does. `behind` is what follows the field.
fn refuse_write(name: &Ident, field: &Ident, ty: &FieldType, is_mutable: bool, is_target: bool, behind: &[TokenTree]) -> Option<String> {
    let is_assigned = is_target || use_of(behind) == Use::Assigned;
    match ty {
        FieldType::SharedArray(_) if is_assigned => {
            Some(format!("`{name}.{field}` is a `DeviceSlice`, which cannot be changed\nhelp: make it a `DeviceSliceMut`"))
        }
        FieldType::Array(_) if is_assigned && !is_mutable => {
            Some(format!("`{name}` is a shared reference, so `{name}.{field}` cannot be changed\nhelp: declare `{name}` as `&mut`"))
        }
        FieldType::Value(_) if is_target || assigns(behind) => Some(format!(
            "a kernel gets a copy of `{name}.{field}` and cannot change it\nhelp: copy it into a variable, or write results into an array"
        )),
        _ => None,
    }
}

fn unused_as_a_whole(known: &Struct) -> String {
    let name = &known.name;
    let example = known.fields.first().map_or_else(String::new, |(field, _)| format!(", such as `{name}.{field}`"));
    format!(
        "a kernel uses the struct `{name}` by its fields only{example}\nhelp: pass the fields to functions one by one, and give other variables another name"
    )
}

fn no_such_field(known: &Struct, field: &Ident) -> String {
    let fields: Vec<String> = known.fields.iter().map(|(field, _)| format!("`{field}`")).collect();
    format!("`{}` has no field `{field}`\nhelp: its fields are {}", known.name, fields.join(", "))
}

/// Whether the token after these is the `b` of `a.b` or `'b`, and not that of `..b`.
fn is_member_or_lifetime(before: &[TokenTree]) -> bool {
    let mark = |back: usize| match before.len().checked_sub(back).map(|at| &before[at]) {
        Some(TokenTree::Punct(mark)) => Some(mark.as_char()),
        _ => None,
    };
    mark(1) == Some('\'') || mark(1) == Some('.') && mark(2) != Some('.')
}

/// Removes `&` and `&mut` from the end: an array in a struct is borrowed, and a parameter is a slice.
fn drop_borrow(written: &mut Vec<TokenTree>) {
    let is_borrow = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == '&');
    let at = written.len() - usize::from(is_behind_mut(written));
    if is_borrow(at.checked_sub(1).and_then(|last| written.get(last))) {
        written.truncate(at - 1);
    }
}

/// Whether it is the `[…]` of an element, which is only read. In `[a, b] = …`, it is an array of what is assigned to.
fn is_index(group: &Group, before: &[TokenTree]) -> bool {
    group.delimiter() == Delimiter::Bracket && matches!(before.last(), Some(TokenTree::Ident(_) | TokenTree::Group(_)))
}

fn is_behind_mut(before: &[TokenTree]) -> bool {
    matches!(before.last(), Some(TokenTree::Ident(word)) if word == "mut")
}

/// Whether tokens begin with `=`, `+=` and so on.
fn assigns(tokens: &[TokenTree]) -> bool {
    let marks: String =
        tokens.iter().map_while(|token| if let TokenTree::Punct(mark) = token { Some(mark.as_char()) } else { None }).collect();
    let is_equation = marks.starts_with("==") || marks.starts_with("=>");
    marks.starts_with('=') && !is_equation || ASSIGNMENTS.iter().any(|operator| marks.starts_with(operator))
}

/// What happens to an array.
#[derive(PartialEq)]
enum Use {
    /// It is certainly only read: `[i] + …`, `[i].sqrt()`, `.len()`.
    Read,
    /// `[i] = …`
    Assigned,
    /// Anything else counts as written where the field can be, which costs no more than the read-only cache.
    Unknown,
}

/// What happens to an array with these tokens behind it.
fn use_of(mut tokens: &[TokenTree]) -> Use {
    let mut is_element = false;
    loop {
        match tokens {
            [TokenTree::Group(index), rest @ ..] if index.delimiter() == Delimiter::Bracket => (tokens, is_element) = (rest, true),
            [TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(arguments), ..]
                if dot.as_char() == '.' && arguments.delimiter() == Delimiter::Parenthesis =>
            {
                let method = word(method);
                let is_read =
                    ["len", "is_empty", "iter"].contains(&method.as_str()) || is_element && Method::all().any(|known| known.name == method);
                return if is_read { Use::Read } else { Use::Unknown };
            }
            [TokenTree::Punct(dot), TokenTree::Ident(_), rest @ ..] if is_element && dot.as_char() == '.' => tokens = rest,
            _ if !is_element => return Use::Unknown,
            _ if assigns(tokens) => return Use::Assigned,
            _ => return Use::Read,
        }
    }
}
