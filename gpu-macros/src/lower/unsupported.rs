//! Expressions that kernels do not have, and what to write instead.

use super::Lowerer;
use crate::model::Expr;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn refuse_unsupported(&mut self, expr: &syn::Expr) -> Expr {
        if matches!(expr, syn::Expr::Try(_)) {
            // Nor is it in a function that returns nothing.
            return self.refuse_invalid(
                expr.span(),
                "`?` is not supported in kernels\nhelp: test with `if`, and report a failure with `panic!` or `assert!`",
            );
        }
        let message = match expr {
            syn::Expr::Match(_) => "`match` is not supported in kernels yet\nhelp: use `if` and `else if`",
            syn::Expr::Struct(_) => "structs are not supported in kernels yet\nhelp: use a tuple or separate variables",
            syn::Expr::Reference(_) => {
                "references are not supported as values in kernels\nhelp: index the slice or array where it is used; `&a` can be passed to a `#[gpu_device]` function"
            }
            syn::Expr::RawAddr(_) => "raw pointers are not supported in kernels\nhelp: index a slice",
            syn::Expr::Async(_) | syn::Expr::Await(_) => {
                "`async` code is not supported in kernels\nhelp: threads wait for each other with `sync_threads()`"
            }
            syn::Expr::Range(_) => "a range is only supported in `for`\nhelp: write `for i in a..b`, or compare with `a <= i && i < b`",
            syn::Expr::Const(_) => "`const` blocks are not supported in kernels\nhelp: name the value with a `const` item",
            syn::Expr::Infer(_) => "`_` is not a value",
            syn::Expr::Let(_) => "`let` in a condition is not supported in kernels yet\nhelp: test the value with `if`",
            syn::Expr::Yield(_) => "`yield` is not supported in kernels",
            _ => "this expression is not supported in kernels",
        };
        self.refuse(expr.span(), message)
    }
}
