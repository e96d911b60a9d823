//! `#[gpu_device]` on the `impl` of an operator: `impl Add<f32> for Vector`.
//!
//! Kernels find it through a trait of the runtime, which tells for each pair of operands what computes it: the CUDA C of a user's function,
//! or the runtime's own helper.

use crate::emit::rust::{OperatorImpl, OperatorKind, expand_operator};
use crate::errors::Errors;
use crate::members::{member, parse};
use crate::model::{Item, NamedType, Owner, RuntimePath};
use crate::pattern_parameters::name_patterns;
use crate::pipeline::{compile, make_outer};
use crate::syntax::{in_expressions, replace_self, replace_self_of};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// The operators that a type can have in kernels, by their traits.
const TRAITS: [(&str, OperatorKind); 23] = [
    ("Add", OperatorKind::Binary),
    ("Sub", OperatorKind::Binary),
    ("Mul", OperatorKind::Binary),
    ("Div", OperatorKind::Binary),
    ("Rem", OperatorKind::Binary),
    ("BitAnd", OperatorKind::Binary),
    ("BitOr", OperatorKind::Binary),
    ("BitXor", OperatorKind::Binary),
    ("Neg", OperatorKind::Unary),
    ("Not", OperatorKind::Unary),
    ("PartialEq", OperatorKind::Comparison("Equal")),
    ("PartialOrd", OperatorKind::Comparison("PartialOrder")),
    ("Ord", OperatorKind::Comparison("TotalOrder")),
    ("Index", OperatorKind::Index),
    ("IndexMut", OperatorKind::IndexMut),
    ("AddAssign", OperatorKind::Assignment("Add")),
    ("SubAssign", OperatorKind::Assignment("Sub")),
    ("MulAssign", OperatorKind::Assignment("Mul")),
    ("DivAssign", OperatorKind::Assignment("Div")),
    ("RemAssign", OperatorKind::Assignment("Rem")),
    ("BitAndAssign", OperatorKind::Assignment("BitAnd")),
    ("BitOrAssign", OperatorKind::Assignment("BitOr")),
    ("BitXorAssign", OperatorKind::Assignment("BitXor")),
];

/// The operator that a block implements: its trait has a name of std, and says what the result is.
pub(crate) fn operator_of(block: &syn::ItemImpl) -> Option<(&'static str, OperatorKind)> {
    let name = &block.trait_.as_ref()?.0.segments.last()?.ident;
    let (name, kind) = TRAITS.into_iter().find(|(known, _)| name == known)?;
    let has_output = matches!(kind, OperatorKind::Binary | OperatorKind::Unary | OperatorKind::Index);
    (!has_output || output_of(block).is_some()).then_some((name, kind))
}

/// `Vector` of `type Output = Vector;`
fn output_of(block: &syn::ItemImpl) -> Option<&syn::Type> {
    block.items.iter().find_map(|item| match item {
        syn::ImplItem::Type(item) if item.ident == "Output" => Some(&item.ty),
        _ => None,
    })
}

/// The block of an operator, and what kernels call. After an error, with a stub for kernels.
pub(crate) fn expand_operator_impl(
    block: &syn::ItemImpl,
    (name, kind): (&'static str, OperatorKind),
    runtime: &RuntimePath,
    errors: Errors,
) -> TokenStream {
    let expanded = try_expand(block, name, kind, runtime, &errors);
    match errors.check() {
        Ok(()) => expanded.unwrap_or_else(|| block.to_token_stream()),
        Err(error) => {
            let (error, expanded) = (error.into_compile_error(), expanded.unwrap_or_else(|| block.to_token_stream()));
            quote!(#expanded #error)
        }
    }
}

fn try_expand(
    block: &syn::ItemImpl,
    name: &'static str,
    kind: OperatorKind,
    runtime: &RuntimePath,
    errors: &Errors,
) -> Option<TokenStream> {
    let (path, _) = block.trait_.as_ref()?;
    let Some((owner, left_by_reference)) = owner_of(&block.self_ty, kind) else {
        errors.push(
            block.self_ty.span(),
            match kind {
                OperatorKind::Binary | OperatorKind::Unary => "operators of tuples, arrays and mutable references are not supported in kernels\nhelp: write the `impl` for a struct, an enum or a number, or for a shared reference to one",
                _ => "this operator is only supported for values in kernels\nhelp: write the `impl` for a struct, an enum or a number",
            },
        );
        return None;
    };
    let owner = NamedType { path: in_expressions(owner) };
    let this = match left_by_reference {
        true => without_lifetimes(block.self_ty.to_token_stream()),
        false => owner.path.to_token_stream(),
    };
    let right = (kind != OperatorKind::Unary).then(|| match path.segments.last().map(|last| &last.arguments) {
        Some(syn::PathArguments::AngleBracketed(arguments)) => arguments.args.to_token_stream(),
        _ => this.clone(),
    });
    let right = right.map(|right| replace_self(right, &this));
    let parsed = right.clone().filter(|_| !is_index(kind)).and_then(|right| syn::parse2::<syn::Type>(right).ok());
    let (right, right_by_reference) = match parsed.as_ref().map(without_groups) {
        Some(syn::Type::Reference(reference)) if reference.mutability.is_none() => (Some(reference.elem.to_token_stream()), true),
        _ => (right, false),
    };
    let output = match kind {
        OperatorKind::Binary | OperatorKind::Unary | OperatorKind::Index => output_of(block)?.to_token_stream(),
        // That of the `Index`.
        OperatorKind::IndexMut => quote!(#runtime::calls::IndexOutput<#this, #right>),
        // They have no type of their own.
        OperatorKind::Comparison(_) | OperatorKind::Assignment(_) => quote!(()),
    };
    let (functions, others): (Vec<_>, Vec<_>) = block.items.iter().partition(|item| matches!(item, syn::ImplItem::Fn(_)));
    let [syn::ImplItem::Fn(function)] = functions.as_slice() else {
        let derived = functions.iter().find_map(|item| match item {
            syn::ImplItem::Fn(function) if function.sig.ident != "eq" && function.sig.ident != "partial_cmp" => Some(function),
            _ => None,
        });
        if let (OperatorKind::Comparison(_), Some(derived)) = (kind, derived) {
            let name = &derived.sig.ident;
            let message = format!(
                "an `impl` of a comparison with `#[gpu_device]` has only `eq` or `partial_cmp`\nhelp: remove `{name}`: kernels compute it from the other function, as std does"
            );
            errors.push(derived.span(), message);
        }
        return None;
    };
    let tokens = replace_output(function.to_token_stream(), &output);
    let named = replace_self_of(without_lifetimes(tokens), &this);
    let syn::ImplItemFn { mut attrs, vis, mut sig, block: mut body, .. } = parse(named, errors)?;
    make_outer(&mut attrs);
    name_patterns(&mut sig, &mut body);
    if sig.inputs.len() != 1 + usize::from(kind != OperatorKind::Unary) {
        return None;
    }
    let mut function: syn::ItemFn = parse(quote!(#(#attrs)* #vis #sig #body), errors)?;
    if left_by_reference && let Some(syn::FnArg::Receiver(receiver)) = function.sig.inputs.first_mut() {
        // `self` is a reference to the value.
        let this = receiver.self_token;
        *receiver = syn::parse_quote!(&#this);
    }
    if is_index(kind) {
        return_at_ends(&mut function.block);
    }
    let own = Owner { ty: &owner, name: &owner.short_name() };
    let mut generics = block.generics.clone();
    generics.params = generics.params.into_iter().filter(|param| !matches!(param, syn::GenericParam::Lifetime(_))).collect();
    let item = member(&mut function, &generics, own, runtime, errors);
    let compiled = compile(Item { may_return_reference: is_index(kind), ..item }, 0, errors)?;
    let others = others.iter().map(ToTokens::to_token_stream).collect();
    let by_reference = match kind {
        OperatorKind::Comparison(_) => [true; 2],
        _ => [left_by_reference, right_by_reference],
    };
    let owner = owner.path.to_token_stream();
    let operator = OperatorImpl { block, path, name, kind, right, owner, by_reference, others, signature: &sig };
    Some(expand_operator(&operator, &compiled.function, compiled.output.as_ref().map(|(_, source)| source)))
}

fn is_index(kind: OperatorKind) -> bool {
    matches!(kind, OperatorKind::Index | OperatorKind::IndexMut)
}

/// The type that has the operator, or with `true` whose references have it.
fn owner_of(ty: &syn::Type, kind: OperatorKind) -> Option<(&syn::Path, bool)> {
    match without_groups(ty) {
        syn::Type::Path(syn::TypePath { qself: None, path, .. }) => Some((path, false)),
        syn::Type::Reference(reference) if reference.mutability.is_none() && matches!(kind, OperatorKind::Binary | OperatorKind::Unary) => {
            owner_of(&reference.elem, kind).filter(|(_, by_reference)| !by_reference).map(|(path, _)| (path, true))
        }
        _ => None,
    }
}

/// A `$ty:ty` of a macro is in a group.
fn without_groups(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Group(group) => without_groups(&group.elem),
        other => other,
    }
}

/// `&V` for `&'a V`: the function takes a reference of any lifetime.
fn without_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), without_lifetimes(group.stream()));
                inner.set_span(group.span());
                kept.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Punct(and) if and.as_char() == '&' => {
                kept.extend([TokenTree::Punct(and)]);
                if matches!(tokens.peek(), Some(TokenTree::Punct(quote)) if quote.as_char() == '\'') {
                    tokens.nth(1);
                }
            }
            other => kept.extend([other]),
        }
    }
    kept
}

/// Writes `return` where the block ends with a value: a reference, which has no variable on the way in CUDA C.
fn return_at_ends(block: &mut syn::Block) {
    if let Some(syn::Stmt::Expr(value, None)) = block.stmts.last_mut() {
        return_at_end(value);
    }
}

fn return_at_end(value: &mut syn::Expr) {
    match value {
        syn::Expr::If(branch) => {
            return_at_ends(&mut branch.then_branch);
            branch.else_branch.iter_mut().for_each(|(_, otherwise)| return_at_end(otherwise));
        }
        syn::Expr::Match(whole) => whole.arms.iter_mut().for_each(|arm| return_at_end(&mut arm.body)),
        syn::Expr::Block(block) => return_at_ends(&mut block.block),
        syn::Expr::Unsafe(block) => return_at_ends(&mut block.block),
        syn::Expr::Paren(inner) => return_at_end(&mut inner.expr),
        syn::Expr::Group(inner) => return_at_end(&mut inner.expr),
        // They end elsewhere.
        syn::Expr::Return(_) | syn::Expr::Macro(_) | syn::Expr::Loop(_) => {}
        other => *other = syn::parse_quote_spanned!(other.span()=> return #other),
    }
}

/// `tokens` with the type itself for `Self::Output`.
fn replace_output(tokens: TokenStream, output: &TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut replaced = TokenStream::new();
    let mut rest = tokens.as_slice();
    loop {
        rest = match rest {
            [] => return replaced,
            [TokenTree::Ident(this), TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), rest @ ..]
                if this == "Self" && a.as_char() == ':' && b.as_char() == ':' && name == "Output" =>
            {
                replaced.extend(output.clone());
                rest
            }
            [TokenTree::Group(group), rest @ ..] => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), replace_output(group.stream(), output));
                inner.set_span(group.span());
                replaced.extend([TokenTree::Group(inner)]);
                rest
            }
            [first, rest @ ..] => {
                replaced.extend([first.clone()]);
                rest
            }
        };
    }
}
