//! Blocks and statements.

use super::Lowerer;
use crate::model::*;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_block(&mut self, block: &syn::Block) -> Block {
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let mut value = None;
            let count = block.stmts.len();
            for (i, stmt) in block.stmts.iter().enumerate() {
                match stmt {
                    syn::Stmt::Local(local) => stmts.extend(lowerer.lower_let(local)),
                    syn::Stmt::Item(item) => lowerer.lower_item(item),
                    // A `;` alone.
                    syn::Stmt::Expr(syn::Expr::Verbatim(nothing), Some(_)) if nothing.is_empty() => {}
                    syn::Stmt::Expr(expr, semicolon) => {
                        let lowered = lowerer.lower_expr(expr);
                        if semicolon.is_none() && i + 1 == count {
                            value = Some(Box::new(lowered));
                        } else {
                            stmts.push(Stmt::Expr(lowered));
                        }
                    }
                    syn::Stmt::Macro(stmt) => {
                        lowerer.check_attributes(&stmt.attrs);
                        let lowered = lowerer.lower_macro(&stmt.mac);
                        if stmt.semi_token.is_none() && i + 1 == count {
                            value = Some(Box::new(lowered));
                        } else {
                            stmts.push(Stmt::Expr(lowered));
                        }
                    }
                }
            }
            Block { stmts, value, is_unsafe: false, span: block.span() }
        })
    }

    fn lower_let(&mut self, local: &syn::Local) -> Option<Stmt> {
        self.check_attributes(&local.attrs);
        if let Some((token, _)) = local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            self.errors.push(token.span(), "`let … else` is not supported in kernels yet\nhelp: test with `if` and `return` first");
            return None;
        }
        // The initialiser does not see the new name.
        let init = local.init.as_ref().map(|init| match (&local.pat, &*init.expr) {
            (syn::Pat::Ident(_), syn::Expr::Closure(closure)) => self.lower_closure(closure),
            (_, init) => self.lower_expr(init),
        });
        let (pattern, tokens) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
            pattern => (pattern, None),
        };
        let ty = match &tokens {
            Some(tokens) if !init.as_ref().is_some_and(|init| self.is_refused(init)) => {
                self.lower_type(tokens).unwrap_or_else(|| self.fresh())
            }
            // Calls look at it.
            _ => match &init {
                Some(Expr { kind: ExprKind::Closure(_), ty, .. }) => ty.clone(),
                _ => self.fresh(),
            },
        };
        let pattern = self.lower_pattern(pattern, ty.clone())?;
        Some(Stmt::Let(Box::new(Let { pattern, tokens, ty, init, span: local.span() })))
    }

    fn lower_pattern(&mut self, pattern: &syn::Pat, ty: Type) -> Option<Pattern> {
        match pattern {
            syn::Pat::Wild(wild) => Some(Pattern::Wildcard(wild.span())),
            syn::Pat::Paren(paren) => self.lower_pattern(&paren.pat, ty),
            syn::Pat::Ident(ident) => {
                if let Some(by_ref) = &ident.by_ref {
                    self.errors.push(by_ref.span(), "`ref` is not supported in kernels\nhelp: remove `ref`");
                }
                if let Some((at, _)) = &ident.subpat {
                    self.errors.push(at.span(), "`@` patterns are not supported in kernels");
                }
                Some(Pattern::Bind(self.declare(&ident.ident, ident.mutability.is_some(), ty, LocalKind::Let)))
            }
            syn::Pat::Tuple(tuple) => {
                let element_types = match ty {
                    Type::Tuple(types) if types.len() == tuple.elems.len() => types,
                    Type::Variable(_) => tuple.elems.iter().map(|_| self.fresh()).collect(),
                    _ => {
                        self.errors
                            .push_invalid(tuple.span(), format!("this pattern has {} elements, but the type has not", tuple.elems.len()));
                        return None;
                    }
                };
                let elements: Vec<_> = tuple.elems.iter().zip(element_types).map(|(element, ty)| self.lower_pattern(element, ty)).collect();
                Some(Pattern::Tuple(elements.into_iter().collect::<Option<_>>()?, tuple.span()))
            }
            other => {
                self.errors.push(other.span(), "this pattern is not supported in kernels\nhelp: bind a name or a tuple of names");
                None
            }
        }
    }

    fn lower_item(&mut self, item: &syn::Item) {
        match item {
            syn::Item::Const(constant) => {
                self.check_attributes(&constant.attrs);
                self.constants.push(constant.clone());
            }
            syn::Item::Fn(function) => self.errors.push(
                function.sig.ident.span(),
                "a function inside a kernel is not supported\nhelp: move it out and mark it `#[gpu_device]`",
            ),
            syn::Item::Use(item) => {
                self.errors.push(item.span(), "`use` inside a kernel is not supported\nhelp: move it out of the function");
            }
            syn::Item::Static(item) => {
                self.errors.push(item.span(), "a `static` cannot be used in kernels\nhelp: use a `const` or a parameter");
            }
            other => self.errors.push(other.span(), "this item is not supported inside a kernel\nhelp: move it out of the function"),
        }
    }
}

impl Lowerer<'_> {
    /// Refuses what could change the meaning of a part of the body, such as `cfg`. Lints and documentation cannot.
    pub(super) fn check_attributes(&self, attributes: &[syn::Attribute]) {
        for attribute in attributes.iter().filter(|attribute| !is_lint(attribute) && !attribute.path().is_ident("doc")) {
            self.errors.push(
                attribute.span(),
                "attributes are not supported inside a kernel\nhelp: for `cfg`, put it on a `const` outside and test that with `if`",
            );
        }
    }
}

/// The attributes on an expression that kernels may have.
pub(super) fn attributes_of(expr: &syn::Expr) -> &[syn::Attribute] {
    macro_rules! attributes {
        ($($variant:ident),*) => {
            match expr {
                $(syn::Expr::$variant(expr) => &expr.attrs,)*
                _ => &[],
            }
        };
    }
    attributes!(
        Array, Assign, Binary, Block, Break, Call, Cast, Continue, Field, ForLoop, Group, If, Index, Lit, Loop, Macro, MethodCall, Paren,
        Path, Repeat, Return, Tuple, Unary, Unsafe, While
    )
}

fn is_lint(attribute: &syn::Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|lint| attribute.path().is_ident(lint))
}
