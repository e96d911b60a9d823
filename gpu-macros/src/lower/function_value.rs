//! Functions in variables: `let f = double;`, also chosen with `if` and `match`.
//!
//! A GPU calls functions by their names, so such a variable holds nothing: from its `let` on, the name stands for its functions. Where they are
//! chosen, the variable is a number that says which one, and a call is a `match` of it:
//!
//! ```text
//! let f = if n > 0 { double } else { square };      let f_choice7: u32 = if n > 0 { 0 } else { 1 };
//! f(x)                                              match f_choice7 { 0 => double(x), _ => square(x) }
//! ```

use super::{Lowerer, without_parentheses, word};
use crate::first_span::Start;
use crate::model::*;
use crate::source_scope::Surroundings;
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use std::collections::HashSet;
use syn::{Ident, parse_quote_spanned};

/// A name that stands for functions.
#[derive(Clone)]
pub(super) struct FunctionName {
    word: String,
    /// How many names of variables were visible before it. A later variable of the same name hides it.
    variables: usize,
    functions: Vec<syn::ExprPath>,
    /// The variable with the number of the function, if there are several.
    choice: Option<Ident>,
}

impl Lowerer<'_> {
    /// `let f = …` of functions.
    pub(super) fn lower_let_of_function(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let (name, init) = (name_of_function(&local.pat)?, local.init.as_ref().filter(|init| init.diverge.is_none())?);
        let init = without_parentheses(&init.expr);
        if let syn::Expr::Path(path) = init {
            let known = self.function_name(&path.path).cloned();
            let known = known.or_else(|| {
                let is_function = self.may_be_function(path) && (!has_capital(path) || self.is_called(name));
                is_function.then(|| FunctionName { word: String::new(), variables: 0, functions: vec![path.clone()], choice: None })
            })?;
            self.check_attributes(&local.attrs);
            self.functions.push(FunctionName { word: word(name), variables: self.scope.len(), ..known });
            return Some(Vec::new());
        }
        let mut functions = Vec::new();
        let number = self.number_of_function(init, &mut functions).filter(|_| self.is_called(name))?;
        let choice = Ident::new(&format!("{}_choice{}", word(name).trim_start_matches("r#"), self.locals.len()), name.span());
        let stmt: syn::Stmt = parse_quote_spanned!(name.span()=> let #choice: u32 = #number;);
        let syn::Stmt::Local(number) = stmt else { unreachable!("it is a `let`") };
        let stmt = self.lower_let(&syn::Local { attrs: local.attrs.clone(), ..number });
        self.functions.push(FunctionName { word: word(name), variables: self.scope.len(), functions, choice: Some(choice) });
        Some(vec![stmt])
    }

    /// `expr` with numbers in place of the functions that it results in. `None` if it does not result in functions.
    fn number_of_function(&self, expr: &syn::Expr, functions: &mut Vec<syn::ExprPath>) -> Option<syn::Expr> {
        match without_parentheses(expr) {
            syn::Expr::Path(path) if self.may_be_function(path) && self.function_name(&path.path).is_none() => {
                let number = syn::LitInt::new(&functions.len().to_string(), path.start());
                functions.push(path.clone());
                Some(parse_quote_spanned!(path.start()=> #number))
            }
            syn::Expr::If(choice) => {
                let (with_else, otherwise) = choice.else_branch.as_ref()?;
                let then_branch = self.number_of_block(&choice.then_branch, functions)?;
                let else_branch = Some((*with_else, Box::new(self.number_of_function(otherwise, functions)?)));
                Some(syn::Expr::If(syn::ExprIf { then_branch, else_branch, ..choice.clone() }))
            }
            syn::Expr::Match(choice) => {
                let mut arms = choice.arms.clone();
                for arm in &mut arms {
                    *arm.body = self.number_of_function(&arm.body, functions)?;
                }
                Some(syn::Expr::Match(syn::ExprMatch { arms, ..choice.clone() }))
            }
            syn::Expr::Block(block) if block.label.is_none() => {
                let inner = self.number_of_block(&block.block, functions)?;
                Some(syn::Expr::Block(syn::ExprBlock { block: inner, ..block.clone() }))
            }
            _ => None,
        }
    }

    fn number_of_block(&self, block: &syn::Block, functions: &mut Vec<syn::ExprPath>) -> Option<syn::Block> {
        let [syn::Stmt::Expr(value, None)] = block.stmts.as_slice() else { return None };
        let stmts = vec![syn::Stmt::Expr(self.number_of_function(value, functions)?, None)];
        Some(syn::Block { stmts, ..block.clone() })
    }

    /// Refuses a name that stands for functions one of whose own names means something else by now.
    pub(super) fn refuse_hidden_function(&mut self, path: &syn::ExprPath) -> Option<Expr> {
        let FunctionName { functions, .. } = self.function_name(&path.path)?;
        let is_hidden = |name: &Ident| self.named(name).is_some() || self.functions.iter().any(|known| known.word == word(name));
        let hidden = functions.iter().filter_map(|function| function.path.get_ident()).find(|name| is_hidden(name))?.clone();
        let name = path.path.to_token_stream();
        let message =
            format!("`{name}` stands for the function `{hidden}`, and `{hidden}` for something else here\nhelp: give them different names");
        Some(self.refuse(path.start(), message))
    }

    /// `f(x)` where `f` stands for functions: the call of them by their names.
    pub(super) fn call_of_function_name(&self, call: &syn::ExprCall) -> Option<syn::Expr> {
        let syn::Expr::Path(path) = &*call.func else { return None };
        let FunctionName { functions, choice, .. } = self.function_name(&path.path)?;
        let at = path.start();
        let call_of = |function: &syn::ExprPath| syn::ExprCall { func: Box::new(syn::Expr::Path(at_span(function, at))), ..call.clone() };
        let Some(choice) = choice else { return Some(syn::Expr::Call(call_of(&functions[0]))) };
        let (last, others) = functions.split_last().expect("it stands for functions");
        let (numbers, last) = ((0..others.len()).map(proc_macro2::Literal::usize_unsuffixed), call_of(last));
        let calls = others.iter().map(call_of);
        let choice = Ident::new(&choice.to_string(), choice.span());
        let tokens = quote_spanned!(at=> match #choice { #(#numbers => #calls,)* _ => #last });
        Some(syn::parse2(tokens).expect("it is a `match`"))
    }

    /// A name that stands for functions as an argument; `None` for another path.
    pub(super) fn lower_function_name(&mut self, path: &syn::ExprPath) -> Option<Expr> {
        if let Some(refused) = self.refuse_hidden_function(path) {
            return Some(refused);
        }
        let FunctionName { functions, choice, .. } = self.function_name(&path.path)?;
        let (first, is_chosen, span) = (at_span(&functions[0], path.start()), choice.is_some(), path.start());
        if is_chosen {
            let name = path.path.to_token_stream();
            let message = format!("`{name}` is one of several functions, which cannot be passed\nhelp: pass a closure, `|x| {name}(x)`");
            return Some(self.refuse(span, message));
        }
        self.lower_function_item(&first)
    }

    /// The same as a value.
    pub(super) fn lower_function_name_as_value(&mut self, path: &syn::ExprPath) -> Option<Expr> {
        let FunctionName { functions, choice, .. } = self.function_name(&path.path)?;
        if choice.is_some() {
            let name = path.path.to_token_stream();
            let message = format!("`{name}` is a function, and no value in kernels\nhelp: call it, `{name}(x)`");
            return Some(self.refuse(path.start(), message));
        }
        let function = at_span(&functions[0], path.start());
        Some(self.lower_constant(&function))
    }

    fn function_name(&self, path: &syn::Path) -> Option<&FunctionName> {
        let name = word(path.get_ident()?);
        let known = self.functions.iter().rev().find(|known| known.word == name)?;
        let is_hidden = self.scope[known.variables..].iter().any(|variable| variable.word == name);
        (!is_hidden).then_some(known)
    }

    /// Whether a path may lead to a function: it leads to no variable and no constant that the attribute sees.
    pub(super) fn may_be_function(&self, path: &syn::ExprPath) -> bool {
        let Some(last) = path.path.segments.last() else { return false };
        let name = path.path.get_ident();
        let is_variable = |name| self.named(name).is_some() || self.locals.iter().any(|local| local.name == *name);
        let is_constant = |name| self.const_param(name).is_some() || self.constants.iter().any(|(constant, _)| constant.ident == *name);
        path.qself.is_none() && last.ident != "self" && !name.is_some_and(|name| is_variable(name) || is_constant(name))
    }

    /// Whether the function calls `name`, as far as its tokens show.
    fn is_called(&self, name: &Ident) -> bool {
        let called = self.called.get_or_init(|| {
            let mut names = HashSet::new();
            called_names(self.source.to_token_stream(), &mut names);
            names
        });
        called.contains(&word(name))
    }

    /// Whether a name with capitals is that of a device function next to this one.
    pub(super) fn is_function_with_capitals(&self, path: &syn::Path) -> bool {
        path.get_ident().is_some_and(|name| Surroundings::of(&self.source.sig.ident).declares_device_function(&name.to_string()))
    }
}

/// The name in `let f = …` and `let f: fn(f32) -> f32 = …`.
fn name_of_function(pattern: &syn::Pat) -> Option<&Ident> {
    match pattern {
        syn::Pat::Ident(name) if name.by_ref.is_none() && name.mutability.is_none() && name.subpat.is_none() => Some(&name.ident),
        syn::Pat::Type(typed) if matches!(*typed.ty, syn::Type::FnPtr(_)) => name_of_function(&typed.pat),
        _ => None,
    }
}

/// The names of which there is a call, `name(…)`, in the source.
fn called_names(source: TokenStream, names: &mut HashSet<String>) {
    let (mut name, mut is_member) = (None, false);
    for token in source {
        if let TokenTree::Group(group) = &token {
            if group.delimiter() == Delimiter::Parenthesis {
                names.extend(name.take().as_ref().map(word));
            }
            called_names(group.stream(), names);
        }
        // Not a method, a function in a module or a type, or a function that is declared.
        (name, is_member) = match token {
            TokenTree::Ident(ident) => {
                let declares = ident == "fn";
                (Some(ident).filter(|_| !is_member), declares)
            }
            TokenTree::Punct(punct) => (None, matches!(punct.as_char(), '.' | ':')),
            TokenTree::Group(_) | TokenTree::Literal(_) => (None, false),
        };
    }
}

fn has_capital(path: &syn::ExprPath) -> bool {
    path.path.segments.last().is_some_and(|last| last.ident.to_string().contains(char::is_uppercase))
}

/// The path as if it were written there, for messages.
fn at_span(path: &syn::ExprPath, at: Span) -> syn::ExprPath {
    let mut path = path.clone();
    path.path.segments.iter_mut().for_each(|segment| segment.ident.set_span(segment.ident.span().located_at(at)));
    path
}
