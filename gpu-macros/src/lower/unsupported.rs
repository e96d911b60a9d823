//! Expressions that kernels do not have, and what to write instead.

use super::Lowerer;
use crate::model::Expr;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn refuse_unsupported(&mut self, expr: &syn::Expr) -> Expr {
        if matches!(expr, syn::Expr::Let(_)) {
            return self.refuse_invalid(
                expr.span(),
                "`let` is only supported in the condition of `if` or `while`, alone or combined with other conditions by `&&`\nhelp: write `matches!(value, pattern)`",
            );
        }
        let message = match expr {
            syn::Expr::Reference(_) if self.output_refused => return self.refused(expr.span()),
            syn::Expr::Reference(_) => {
                "references are not supported as values in kernels\nhelp: index the slice or array where it is used; `&a` can be passed to a `#[gpu_device]` function"
            }
            syn::Expr::RawAddr(_) => "raw pointers are not supported in kernels\nhelp: index a slice",
            syn::Expr::Async(_) => "`async` blocks are not supported in kernels\nhelp: synchronize threads with `sync_threads()`",
            syn::Expr::Range(_) => "a range is only supported in `for`\nhelp: write `for i in a..b`, or compare with `a <= i && i < b`",
            syn::Expr::Const(_) => "`const` blocks are not supported in kernels\nhelp: name the value with a `const` item",
            syn::Expr::Infer(_) => "`_` is not a value",
            syn::Expr::Yield(_) => "`yield` is not supported in kernels",
            _ => "this expression is not supported in kernels",
        };
        self.refuse(expr.span(), message)
    }
}
