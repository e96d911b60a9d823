//! From syn to the model: resolves names, gives every failing place a site, refuses what kernels cannot say.
//!
//! Every expression leaves here with a fresh type variable (or a type that its form settles); `infer` finds the rest.

mod call;
mod closure;
mod control;
mod core_signature;
mod expr;
mod generalized;
mod generics;
mod macros;
mod options;
mod path;
mod signature;
mod stmt;
#[cfg(test)]
mod tests;
mod types;
mod unsupported;

pub(crate) use generalized::parse_generalized_options;
pub(crate) use options::{parse_device_options, parse_kernel_options, parse_reduce_options, parse_vectorize_options};

use crate::errors::Errors;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use std::collections::HashMap;
use syn::ext::IdentExt;

/// A lowered function and how many type variables it has.
pub(crate) struct Lowered {
    pub(crate) function: Function,
    pub(crate) variables: usize,
}

/// Lowers `item`. Errors go to `errors`; `None` when the signature is too broken to go on.
pub(crate) fn lower_function(item: &syn::ItemFn, kind: FunctionKind, runtime: TokenStream, errors: &Errors) -> Option<Lowered> {
    let mut lowerer = Lowerer::new(errors, &kind);
    let params = lowerer.lower_signature(&item.sig)?;
    let generics = item.sig.generics.clone();
    let (output, output_tokens) = lowerer.lower_output(&item.sig.output);
    let body = lowerer.lower_block(&item.block);
    Some(Lowered {
        function: Function {
            kind,
            attrs: item.attrs.clone(),
            vis: item.vis.clone(),
            name: item.sig.ident.clone(),
            type_params: lowerer.type_params,
            const_params: lowerer.const_params,
            function_params: lowerer.function_params,
            generics,
            params,
            output,
            output_tokens,
            constants: lowerer.constants,
            body,
            locals: lowerer.locals,
            labels: lowerer.labels,
            sites: lowerer.sites,
            runtime,
        },
        variables: lowerer.variables,
    })
}

struct Lowerer<'e> {
    errors: &'e Errors,
    is_kernel: bool,
    /// A call of it stands for an index of a loop, and not for a thread.
    is_array_function: bool,
    /// Each of its arguments is one element.
    is_elementwise: bool,
    /// What messages call it.
    what: &'static str,
    /// The return type was refused; a closure in its place is not refused again.
    output_refused: bool,
    /// The generics were refused; the types that the parameters have are not looked at.
    generics_refused: bool,
    type_params: Vec<TypeParam>,
    const_params: Vec<ConstParam>,
    function_params: Vec<FunctionParam>,
    locals: Vec<Local>,
    labels: Vec<Label>,
    sites: Vec<Site>,
    constants: Vec<syn::ItemConst>,
    shared_arrays: usize,
    variables: usize,
    /// Names in scope, innermost last.
    scopes: Vec<HashMap<String, LocalId>>,
    /// Loops and labelled blocks around the current expression, innermost last.
    enclosing: Vec<LabelId>,
    /// For each closure around the current expression: how many variables there were before it.
    closures: Vec<usize>,
}

impl<'e> Lowerer<'e> {
    fn new(errors: &'e Errors, kind: &FunctionKind) -> Self {
        Lowerer {
            errors,
            is_kernel: matches!(kind, FunctionKind::Kernel(_)),
            is_array_function: matches!(kind, FunctionKind::Array(_) | FunctionKind::Generalized(_)),
            is_elementwise: matches!(kind, FunctionKind::Array(_)),
            what: kind.description(),
            output_refused: false,
            generics_refused: false,
            type_params: Vec::new(),
            const_params: Vec::new(),
            function_params: Vec::new(),
            locals: Vec::new(),
            labels: Vec::new(),
            sites: Vec::new(),
            constants: Vec::new(),
            shared_arrays: 0,
            variables: 0,
            scopes: vec![HashMap::new()],
            enclosing: Vec::new(),
            closures: Vec::new(),
        }
    }

    fn fresh(&mut self) -> Type {
        self.variables += 1;
        Type::Variable(TypeVariable(self.variables - 1))
    }

    /// An expression whose type is to be found.
    fn expr(&mut self, kind: ExprKind, span: Span) -> Expr {
        let ty = self.fresh();
        Expr { kind, ty, span }
    }

    /// What stands in for an expression that was refused: any type, no further errors.
    fn refused(&mut self, span: Span) -> Expr {
        self.expr(ExprKind::Tuple(Vec::new()), span)
    }

    fn refuse(&mut self, span: Span, message: impl std::fmt::Display) -> Expr {
        self.errors.push(span, message);
        self.refused(span)
    }

    /// Refuses what is no valid Rust either.
    fn refuse_invalid(&mut self, span: Span, message: impl std::fmt::Display) -> Expr {
        self.errors.push_invalid(span, message);
        self.refused(span)
    }

    /// Whether `expr` stands in for one that was refused: what follows from it is not worth a message of its own.
    fn is_refused(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Tuple(elements) if elements.is_empty()) && !self.errors.is_empty()
    }

    fn site(&mut self, span: Span, kind: SiteKind) -> SiteId {
        self.sites.push(Site { span, kind, bound: Bound::Unknown });
        SiteId(self.sites.len() - 1)
    }

    fn declare(&mut self, name: &Ident, mutable: bool, ty: Type, kind: LocalKind) -> LocalId {
        let id = LocalId(self.locals.len());
        self.locals.push(Local { name: name.clone(), mutable, ty, kind });
        self.scopes.last_mut().expect("a scope is open").insert(name.unraw().to_string(), id);
        id
    }

    fn lookup(&self, name: &Ident) -> Option<LocalId> {
        let name = name.unraw().to_string();
        self.scopes.iter().rev().find_map(|scope| scope.get(&name).copied())
    }

    fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        self.scopes.push(HashMap::new());
        let result = body(self);
        self.scopes.pop();
        result
    }
}
