//! The attributes: what each stands on, and what replaces it, or keeps the rest of the program compiling after an error.

use crate::cfg_combinations::{conditions_inside, expand_configurations};
use crate::device_type::{User, report_undeclared_types};
use crate::duplicates::is_second;
use crate::editor;
use crate::emit::rust::{expand_fallback, expand_function};
use crate::errors::Errors;
use crate::gradient;
use crate::host_tool::is_editor;
use crate::lower::{
    name_impl_traits, parse_device_options, parse_generalized_options, parse_kernel_options, parse_reduce_options, parse_vectorize_options,
    without_unroll,
};
use crate::methods::expand_impl;
use crate::model::{Function, FunctionKind, Item, RuntimePath};
use crate::pattern_parameters::name_patterns;
use crate::pipeline::{Compiled, asserting, compile, make_outer, with_errors};
use crate::source_scope::Surroundings;
use crate::struct_parameters::{hand_over, separate_fields, take_fields};
use crate::syntax::{in_expressions, replace_self_of};
use crate::traits::expand_trait;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};

/// `#[gpu_kernel(arguments)] item`.
pub(crate) fn expand_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let written = arguments;
    let (mut fields, arguments) = take_fields(written.clone());
    let (mut grad, arguments) = gradient::take_grad(arguments);
    let errors = Errors::new();
    let (mut options, runtime, foreign) = parse_kernel_options(arguments.clone(), &errors);
    let item = if foreign.is_some() { with_body(item) } else { item };
    let mut function = match read_function(&item, || quote!(#runtime::gpu_kernel(#written)), &errors) {
        Read::Function(function) => *function,
        other => return other.expand(errors, item),
    };
    if foreign.is_none()
        && let Some(handed_over) = hand_over(&function, &mut fields, &written, &runtime, &errors)
    {
        // The second expansion reports them.
        drop(errors.check());
        return handed_over;
    }
    let structures = separate_fields(&mut function, fields, &errors);
    if let Some(structure) = structures.first()
        && let Some(at) = grad.take()
    {
        let message =
            format!("a kernel with a struct of arrays has no gradient\nhelp: take each array of `{}` as a parameter", structure.name);
        errors.push(at, message);
    }
    let owner = Surroundings::of(&function.sig.ident).owner();
    let is_in_impl = owner.is_some();
    if let Some(owner) = owner {
        function = of_type(function, &owner, &errors);
        if let Some(named) = without_self(arguments.clone(), &owner) {
            let reported = Errors::new();
            options = parse_kernel_options(named, &reported).0;
            drop(reported.check());
        }
    }
    let undeclared = match is_in_impl {
        true => TokenStream::new(),
        false => report_undeclared_types(&User::Function(&function), &runtime),
    };
    let expansion = expand_free(
        Item { foreign, structures, is_in_impl, ..Item::free(&function, FunctionKind::Kernel(options), runtime) },
        item,
        errors,
    );
    let expansion = if grad.is_some() { gradient::with_adjoint(expansion, &function, arguments, is_in_impl) } else { expansion };
    quote!(#expansion #undeclared)
}

/// A kernel in an `impl`: its body becomes that of other functions, where `Self` has no meaning.
pub(crate) fn of_type(function: syn::ItemFn, owner: &syn::ItemImpl, errors: &Errors) -> syn::ItemFn {
    if let Some((path, _)) = &owner.trait_ {
        let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let message = format!(
            "a kernel cannot be a function of the trait `{name}`, whose signature it would not have\nhelp: move it into an `impl` without a trait"
        );
        errors.push(function.sig.ident.span(), message);
    }
    let named = without_self(function.to_token_stream(), owner);
    named.and_then(|named| syn::parse2(named).ok()).unwrap_or(function)
}

/// Code in an `impl` with the name of its type for `Self`, if the type has a name.
fn without_self(code: TokenStream, owner: &syn::ItemImpl) -> Option<TokenStream> {
    match &*owner.self_ty {
        syn::Type::Path(ty) if owner.generics.params.is_empty() => Some(replace_self_of(code, &in_expressions(&ty.path).to_token_stream())),
        _ => None,
    }
}

/// `#[gpu_device(arguments)] item`.
pub(crate) fn expand_device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(asked) = gradient::parse_asked(&arguments) {
        return gradient::with_gradient(asked, expand_device(TokenStream::new(), item.clone()), item, false);
    }
    let errors = Errors::new();
    let (runtime, foreign) = parse_device_options(arguments.clone(), &errors);
    if foreign.is_none()
        && let Ok(block) = syn::parse2::<syn::ItemImpl>(item.clone())
    {
        if is_editor() {
            return written(item, errors);
        }
        let undeclared = report_undeclared_types(&User::Impl(&block), &runtime);
        let expansion = asserting(&runtime, expand_impl(block, &runtime, errors));
        return quote!(#expansion #undeclared);
    }
    if foreign.is_none()
        && let Ok(declaration) = syn::parse2::<syn::ItemTrait>(item.clone())
    {
        if is_editor() {
            return written(item, errors);
        }
        let undeclared = report_undeclared_types(&User::Trait(&declaration), &runtime);
        let expansion = asserting(&runtime, expand_trait(declaration, &runtime, errors));
        return quote!(#expansion #undeclared);
    }
    let mut function = match read_function(&item, || quote!(#runtime::gpu_device(#arguments)), &errors) {
        Read::Function(function) => *function,
        other => return other.expand(errors, item),
    };
    name_impl_traits(&mut function);
    name_patterns(&mut function.sig, &mut function.block);
    let undeclared = report_undeclared_types(&User::Function(&function), &runtime);
    let expansion = expand_free(Item { foreign, ..Item::free(&function, FunctionKind::Device, runtime) }, item, errors);
    quote!(#expansion #undeclared)
}

/// `#[vectorize(arguments)] item`.
pub(crate) fn expand_vectorize(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(asked) = gradient::parse_asked(&arguments) {
        return gradient::with_gradient(asked, expand_vectorize(TokenStream::new(), item.clone()), item, true);
    }
    let errors = Errors::new();
    let (options, runtime) = parse_vectorize_options(arguments.clone(), &errors);
    let attribute = quote!(#runtime::vectorize(#arguments));
    expand(&attribute, item, FunctionKind::Array(options), runtime, errors)
}

/// `#[reduce(arguments)] item`.
pub(crate) fn expand_reduce(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (options, runtime) = parse_reduce_options(arguments.clone(), &errors);
    let attribute = quote!(#runtime::reduce(#arguments));
    expand(&attribute, item, FunctionKind::Array(options), runtime, errors)
}

/// `#[guvectorize(arguments)] item`.
pub(crate) fn expand_generalized(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (options, runtime) = parse_generalized_options(arguments.clone(), &errors);
    let attribute = quote!(#runtime::guvectorize(#arguments));
    expand(&attribute, item, FunctionKind::Generalized(options), runtime, errors)
}

/// The item, with a body for the CPU if it is a signature alone.
fn with_body(item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    if matches!(tokens.last(), Some(TokenTree::Punct(last)) if last.as_char() == ';') {
        tokens.pop();
        tokens.extend(quote!({ panic!("this kernel has CUDA C and no Rust body: it runs on a GPU only") }));
        tokens.splice(..0, quote!(#[allow(unused_variables)]));
    }
    tokens.into_iter().collect()
}

fn expand(attribute: &TokenStream, item: TokenStream, kind: FunctionKind, runtime: RuntimePath, errors: Errors) -> TokenStream {
    match read_function(&item, || attribute.clone(), &errors) {
        Read::Function(function) => {
            let undeclared = report_undeclared_types(&User::Function(&function), &runtime);
            let expansion = expand_free(Item::free(&function, kind, runtime), item, errors);
            quote!(#expansion #undeclared)
        }
        other => other.expand(errors, item),
    }
}

/// A function that stands on its own, which is written `tokens`.
fn expand_free(item: Item<'_>, tokens: TokenStream, errors: Errors) -> TokenStream {
    let original = item.function;
    if is_second(&original.sig.ident) {
        let name = &original.sig.ident;
        drop(errors.check());
        let message = format!("two functions of this module have the name `{name}`\nhelp: rename one of them");
        return syn::Error::new(name.span(), message).into_compile_error();
    }
    let compiled = compile(item, 0, &errors);
    if is_editor() {
        return editor::expand_for_editor(tokens, compiled, errors);
    }
    match compiled {
        Some(Compiled { function, output: Some((analysis, source)) }) => {
            errors.check().expect("there are no errors");
            let items = expand_function(&function, &analysis, &source);
            // The definition of a kernel has the assertion in it.
            if matches!(function.kind, FunctionKind::Kernel(_)) { items } else { asserting(&function.runtime, items) }
        }
        Some(Compiled { function, output: None }) => refuse(&function, original, errors),
        // A method: nothing can stand in for it.
        None => with_errors(errors, quote!(#[allow(unused)] #original)),
    }
}

/// What keeps the rest of the program compiling, and the errors.
fn refuse(function: &Function, original: &syn::ItemFn, errors: Errors) -> TokenStream {
    let kept = without_unroll(original.to_token_stream());
    let original: Option<syn::ItemFn> = errors.may_be_valid_rust().then(|| syn::parse2(kept).ok()).flatten();
    let fallback = expand_fallback(function, original.as_ref());
    with_errors(errors, fallback)
}

/// An `impl` or a trait for an editor. Errors in it are the compiler's to report.
fn written(item: TokenStream, errors: Errors) -> TokenStream {
    drop(errors.check());
    editor::as_written(item)
}

/// What an attribute stands on.
enum Read {
    Function(Box<syn::ItemFn>),
    /// A function that is several: one for each combination of the conditions inside of it, which report the errors themselves.
    Configurations(TokenStream),
    /// Something else, which has been reported.
    Refused,
}

impl Read {
    /// In place of anything but a function.
    fn expand(self, errors: Errors, item: TokenStream) -> TokenStream {
        match self {
            Read::Function(_) | Read::Refused => with_errors(errors, item),
            Read::Configurations(functions) => {
                drop(errors.check());
                functions
            }
        }
    }
}

/// The annotated function. Without a valid body, it gets an empty one, so that its callers get no errors. An editor shows a function as
/// it is written, whatever is configured.
fn read_function(item: &TokenStream, attribute: impl FnOnce() -> TokenStream, errors: &Errors) -> Read {
    // One buffer for the search and for the parser.
    let unless_conditional = |input: ParseStream<'_>| -> syn::Result<Result<syn::ItemFn, Vec<TokenStream>>> {
        let conditions = if is_editor() { Vec::new() } else { conditions_inside(input.cursor()) };
        if conditions.is_empty() { input.parse().map(Ok) } else { input.parse::<TokenStream>().map(|_| Err(conditions)) }
    };
    let parsed = match unless_conditional.parse2(item.clone()) {
        Ok(Ok(function)) => Ok(function),
        Ok(Err(conditions)) => match expand_configurations(&attribute(), item, &conditions) {
            Some(functions) => return Read::Configurations(functions),
            None => syn::parse2(item.clone()),
        },
        Err(error) => Err(error),
    };
    match parsed {
        Ok(mut function) => {
            make_outer(&mut function.attrs);
            Read::Function(Box::new(function))
        }
        Err(error) => without_body(item, &error, errors).map_or(Read::Refused, |function| Read::Function(Box::new(function))),
    }
}

/// The function without its body, which is no valid Rust. `None` for anything else than a function.
fn without_body(item: &TokenStream, error: &syn::Error, errors: &Errors) -> Option<syn::ItemFn> {
    let header = |input: ParseStream<'_>| -> syn::Result<(TokenStream, bool)> {
        let (attrs, vis) = (input.call(syn::Attribute::parse_outer)?, input.parse::<syn::Visibility>()?);
        let signature: syn::Signature = input.parse()?;
        let has_body = !input.peek(syn::Token![;]);
        input.parse::<TokenStream>()?;
        Ok((quote!(#(#attrs)* #vis #signature {}), has_body))
    };
    match header.parse2(item.clone()) {
        Ok((function, has_body)) => {
            if has_body {
                errors.push_unread(error);
            } else {
                errors.push_invalid(error.span(), "this function has no body\nhelp: write what one thread does");
            }
            syn::parse2(function).ok()
        }
        Err(_) if is_impl_or_trait(item) => {
            errors.push_unread(error);
            None
        }
        Err(_) => {
            errors.push(error.span(), "this attribute supports functions only\nhelp: put it on a `fn`");
            None
        }
    }
}

fn is_impl_or_trait(item: &TokenStream) -> bool {
    item.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "impl" || word == "trait"))
}

#[cfg(test)]
mod tests {
    use super::expand_kernel;
    use proc_macro2::{TokenStream, TokenTree};
    use std::str::FromStr;

    /// The texts of the `compile_error!`s in `tokens`.
    fn messages(tokens: TokenStream) -> Vec<String> {
        let mut found = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(name) if name == "compile_error" => {
                    let text = tokens.nth(1).expect("an argument");
                    found.push(text.to_string());
                }
                TokenTree::Group(group) => found.extend(messages(group.stream())),
                _ => {}
            }
        }
        found
    }

    #[track_caller]
    fn check(kernel: &str, expected: &[&str]) {
        let expansion = expand_kernel(TokenStream::new(), TokenStream::from_str(kernel).expect("the test's function has tokens"));
        let found = messages(expansion);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for expected in expected {
            assert!(found.iter().any(|message| message.contains(expected)), "no `{expected}` in {found:#?}");
        }
    }

    #[test]
    fn mistakes_of_all_stages_are_reported_at_once() {
        let kernel = "fn k(x: &[f32], y: &mut [f32]) {
            let text = \"abc\";
            let array = x[0];
            let element = array[1];
            let (a, b) = (y, 1);
            let shifted = 1u32 << 32;
            y[0] = element;
        }";
        check(
            kernel,
            &["strings are not supported", "only arrays and slices can be indexed", "cannot be copied", "this shift is out of range"],
        );
    }

    #[test]
    fn what_follows_from_a_mistake_is_not_reported() {
        for statements in [
            "let a = x.iter().collect(); let b = a + 1; y[b] = a.mass; a.method(b); if a < 2.0 { y[0] = a; }",
            "let Some(a) = &x[0] else { return }; a[0].b.c = 1; let [p, .., q] = a; y[p] = q;",
            "let a: Vec<f32> = 1; for v in a.iter() { y[0] += v; } let b = [a, 1.0]; println!(\"{}\", b[0]);",
            "for (i, v) in x.chunks(4) { y[i] += v[0]; let w = i * 2; y[w] = 1.0; }",
            "let &a = x[0]; match a { 1 => {} Foo { b } => b.c(), _ => {} } let c = a as usize; y[c] = 1.0;",
            "let mut tile = shared::<[f32; 4]>(1); tile[0] = 1.0; y[0] = tile[1].abs();",
            "let n = x.iter().collect(); let mut tile = dynamic_shared::<f32>(n); tile[0] = 1.0;",
        ] {
            let kernel = format!("fn k(x: &[f32], y: &mut [f32]) {{ {statements} }}");
            let expansion = expand_kernel(TokenStream::new(), TokenStream::from_str(&kernel).unwrap());
            let found = messages(expansion);
            assert_eq!(found.len(), 1, "{statements}: {found:#?}");
        }
    }
}
