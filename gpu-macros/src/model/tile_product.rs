//! Kernels that are one product of tiles: variables, the sum, its loop, and the store.
//!
//! ```ignore
//! let (i, j) = (block_idx().y, block_idx().x);
//! let mut sum = Tile::<f32, 128, 256>::zeros();
//! for k in 0..a.tiles(1, 64) {
//!     sum += a.tile::<128, 64>(i, k).dot(b.tile::<64, 256>(k, j));
//! }
//! c.tile_mut(i, j).store(sum.cast::<bf16>());
//! ```
//!
//! What such a block does is known before it does it: a block of the GPU can do it for several blocks of the grid. With tiles of other sizes, this has not
//! been faster.

use super::{
    Expr, ExprKind, Function, FunctionKind, IntLiteral, Intrinsic, KernelOptions, Length, LocalId, Precision, Range, Stmt, TileOperation,
    Type,
};

/// A kernel that adds the products of a row and a column of tiles of 16-bit floats, and stores the sum in their type.
pub(crate) struct ProductOfTiles<'f> {
    /// The other variables, which are computed from `block_idx()` and do not fail.
    pub(crate) variables: Vec<&'f Stmt>,
    /// The variable of the loop, and how many steps it has, the same for all blocks.
    pub(crate) counter: LocalId,
    pub(crate) steps: &'f Expr,
    /// What is multiplied in a step.
    pub(crate) factors: &'f [Expr],
    /// The view of the store, with the row and the column of the tile.
    pub(crate) place: &'f [Expr],
}

impl Function {
    /// The product that the kernel is, if it does nothing else.
    pub(crate) fn product_of_tiles(&self) -> Option<ProductOfTiles<'_>> {
        match &self.kind {
            FunctionKind::Kernel(options) if options.stages.is_none() && has_threads(options, 256) => {}
            _ => return None,
        }
        let mut variables: Vec<&Stmt> = self.body.stmts.iter().collect();
        let store = match &self.body.value {
            Some(value) => value,
            None => expression(variables.pop()?)?,
        };
        let ExprKind::For { counter, range, body, .. } = &expression(variables.pop()?)?.kind else { return None };
        let ExprKind::Tile { operation: TileOperation::Store(_), args, .. } = &store.kind else { return None };
        let (place @ [_, row, column], [stored]) = args.split_at_checked(3)? else { return None };
        let (all @ [sum, a, b], Precision::Full) = body.row_by_column(*counter)? else { return None };
        let ExprKind::Local(sum) = sum.kind else { return None };
        variables.remove(variables.iter().position(|stmt| is_zeros(stmt, sum))?);
        let is_sum = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == sum);
        let (index_of_a, is_a_transposed) = index_in_matrix(a)?;
        let (index_of_b, _) = index_in_matrix(b)?;
        let is_one = !is_a_transposed
            && has_size(a, [128, 64])
            && has_size(b, [64, 256])
            && matches!(&stored.kind, ExprKind::Tile { operation: TileOperation::Cast, args, .. } if is_sum(&args[0]))
            && half_of(stored)? == half_of(a)?
            && variables.iter().all(|stmt| is_plain_variable(stmt))
            && [row, column].into_iter().chain(index_of_a).chain(index_of_b).all(is_plain);
        is_one.then_some(ProductOfTiles { variables, counter: *counter, steps: number_of_steps(range)?, factors: &all[1..], place })
    }
}

fn expression(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Expr(expr) => Some(expr),
        Stmt::Let(_) => None,
    }
}

/// Whether the variable is declared here, as a tile of zeros.
fn is_zeros(stmt: &Stmt, variable: LocalId) -> bool {
    let Stmt::Let(local) = stmt else { return false };
    let is_zeros = |init: &Expr| matches!(init.kind, ExprKind::Tile { operation: TileOperation::Zeros(_), .. });
    local.pattern.as_name() == Some(variable) && local.init.as_ref().is_some_and(is_zeros)
}

/// Of a tile of a view with two axes: its row and its column, and whether it is transposed.
fn index_in_matrix(tile: &Expr) -> Option<(&[Expr], bool)> {
    let (args, is_transposed) = tile.tile_of_view()?;
    (args.len() == 3).then_some((&args[1..], is_transposed))
}

fn has_threads(options: &KernelOptions, threads: u64) -> bool {
    options.block.as_deref().and_then(<[Length]>::first).and_then(Length::value) == Some(threads)
}

fn has_size(tile: &Expr, size: [u64; 2]) -> bool {
    tile.ty.tile().is_some_and(|tile| [tile.rows.value(), tile.columns.as_ref().and_then(Length::value)] == size.map(Some))
}

fn half_of(tile: &Expr) -> Option<&'static str> {
    match &tile.ty.tile()?.element {
        Type::Named(named) => named.half_name(),
        _ => None,
    }
}

/// The end of `0..a.tiles(1, 64)`, or of a range to another number or extent.
fn number_of_steps(range: &Range) -> Option<&Expr> {
    let Range::Bounds { start, end, inclusive: false, adapters } = range else { return None };
    let is_positive = |expr: &Expr| matches!(&expr.kind, ExprKind::Int(literal) if literal.value > 0);
    let is_same_for_all = match &end.kind {
        ExprKind::Method { receiver, args, .. } => matches!(receiver.kind, ExprKind::Extent { .. }) && args.iter().all(is_positive),
        kind => matches!(kind, ExprKind::Extent { .. } | ExprKind::Int(_) | ExprKind::Constant(_)),
    };
    (matches!(&start.kind, ExprKind::Int(IntLiteral { value: 0, .. })) && adapters.is_empty() && is_same_for_all).then_some(end)
}

fn is_plain_variable(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Let(local) if local.otherwise.is_none() && local.init.as_ref().is_some_and(is_plain))
}

/// Whether it is a number that can be computed for any block of the grid, and does not fail.
fn is_plain(expr: &Expr) -> bool {
    let is_plain_here = match &expr.kind {
        ExprKind::Intrinsic { intrinsic, .. } => matches!(intrinsic, Intrinsic::BlockIdx),
        ExprKind::Binary { site, .. } => site.is_none(),
        ExprKind::Int(_)
        | ExprKind::Local(_)
        | ExprKind::Constant(_)
        | ExprKind::Extent { .. }
        | ExprKind::Axis { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Tuple(_) => true,
        _ => false,
    };
    let mut is_all_plain = is_plain_here;
    expr.for_each_child(&mut |child| is_all_plain &= is_plain(child));
    is_all_plain
}
