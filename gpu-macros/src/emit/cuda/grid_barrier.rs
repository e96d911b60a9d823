//! The parts of a kernel for the grid barrier: a parameter for the state of the barrier, and a call wherever a thread returns, which counts
//! the threads that remain.
//!
//! The barrier may be in a function that the kernel calls; the macro only knows that the kernel awaits the call. So both parts are only
//! present in programs that contain the barrier's snippet, which the runtime sees when it links them.
//!
//! ```c
//! extern "C" __global__ void kernel(f32* x, usize x_len, gr_grid* gr_launch) {
//!   gr_begin_thread(gr_launch);
//!   if (gr_leaves(i >= x_len)) return;
//!   if (x[i] < 0.0f) {
//!     x[i] = 0.0f;
//!     gr_end_thread<1>(); return;
//!   }
//!   …
//!   gr_end_thread<2>();
//! }
//! ```
//!
//! A destructor would be simpler, but its code is one place at which all threads continue: the threads of a warp would wait there for the
//! other threads, which wait at a barrier for them. So the call never returns, and each call is a different function, which the compiler
//! cannot merge with the others. In a loop, it is still one place at which the iterations continue. So for the common
//! `if done { return; }`, the thread is counted before the branch, where all threads are together, and the branch only ends the thread.

use super::Emitter;
use super::text::{CText, c};
use crate::emit::Piece;
use crate::model::*;

impl Emitter<'_> {
    /// `gr_sync_grid(site);`
    pub(super) fn write_grid_barrier(&mut self, builtin: Builtin, site: SiteId) {
        // It reports blocks that miss each other.
        self.need("panic");
        self.cooperation.has_barrier = true;
        let function = self.builtin_name(builtin);
        self.writer.line(c![function, "(", CText::hole(Piece::Site(site.0)), ");"]);
    }

    /// The parameter behind those of a kernel.
    pub(super) fn grid_param(&self) -> CText {
        let comma = if self.function.params.is_empty() { "" } else { ", " };
        self.if_cooperative(c![comma, "gr_grid* gr_launch"])
    }

    /// The start of a kernel.
    pub(super) fn write_grid_prologue(&self) -> CText {
        self.if_cooperative("  gr_begin_thread(gr_launch);\n".into())
    }

    /// The end of a kernel.
    pub(super) fn write_grid_epilogue(&mut self) -> CText {
        self.ends += 1;
        self.if_cooperative(c!["  gr_end_thread<", self.ends, ">();\n"])
    }

    /// `return;` without a value.
    pub(super) fn write_end(&mut self) {
        if self.closures == 0 {
            self.ends += 1;
            let end = self.if_cooperative(c!["gr_end_thread<", self.ends, ">(); "]);
            self.writer.line(c![end, "return;"]);
        } else {
            self.writer.line("return;");
        }
    }

    /// `if (gr_leaves(condition)) return;` for a kernel's `if condition { return; }`. Returns whether `then` is only a `return`.
    pub(super) fn write_conditional_end(&mut self, condition: &CText, then: &Block) -> bool {
        if !self.may_be_cooperative() || self.closures > 0 || !is_return(then) {
            return false;
        }
        let (before, behind) = (self.if_cooperative("gr_leaves(".into()), self.if_cooperative(")".into()));
        self.writer.line(c!["if (", before, condition, behind, ") return;"]);
        true
    }

    /// Whether it is a kernel whose grid may turn out to wait.
    fn may_be_cooperative(&self) -> bool {
        self.options().is_some() && self.analysis.may_have_grid_barrier
    }

    /// `text` if the grid turns out to wait.
    fn if_cooperative(&self, text: CText) -> CText {
        if self.may_be_cooperative() { CText::hole(Piece::Cooperative(text.into_pieces())) } else { CText::default() }
    }
}

/// Whether the block is `{ return; }`.
fn is_return(block: &Block) -> bool {
    match (block.stmts.as_slice(), &block.value) {
        ([Stmt::Expr(only)], None) | ([], Some(only)) => matches!(only.kind, ExprKind::Return(None)),
        _ => false,
    }
}
