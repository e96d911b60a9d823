//! What a [walk](super::walk) finds: accesses, operations in which threads wait for each other, and what the proofs need of them.

use super::facts::Facts;
use super::form::{Spread, Symbol, SymbolKind};
use super::narrow::Demanded;
use super::tickets::{Counters, Draw};
use super::value::Value;
use super::ways::Ways;
use crate::model::*;
use proc_macro2::Span;

/// One evaluation of `base[index]`, or of `base[[i, j]]` for a view.
pub(super) struct Access<'f> {
    pub(super) base: &'f Expr,
    /// One for each axis; a slice or array has one.
    pub(super) indices: Vec<AxisIndex<'f>>,
    pub(super) writes: bool,
    /// The facts after the indices have been evaluated.
    pub(super) facts: Facts,
    /// Which barriers may be the last before it. `None` in a closure, which may be called anywhere.
    pub(super) ways: Option<Ways>,
}

pub(super) struct AxisIndex<'f> {
    pub(super) expr: &'f Expr,
    pub(super) value: Value,
    /// The extent of the axis, if the host knows it.
    pub(super) length: Option<Polynomial>,
    pub(super) site: SiteId,
}

/// An operation in which threads wait for each other.
pub(super) struct Collective {
    /// The function that is called.
    pub(super) name: String,
    pub(super) span: Span,
    /// Which threads reach it together.
    pub(super) together: Spread,
    pub(super) scope: CollectiveScope,
}

/// Which threads must reach it together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CollectiveScope {
    Grid,
    Block,
    Warp,
    /// Those that a mask names, about which nothing is known.
    Lanes,
}

impl Collective {
    /// Whether all threads that must reach it do.
    pub(super) fn is_safe(&self) -> bool {
        match self.scope {
            CollectiveScope::Grid => self.together <= Spread::Grid,
            CollectiveScope::Block => self.together <= Spread::Block,
            CollectiveScope::Warp => self.together <= Spread::Warp,
            CollectiveScope::Lanes => false,
        }
    }
}

/// A call in which threads may wait for each other, and which of them pass the same values.
pub(super) struct AwaitedCall<'f> {
    pub(super) call: &'f Expr,
    pub(super) args: Vec<Spread>,
}

/// The result of a walk.
pub(super) struct Walk<'f> {
    pub(super) accesses: Vec<Access<'f>>,
    pub(super) collectives: Vec<Collective>,
    pub(super) awaited: Vec<AwaitedCall<'f>>,
    /// Uses of a slice variable other than to index it or to ask its length.
    pub(super) escapes: Vec<(LocalId, Span)>,
    /// The value of `block_dim()`.
    pub(super) block: [Value; 3],
    /// The loops that each fresh symbol is evaluated in.
    pub(super) loops: Vec<Vec<LabelId>>,
    /// Calls of `fetch_add`, and what they return.
    pub(super) draws: Vec<Draw>,
    pub(super) tickets: Vec<Symbol>,
    /// When what these return is unique.
    pub(super) counters: Counters,
    /// What must be known of the [demanding](super::narrow) expressions, at each of their evaluations.
    pub(super) demanded: Vec<Demanded>,
    /// Whether variables have [quantities](super::quantities) that are derived from those of the launch.
    pub(super) derives_quantities: bool,
}

impl Walk<'_> {
    /// Of a kernel with such blocks, in which nothing has been found yet.
    pub(super) fn new(block: &[Value; 3]) -> Self {
        Walk {
            accesses: Vec::new(),
            collectives: Vec::new(),
            awaited: Vec::new(),
            escapes: Vec::new(),
            block: block.clone(),
            loops: Vec::new(),
            draws: Vec::new(),
            tickets: Vec::new(),
            counters: Counters::default(),
            demanded: Vec::new(),
            derives_quantities: false,
        }
    }

    /// Whether the kernel declares the extent of its blocks along some axis.
    pub(super) fn declares_blocks(&self) -> bool {
        self.block.iter().any(is_declared)
    }

    /// Whether a proof about blocks with so many leading axes is one about the blocks of the kernel.
    ///
    /// One about blocks of a single thread, or of fewer axes than the kernel declares, would only turn a launch that needs `unsafe` into an
    /// error.
    pub(super) fn fits_blocks(&self, axes: u8) -> bool {
        let is_needed = |extent: &Value| is_declared(extent) && extent.form.as_constant() != Some(1);
        let needed = self.block.iter().rposition(is_needed).map_or(1, |last| last + 1);
        usize::from(axes) >= needed
    }
}

/// Whether it is no choice of the launch.
fn is_declared(extent: &Value) -> bool {
    !matches!(extent.form.as_symbol().map(|symbol| &symbol.kind), Some(SymbolKind::Launch(Atom::BlockDim(_))))
}
