//! What a [walk](super::walker) finds: accesses, operations in which threads wait for each other, and what the proofs need of them.

use super::exact::Assumption;
use super::facts::Facts;
use super::reaching_barriers::ReachingBarriers;
use super::unique_counters::{Counters, Draw};
use crate::check::clients::index_width::Demanded;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::value::Value;
use crate::model::*;
use proc_macro2::Span;
use std::collections::HashSet;

/// One evaluation of `base[index]`, or of `base[[i, j]]` for a view, or a call of a function that takes the array `base`.
pub(crate) struct Access<'f> {
    pub(crate) base: &'f Expr,
    /// One for each axis; a slice or array has one. None where a function takes the array: it may use any element.
    pub(crate) indices: Vec<AxisIndex<'f>>,
    pub(crate) writes: bool,
    /// The facts after the indices have been evaluated.
    pub(crate) facts: Facts,
    /// Which barriers may be the last before it. `None` in a closure, which may be called anywhere.
    pub(crate) ways: Option<ReachingBarriers>,
    /// The loops and labelled blocks around it.
    pub(crate) loops: Vec<LabelId>,
}

/// What the next iteration of a loop has in place of a value that each iteration has.
#[derive(Clone)]
pub(crate) struct Advance {
    pub(crate) label: LabelId,
    /// What an iteration has.
    pub(crate) symbol: Symbol,
    /// What the next one has, made of what this one has. `None` if different ones are different.
    pub(crate) next: Option<NormalForm>,
}

pub(crate) struct AxisIndex<'f> {
    pub(crate) expr: &'f Expr,
    pub(crate) value: Value,
    /// The extent of the axis, if the host knows it.
    pub(crate) length: Option<Polynomial>,
    pub(crate) site: SiteId,
}

/// Something that fails at `site` unless `value` is below `limit`: a division, or a method with limits.
pub(crate) struct Requirement {
    pub(crate) site: SiteId,
    pub(crate) value: Value,
    pub(crate) limit: Polynomial,
    /// The facts before it.
    pub(crate) facts: Facts,
}

/// An operation in which threads wait for each other.
pub(crate) struct Collective {
    /// The function that is called.
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Which threads reach it together.
    pub(crate) together: Uniformity,
    pub(crate) scope: CollectiveScope,
}

/// Which threads must reach it together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CollectiveScope {
    Grid,
    Block,
    Warp,
    /// Those that a mask names, about which nothing is known.
    Lanes,
}

impl Collective {
    /// Whether all threads that must reach it do.
    pub(crate) fn is_safe(&self) -> bool {
        match self.scope {
            CollectiveScope::Grid => self.together <= Uniformity::Grid,
            CollectiveScope::Block => self.together <= Uniformity::Block,
            CollectiveScope::Warp => self.together <= Uniformity::Warp,
            CollectiveScope::Lanes => false,
        }
    }
}

/// A call in which threads may wait for each other, and which of them pass the same values.
pub(crate) struct AwaitedCall<'f> {
    pub(crate) call: &'f Expr,
    pub(crate) args: Vec<Uniformity>,
}

/// The result of a walk.
pub(crate) struct Effects<'f> {
    pub(crate) accesses: Vec<Access<'f>>,
    /// Those of [closures](super::closures) again, at each call: what bounds is known of.
    pub(crate) of_calls: Vec<Access<'f>>,
    /// What must hold of operations that may fail, at each of their evaluations.
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) collectives: Vec<Collective>,
    pub(crate) awaited: Vec<AwaitedCall<'f>>,
    /// Uses of a slice variable other than to index it or to ask its length.
    pub(crate) escapes: Vec<(LocalId, Span)>,
    /// Which threads get the same result, if they call the function together.
    pub(crate) result: Uniformity,
    pub(crate) assumed: Assumed,
    /// The value of `block_dim()`.
    pub(crate) block: [Value; 3],
    /// The loops that each fresh symbol is evaluated in.
    pub(crate) loops: Vec<Vec<LabelId>>,
    /// What counters and variables become in the next iteration of a loop that changes them.
    pub(crate) advances: Vec<Advance>,
    /// Calls of `fetch_add`.
    pub(crate) draws: Vec<Draw>,
    /// When what these return is unique.
    pub(crate) counters: Counters,
    /// The loops over `grid_stride(n)` whose counter, advanced from below `n`, may exceed `usize::MAX`.
    pub(crate) overflowing_strides: HashSet<LabelId>,
    /// What must be known of the [demanding](crate::check::clients::index_width) expressions, at each of their evaluations.
    pub(crate) demanded: Vec<Demanded>,
    /// The operations that are taken not to overflow, at each of their evaluations.
    pub(crate) assumptions: Vec<Assumption>,
    /// The sums, differences and products of signed integers, at each of their evaluations: whether it is exact, if what is taken for that is.
    pub(crate) operations: Vec<(*const Expr, bool)>,
    /// Whether variables have [quantities](super::quantities) that are derived from those of the launch.
    pub(crate) derives_quantities: bool,
}

impl Effects<'_> {
    /// Of a kernel with such blocks, in which nothing has been found yet.
    pub(crate) fn new(block: &[Value; 3], assumed: Assumed) -> Self {
        Effects {
            accesses: Vec::new(),
            of_calls: Vec::new(),
            requirements: Vec::new(),
            collectives: Vec::new(),
            awaited: Vec::new(),
            escapes: Vec::new(),
            result: Uniformity::Launch,
            assumed,
            block: block.clone(),
            loops: Vec::new(),
            advances: Vec::new(),
            draws: Vec::new(),
            counters: Counters::default(),
            overflowing_strides: HashSet::new(),
            demanded: Vec::new(),
            assumptions: Vec::new(),
            operations: Vec::new(),
            derives_quantities: false,
        }
    }

    /// Whether the kernel declares the extent of its blocks along some axis.
    pub(crate) fn declares_blocks(&self) -> bool {
        self.block.iter().any(is_declared)
    }

    /// Whether a proof about blocks with so many leading axes is one about the blocks of the kernel.
    ///
    /// One about blocks of a single thread, or of fewer axes than the kernel declares, would only turn a launch that needs `unsafe` into an
    /// error.
    pub(crate) fn fits_blocks(&self, axes: u8) -> bool {
        let is_needed = |extent: &Value| is_declared(extent) && extent.form.as_constant() != Some(1);
        let needed = self.block.iter().rposition(is_needed).map_or(1, |last| last + 1);
        usize::from(axes) >= needed
    }
}

/// Whether it is no choice of the launch.
fn is_declared(extent: &Value) -> bool {
    !matches!(extent.form.as_symbol().map(|symbol| &symbol.kind), Some(SymbolKind::Launch(Atom::BlockDim(_))))
}
