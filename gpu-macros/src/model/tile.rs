//! Tiles: matrices that a block computes with as a whole. A kernel in which there is one has no threads.
//!
//! The type of a tile follows from its syntax: constructors and loads spell it, and operations compute it. So lowering knows it, and
//! inference only finds the types of elements.

use super::{BinaryOp, Block, Expr, ExprKind, Function, Length, LocalId, Scalar, SiteId, Stmt, Type};

/// `Tile<T, R, C>`, or the `Column<T, R>` of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TileType {
    pub(crate) element: Type,
    pub(crate) rows: Length,
    /// `None` of a column.
    pub(crate) columns: Option<Length>,
}

/// What is computed of tiles. The operands are those of [`ExprKind::Tile`], in order of evaluation.
#[derive(Clone)]
pub(crate) enum TileOperation {
    /// `Tile::<f32, 128, 256>::zeros()`, by the user's path.
    Zeros(syn::Path),
    /// The same of any number.
    Splat(syn::Path),
    /// `a.tile::<128, 64>(i, k)`, of the view, the row and the column. For a view with three axes, the matrix is before the row.
    Load,
    /// `c.tile_mut(i, j).store(tile)`, of the operands of a load and the tile. At the sites, one for each axis, nothing fails.
    Store(Vec<SiteId>),
    Dot(Precision),
    /// `sum += a.dot(b)`, of the variable and both tiles.
    AddDot(Precision),
    /// Of tiles, columns and numbers.
    Binary(BinaryOp),
    Negate,
    /// Of one tile or two, and a closure.
    Map,
    /// The closure takes the row and the column too.
    MapAt,
    Cast,
    RowMax,
    RowSum,
    /// Of a tile of a view: it lies as before, and is read in another order.
    Transpose,
}

/// What of the operands of a product is multiplied.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Precision {
    Full,
    /// Of `f32`, 10 bits after the point: `a.dot_tf32(b)`.
    Tf32,
}

impl TileOperation {
    /// The operation of a method of tiles, and how many arguments the method has.
    pub(crate) fn of_method(name: &str) -> Option<(TileOperation, usize)> {
        Some(match name {
            "dot" => (TileOperation::Dot(Precision::Full), 1),
            "dot_tf32" => (TileOperation::Dot(Precision::Tf32), 1),
            "map" => (TileOperation::Map, 1),
            "zip" => (TileOperation::Map, 2),
            "map_at" => (TileOperation::MapAt, 1),
            "cast" => (TileOperation::Cast, 0),
            "row_max" => (TileOperation::RowMax, 0),
            "row_sum" => (TileOperation::RowSum, 0),
            "transpose" => (TileOperation::Transpose, 0),
            _ => return None,
        })
    }

    /// Whether the threads of the block wait for each other in it.
    pub(crate) fn synchronizes(&self) -> bool {
        use TileOperation::{AddDot, Dot, RowMax, RowSum, Store};
        matches!(self, Dot(_) | AddDot(_) | RowMax | RowSum | Store(_))
    }
}

impl Expr {
    /// Of `a.dot(b)` and `sum += a.dot(b)`, both tiles and what of them is multiplied.
    pub(crate) fn factors(&self) -> Option<([&Expr; 2], Precision)> {
        let ExprKind::Tile { operation: TileOperation::Dot(precision) | TileOperation::AddDot(precision), args, .. } = &self.kind else {
            return None;
        };
        let [.., a, b] = &args[..] else { return None };
        Some(([a, b], *precision))
    }

    /// Of `a.tile(i, k)` and `a.tile(i, k).transpose()`, the operands, and whether it is the second.
    pub(crate) fn tile_of_view(&self) -> Option<(&[Expr], bool)> {
        match &self.kind {
            ExprKind::Tile { operation: TileOperation::Load, args, .. } => Some((args, false)),
            ExprKind::Tile { operation: TileOperation::Transpose, args, .. } => Some((args[0].tile_of_view()?.0, true)),
            _ => None,
        }
    }

    /// Whether both are the same tile of a view, or one is the other transposed.
    pub(crate) fn is_same_tile(&self, other: &Expr) -> bool {
        let (Some((a, of_a)), Some((b, of_b))) = (self.place_of_tile(), other.place_of_tile()) else { return false };
        of_a == of_b && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same_number(b))
    }

    /// Of a tile of a view, transposed or not, the operands, and its extents as it lies.
    fn place_of_tile(&self) -> Option<(&[Expr], [Option<&Length>; 2])> {
        let ((args, is_transposed), ty) = (self.tile_of_view()?, self.ty.tile()?);
        let (rows, columns) = (Some(&ty.rows), ty.columns.as_ref());
        Some((args, if is_transposed { [columns, rows] } else { [rows, columns] }))
    }

    /// Whether both are the same variable, or are computed in the same way from the same ones, which nothing changes between them.
    fn is_same_number(&self, other: &Expr) -> bool {
        use ExprKind::{Axis, Binary, Cast, Extent, Int, Intrinsic, Local};
        match (&self.kind, &other.kind) {
            (Local(a), Local(b)) => a == b,
            (Int(a), Int(b)) => a.value == b.value,
            (Intrinsic { intrinsic: a, .. }, Intrinsic { intrinsic: b, .. }) => a == b,
            (Extent { base, axis }, Extent { base: of_other, axis: other }) => axis == other && base.is_same_number(of_other),
            (Axis { base, axis, .. }, Axis { base: of_other, axis: other, .. }) => axis == other && base.is_same_number(of_other),
            (Cast { operand, to }, Cast { operand: of_other, to: other }) => to == other && operand.is_same_number(of_other),
            (Binary { op, left, right, .. }, Binary { op: other, left: a, right: b, .. }) => {
                op == other && left.is_same_number(a) && right.is_same_number(b)
            }
            _ => false,
        }
    }
}

impl Type {
    pub(crate) fn tile(&self) -> Option<&TileType> {
        match self {
            Type::Tile(tile) => Some(tile),
            _ => None,
        }
    }

    /// The type of sums of products of elements of this type, if tiles have such elements.
    pub(crate) fn sum_of_products(&self) -> Option<Type> {
        match self {
            Type::Scalar(Scalar::F32) => Some(Type::Scalar(Scalar::F32)),
            Type::Scalar(Scalar::F64) => Some(Type::Scalar(Scalar::F64)),
            Type::Scalar(Scalar::I8 | Scalar::I32) => Some(Type::I32),
            Type::Named(named) if named.half_name().is_some() => Some(Type::Scalar(Scalar::F32)),
            _ => None,
        }
    }
}

impl Block {
    /// The operands of `sum += a.tile(i, k).dot(b.tile(k, j))`, the sum first, and what of them is multiplied, if nothing else is in it, `k` is the
    /// loop's `counter`, and `i` and `j` do not depend on it.
    pub(crate) fn row_by_column(&self, counter: LocalId) -> Option<(&[Expr], Precision)> {
        let statement = match (&self.stmts[..], &self.value) {
            ([Stmt::Expr(statement)], None) => statement,
            ([], Some(statement)) => statement,
            _ => return None,
        };
        let ExprKind::Assign { value, .. } = &statement.kind else { return None };
        let ExprKind::Tile { operation: TileOperation::AddDot(precision), args, .. } = &value.kind else { return None };
        let is_counter = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == counter);
        let is_along = |factor: &Expr, is_row: bool| {
            factor.tile_of_view().is_some_and(|(args, is_transposed)| {
                let [.., row, column] = args else { return false };
                let (moving, fixed) = if is_row != is_transposed { (row, column) } else { (column, row) };
                let is_fixed = |index: &Expr| !index.any(&is_counter);
                is_counter(moving) && is_fixed(fixed) && args[1..args.len() - 2].iter().all(is_fixed)
            })
        };
        (is_along(&args[1], false) && is_along(&args[2], true)).then_some((args, *precision))
    }

    /// Whether anything in it computes with tiles.
    pub(crate) fn has_tiles(&self) -> bool {
        self.any(&|expr: &Expr| matches!(expr.kind, ExprKind::Tile { .. }))
    }
}

impl Function {
    /// Whether it is a kernel with tiles, which has no threads.
    pub(crate) fn is_tiled(&self) -> bool {
        self.body.has_tiles()
    }
}
