//! `#[gpu_device(grad)]` and `#[vectorize(grad)]`: a second copy of the function in which each float is a dual number, and the functions
//! `grad`, `value_and_grad` and `jvp` in the function's module.
//!
//! The copy is the function's own text with other types and literals. It goes through the pipeline as any device function does, and rustc
//! checks its types: a dual number never becomes a plain number without a word, so nothing drops a derivative.

use crate::errors::Errors;
use crate::model::RuntimePath;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};

/// The module with the copy, in the module of a function with a derivative. A call is `path::__gradient::dual(…)`.
const MODULE: &str = "__gradient";

/// Whether the arguments ask for a derivative, and are nothing else.
pub(crate) fn is_asked_for(arguments: &TokenStream) -> bool {
    arguments.to_string() == "grad"
}

/// The expansion of the attribute without `grad`, with the derivative in the module of the function.
pub(crate) fn with_gradient(expansion: TokenStream, item: TokenStream) -> TokenStream {
    let Ok(function) = syn::parse2::<syn::ItemFn>(item) else { return expansion };
    let errors = Errors::new();
    let items = expand_gradient(&function, &errors);
    match errors.check() {
        Ok(()) => insert(expansion, &function.sig.ident, &items.unwrap_or_default()),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#expansion #error)
        }
    }
}

/// `tokens` with `items` at the end of its module `name`.
fn insert(tokens: TokenStream, name: &Ident, items: &TokenStream) -> TokenStream {
    let mut before = [String::new(), String::new()];
    let add = |token: TokenTree| {
        let is_module = before[0] == "mod" && *name == before[1];
        before = [std::mem::take(&mut before[1]), token.to_string()];
        match token {
            TokenTree::Group(group) if is_module && group.delimiter() == Delimiter::Brace => {
                let stream = group.stream();
                TokenTree::Group(Group::new(Delimiter::Brace, quote!(#stream #items)))
            }
            other => other,
        }
    };
    tokens.into_iter().map(add).collect()
}

/// A parameter: what the derivative is by if it is a float, and otherwise a constant.
struct Parameter<'f> {
    name: &'f Ident,
    ty: &'f syn::Type,
    is_float: bool,
}

fn expand_gradient(function: &syn::ItemFn, errors: &Errors) -> Option<TokenStream> {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() || signature.asyncness.is_some() || !matches!(signature.safety, syn::Safety::Default) {
        let message = "only a plain function has a derivative, not a generic, `async` or `unsafe` one\nhelp: write it for `f64` or `f32`";
        errors.push(signature.ident.span(), message);
        return None;
    }
    let float = match &signature.output {
        syn::ReturnType::Type(_, ty) if is_named(ty, &["f32", "f64"]) => ty.to_token_stream().to_string(),
        _ => {
            errors.push(signature.ident.span(), "a function with a derivative returns one number\nhelp: return an `f64` or an `f32`");
            return None;
        }
    };
    let parameters: Vec<_> = signature.inputs.iter().filter_map(|input| read_parameter(input, &float, errors)).collect();
    if parameters.len() < signature.inputs.len() {
        return None;
    }
    if !parameters.iter().any(|parameter| parameter.is_float) {
        errors.push(signature.ident.span(), format!("there is nothing to differentiate by\nhelp: add a parameter of type `{float}`"));
        return None;
    }
    let runtime = RuntimePath::default();
    let dual = format_ident!("Dual{}", &float[1..]);
    let dual = quote!(#runtime::gradient::#dual);
    let copier = Copier { float: &float, dual: &dual, errors };
    let body = copier.copy(function.block.stmts.iter().map(ToTokens::to_token_stream).collect());
    let inputs = copier.copy(signature.inputs.to_token_stream());
    let module = Ident::new(MODULE, Span::call_site());
    let functions = expand_functions(&parameters, &format_ident!("{float}"), &dual, &runtime);
    // Of the user's scope, two modules further out. The copy is alone in its module, so no name of ours hides one of theirs.
    Some(quote! {
        #[doc(hidden)]
        #[allow(warnings, clippy::all, clippy::pedantic)]
        pub mod #module {
            use super::super::*;
            #[#runtime::gpu_device]
            pub fn dual(#inputs) -> #dual { #body }
        }
        #functions
    })
}

fn is_named(ty: &syn::Type, names: &[&str]) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(|name| names.contains(&name.to_string().as_str())))
}

fn read_parameter<'f>(input: &'f syn::FnArg, float: &str, errors: &Errors) -> Option<Parameter<'f>> {
    const CONSTANTS: [&str; 11] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "isize", "usize", "bool"];
    if let syn::FnArg::Typed(input) = input
        && let syn::Pat::Ident(pattern) = &*input.pat
    {
        let is_float = is_named(&input.ty, &[float]);
        if is_float || is_named(&input.ty, &CONSTANTS) {
            return Some(Parameter { name: &pattern.ident, ty: &input.ty, is_float });
        }
    }
    let span = input.to_token_stream().into_iter().next().map_or_else(Span::call_site, |first| first.span());
    let message = format!(
        "a function with a derivative takes numbers: `{float}`, which the derivative is by, and integers and `bool`, which are constants\nhelp: pass the numbers one by one"
    );
    errors.push(span, message);
    None
}

/// `grad`, `value_and_grad` and `jvp`, which are array functions too.
fn expand_functions(parameters: &[Parameter<'_>], float: &Ident, dual: &TokenStream, runtime: &RuntimePath) -> TokenStream {
    let module = Ident::new(MODULE, Span::call_site());
    let clean = |index: usize| format_ident!("x{index}");
    let names: Vec<_> = (0..parameters.len()).map(clean).collect();
    let types: Vec<_> = parameters.iter().map(|parameter| parameter.ty).collect();
    let inputs = quote!(#(#names: #types),*);
    // The arguments of the copy; what moves along the parameter `index`, and how fast.
    let arguments = |tangent: &dyn Fn(usize) -> Option<TokenStream>| -> TokenStream {
        let arguments = parameters.iter().enumerate().map(|(index, parameter)| {
            let name = &names[index];
            match tangent(index) {
                _ if !parameter.is_float => quote!(#name),
                Some(tangent) => quote!(#dual::variable(#name, #tangent)),
                None => quote!(#dual::constant(#name)),
            }
        });
        quote!(#(#arguments),*)
    };
    let floats: Vec<usize> = (0..parameters.len()).filter(|&index| parameters[index].is_float).collect();
    let partials: Vec<_> = floats.iter().map(|index| format_ident!("partial{index}")).collect();
    let calls: Vec<_> = floats
        .iter()
        .zip(&partials)
        .map(|(&by, partial)| {
            let arguments = arguments(&|index| (index == by).then(|| quote!(1.0)));
            quote!(let #partial: #dual = #module::dual(#arguments);)
        })
        .collect();
    let (first, tangents): (&Ident, Vec<_>) = (&partials[0], partials.iter().map(|partial| quote!(#partial.tangent)).collect());
    let together = |parts: &[TokenStream]| match parts {
        [only] => only.clone(),
        _ => quote!((#(#parts),*)),
    };
    let types_of = |count: usize| together(&vec![float.to_token_stream(); count]);
    // An array function makes up to four arrays.
    let attribute = |count: usize| if count <= 4 { quote!(#runtime::vectorize) } else { quote!(#runtime::gpu_device) };
    let gradient = together(&tangents);
    let both = together(&std::iter::once(quote!(#first.value)).chain(tangents.iter().cloned()).collect::<Vec<_>>());
    let (of_one, results, all_results) = (attribute(tangents.len()), types_of(tangents.len()), types_of(tangents.len() + 1));
    let of_all = attribute(tangents.len() + 1);
    let speeds: Vec<_> = floats.iter().map(|index| format_ident!("d{index}")).collect();
    let moving = arguments(&|index| {
        let speed = format_ident!("d{index}");
        Some(quote!(#speed))
    });
    let by = floats.iter().map(|&index| format!("`{}`", parameters[index].name)).collect::<Vec<_>>().join(", ");
    let [of_grad, of_both, of_jvp] = [
        format!("The derivative by {by}."),
        format!("The value, and the derivative by {by}."),
        format!("The value, and its derivative along a direction: how fast {by} move."),
    ];
    // A function has up to eight parameters.
    let jvp = (names.len() + speeds.len() <= 8).then(|| {
        quote_spanned! {Span::mixed_site()=>
            #[doc = #of_jvp]
            #[#runtime::vectorize]
            #[allow(unused, clippy::all, clippy::pedantic)]
            pub fn jvp(#inputs, #(#speeds: #float),*) -> (#float, #float) {
                let along: #dual = #module::dual(#moving);
                (along.value, along.tangent)
            }
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #[doc = #of_grad]
        #[#of_one]
        #[allow(unused, clippy::all, clippy::pedantic)]
        pub fn grad(#inputs) -> #results {
            #(#calls)*
            #gradient
        }

        #[doc = #of_both]
        #[#of_all]
        #[allow(unused, clippy::all, clippy::pedantic)]
        pub fn value_and_grad(#inputs) -> #all_results {
            #(#calls)*
            #both
        }

        #jvp
    }
}

/// Writes the function's text with dual numbers.
struct Copier<'c> {
    /// `f32` or `f64`.
    float: &'c str,
    /// The dual number, as a path.
    dual: &'c TokenStream,
    errors: &'c Errors,
}

impl Copier<'_> {
    fn copy(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut copied: Vec<TokenTree> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &tokens[before]);
            let next = tokens.get(index + 1);
            match token {
                // An attribute.
                TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket && is_punct(before, '#') => copied.push(token.clone()),
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.copy(group.stream()));
                    inner.set_span(group.span());
                    copied.push(inner.into());
                }
                // `pair.0.1` has one too.
                TokenTree::Literal(literal) if is_float(literal) && !is_field(&tokens, index) => {
                    let dual = self.dual;
                    copied.extend(quote_spanned!(literal.span()=> #dual::constant(#literal)));
                }
                TokenTree::Ident(name) => self.copy_name(name, &tokens, index, next, &mut copied),
                _ => copied.push(token.clone()),
            }
        }
        copied.into_iter().collect()
    }

    fn copy_name(&self, name: &Ident, tokens: &[TokenTree], index: usize, next: Option<&TokenTree>, copied: &mut Vec<TokenTree>) {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        let text = name.to_string();
        let is_call = matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
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
        } else if text == self.float && matches!(before, Some(TokenTree::Ident(word)) if word == "as") {
            // A number that does not vary: rustc refuses the conversion of one that does.
            let start = start_of_operand(copied);
            if is_negated(&copied[..start]) {
                self.errors.push(name.span(), "what is negated here, the number or the result?\nhelp: put parentheses around one of them");
            }
            let operand = copied.split_off(start);
            let operand: TokenStream = operand.into_iter().collect();
            copied.extend(quote_spanned!(name.span()=> #dual::constant(#operand #name)));
        } else if text == self.float && !is_punct(next, ':') {
            copied.extend(respanned(dual.clone(), name.span()));
        } else if text == "clamp" && is_call && is_punct(before, '.') {
            copied.push(Ident::new("clamp_between", name.span()).into());
        } else if is_call && is_function(&text) && !is_punct(before, '.') && !is_of_number(tokens, index) {
            let module = Ident::new(MODULE, name.span());
            copied.extend(quote_spanned!(name.span()=> #name::#module::dual));
        } else {
            copied.push(name.clone().into());
        }
    }
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
}

/// `0.1` of `pair.0.1`. In a range, `0..0.5`, there are two points.
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
    let of = |name: &Ident| matches!(name.to_string().as_str(), "f32" | "f64" | "i32" | "i64" | "u32" | "u64" | "usize" | "isize");
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
