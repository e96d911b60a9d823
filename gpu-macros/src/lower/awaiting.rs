//! `.await`: the call of a device function that contains a barrier.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// Whether threads can wait for each other here.
    pub(super) fn may_suspend(&self) -> bool {
        self.is_kernel || self.is_async
    }

    pub(super) fn lower_await(&mut self, awaited: &syn::ExprAwait) -> Expr {
        let (span, at) = (awaited.start(), awaited.await_token.span());
        if !self.is_async {
            // A kernel is a plain `fn`, in which rustc knows no `.await`.
            self.errors.mark_invalid();
        }
        let syn::Expr::Call(call) = without_parentheses(&awaited.base) else {
            return self.refuse(at, "`.await` is only supported on a call of an `async` device function\nhelp: remove `.await`");
        };
        if self.is_array_function {
            return self.refuse(
                at,
                "`.await` is not supported in array functions because their calls are independent\nhelp: write a `#[gpu_kernel]` for threads that cooperate",
            );
        }
        if self.is_in_closure() {
            return self.refuse(at, "`.await` is not supported in closures\nhelp: call the function where the closure is called");
        }
        if !self.may_suspend() {
            return self.refuse(at, "`.await` is only supported in an `async` device function\nhelp: declare it `async fn`");
        }
        let mut lowered = self.lower_call(call);
        if lowered.is_refused() {
            return lowered;
        }
        if let ExprKind::Call { args, .. } = &lowered.kind
            && let Some(row) =
                args.iter().find(|arg| matches!(&arg.kind, ExprKind::Borrow { operand, .. } if !matches!(operand.kind, ExprKind::Local(_))))
        {
            return self.refuse(
                row.span,
                "only a whole array can be passed to an `async` device function: while it waits, other threads may write to a row\nhelp: pass the array, and the index as a number",
            );
        }
        match &mut lowered.kind {
            ExprKind::Call { awaited, .. } => *awaited = true,
            ExprKind::Intrinsic { path, .. } => {
                let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
                return self.refuse_invalid(at, format!("`{name}` is not `async`\nhelp: remove `.await`"));
            }
            _ => return self.refuse(at, "`.await` is only supported on a call of an `async` device function\nhelp: remove `.await`"),
        }
        Expr { span, ..lowered }
    }
}
