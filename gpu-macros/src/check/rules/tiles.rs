//! Kernels with tiles: they have no threads.

use crate::check::Analysis;
use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;
use std::fmt::Display;

/// The numbers of threads that a block with tiles can have.
const THREADS: [u64; 6] = [32, 64, 128, 256, 512, 1024];

/// Refuses closures of a kernel with tiles that can fail: a check that fails ends its thread, and the others would wait for it in the next
/// product. Outside of closures, all threads of a block fail together. The runtime looks at the functions that closures call.
pub(crate) fn check_tile_closures(function: &Function, analysis: &Analysis, errors: &Errors) {
    if function.is_tiled() {
        function.body.for_each_child(&mut |expr| check_closures_in(expr, false, &|site| *analysis.bound(site) == NEVER_FAILS, errors));
    }
}

const NEVER_FAILS: Bound = Bound::Below(Vec::new());

fn check_closures_in(expr: &Expr, is_in_closure: bool, never_fails: &impl Fn(SiteId) -> bool, errors: &Errors) {
    let help = match expr.action() {
        Action::Access if !has_proved_index(expr, never_fails) => Some(
            "read it under a condition, such as `if i < x.len() { x[i] } else { 0.0 }`: the closure runs also for elements outside of the view",
        ),
        Action::Compute { can_fail: true } | Action::CompoundAssign { can_fail: true, .. } => help_with_operation(&expr.kind),
        Action::Panic => Some("return a value that the kernel stores"),
        _ => None,
    };
    if let Some(help) = help.filter(|_| is_in_closure) {
        let message = "this can fail for some elements of a tile, which would end some threads of the block";
        errors.push(expr.span, format!("{message}\nhelp: {help}"));
    }
    let is_in_closure = is_in_closure || matches!(expr.kind, ExprKind::Closure(_));
    expr.for_each_child(&mut |child| check_closures_in(child, is_in_closure, never_fails, errors));
}

/// What to write instead of an operation that can fail. `None` if it cannot, with these operands.
fn help_with_operation(operation: &ExprKind) -> Option<&'static str> {
    const DIVIDE: &str = "divide by a number that is written out and not 0, or write `a.checked_div(b).unwrap_or(0)`";
    // Halves are numbers, and an operator of another type with their name is looked at when the kernel is launched.
    let division_can_fail = |ty: &Type, divisor: &Expr| division_can_fail(ty, divisor) && !is_half(ty);
    match operation {
        ExprKind::Binary { left, right, .. } => division_can_fail(&left.ty, right).then_some(DIVIDE),
        ExprKind::CompoundAssign { place, value, .. } => division_can_fail(&place.ty, value).then_some(DIVIDE),
        ExprKind::Method { method, receiver, args, .. } => match (method.failure, &args[..]) {
            (Some(Failure::Limits), [lowest, highest]) => {
                let is_in_order = literal_number(lowest).zip(literal_number(highest)).is_some_and(|(lowest, highest)| lowest <= highest);
                (!is_in_order).then_some("write the limits as numbers, or `x.max(lowest).min(highest)`")
            }
            (Some(Failure::Division | Failure::ZeroDivisor), [divisor]) if !division_can_fail(&receiver.ty, divisor) => None,
            (Some(Failure::NotPositive), _) => Some("write `x.max(1)` for the argument of the logarithm, and a number for 0"),
            _ => Some(DIVIDE),
        },
        _ => Some("return a value that the kernel stores"),
    }
}

fn is_half(ty: &Type) -> bool {
    matches!(ty, Type::Named(named) if named.half_name().is_some())
}

fn literal_number(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Int(literal) => u32::try_from(literal.value).ok().map(f64::from),
        ExprKind::Float(literal) => literal.digits.parse().ok(),
        ExprKind::Unary { op: UnaryOp::Negate, operand } => Some(-literal_number(operand)?),
        _ => None,
    }
}

fn has_proved_index(access: &Expr, never_fails: &impl Fn(SiteId) -> bool) -> bool {
    match &access.kind {
        ExprKind::Index { site, .. } => never_fails(*site),
        ExprKind::Element { sites, .. } => sites.iter().all(|site| never_fails(*site)),
        _ => false,
    }
}

/// Refuses what a kernel with tiles cannot have, and tiles elsewhere.
pub(crate) fn check_tiles(function: &Function, errors: &Errors) {
    let declared = || function.locals.iter().find(|local| local.ty.tile().is_some()).map(|local| local.name.span());
    let returned = || function.output.tile().map(|_| function.name.span());
    let Some(first) = first_tile(&function.body).or_else(declared).or_else(returned) else {
        if let FunctionKind::Kernel(KernelOptions { stages: Some(stages), .. }) = &function.kind {
            errors.push(stages.span, "`stages` is for loops over tiles, and this kernel has none\nhelp: remove it");
        }
        return;
    };
    let FunctionKind::Kernel(options) = &function.kind else {
        errors.push(first, "tiles are supported in kernels only\nhelp: let the device function compute one element, and call it in `map`");
        return;
    };
    check_block(options, first, errors);
    let mut checker = Checker { function, errors, stores: Vec::new(), is_in_closure: false };
    function.body.for_each_child(&mut |expr| checker.check(expr));
}

fn first_tile(block: &Block) -> Option<Span> {
    fn find(expr: &Expr, found: &mut Option<Span>) {
        if let (ExprKind::Tile { .. }, None) = (&expr.kind, &found) {
            *found = Some(expr.span);
        }
        expr.for_each_child(&mut |child| find(child, found));
    }
    let mut found = None;
    block.for_each_child(&mut |expr| find(expr, &mut found));
    found
}

fn check_block(options: &KernelOptions, first: Span, errors: &Errors) {
    match options.block.as_deref() {
        Some([threads]) if threads.value().is_some_and(|threads| THREADS.contains(&threads)) => {}
        Some([threads, ..]) => errors.push(
            threads.span(),
            "a block with tiles has 32, 64, 128, 256, 512 or 1024 threads, written as one number\nhelp: write `block = 256`",
        ),
        _ => errors.push(
            first,
            "a kernel with tiles needs the number of threads that a block has\nhelp: write it in the attribute: `#[gpu_kernel(block = 256)]`",
        ),
    }
}

struct Checker<'f> {
    function: &'f Function,
    errors: &'f Errors,
    /// The views that are stored to, each with the tile that the first store has.
    stores: Vec<(LocalId, TileType)>,
    is_in_closure: bool,
}

impl Checker<'_> {
    fn check(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Tile { name, .. } if self.is_in_closure => {
                self.errors.push(name.span(), "an operation of tiles is not supported in a closure\nhelp: compute the tile before it");
                return;
            }
            ExprKind::Tile { operation: operation @ (TileOperation::Load | TileOperation::Store(_)), args, .. } => {
                if let (TileOperation::Store(_), ExprKind::Local(view), Some(tile)) =
                    (operation, &args[0].kind, args.last().and_then(|tile| tile.ty.tile()))
                {
                    self.check_store(*view, tile, args[0].span);
                }
                args[1..].iter().for_each(|arg| self.check(arg));
                return;
            }
            ExprKind::Tile { operation: TileOperation::Binary(BinaryOp::Divide), name, .. } if has_integers(&expr.ty) => {
                self.errors.push(name.span(), "tiles of integers cannot be divided\nhelp: write `x.map(|x| x / 2)`");
            }
            ExprKind::Extent { .. } => return,
            ExprKind::Local(local) => self.check_handle(*local, expr.span),
            ExprKind::Intrinsic { intrinsic, path, .. } => self.check_intrinsic(*intrinsic, path, expr.span),
            ExprKind::For { range: Range::GridStride { .. }, .. } => self.refuse(expr.span, "`grid_stride`"),
            ExprKind::Call { awaited: true, .. } => self.refuse(expr.span, "a function in which threads wait for each other"),
            ExprKind::Assembly(_) => self.refuse(expr.span, "`ptx!`"),
            ExprKind::Atomic { .. } => self.refuse(expr.span, "an atomic, which every thread would change,"),
            _ => {}
        }
        let is_outside = self.is_in_closure;
        self.is_in_closure |= matches!(expr.kind, ExprKind::Closure(_));
        expr.for_each_child(&mut |child| self.check(child));
        self.is_in_closure = is_outside;
    }

    fn refuse(&self, span: Span, what: impl Display) {
        self.errors.push(
            span,
            format!("a kernel with tiles has no threads, so {what} is not supported in it\nhelp: compute with whole tiles: `map_at` passes the row and the column of an element; or write another kernel"),
        );
    }

    fn check_intrinsic(&self, intrinsic: Intrinsic, path: &syn::Path, span: Span) {
        if !matches!(intrinsic, Intrinsic::BlockIdx | Intrinsic::GridDim) {
            let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
            self.refuse(span, format!("`{name}`"));
        }
    }

    /// What the kernel may write can only be stored to.
    fn check_handle(&self, local: LocalId, span: Span) {
        let Local { name, ty, .. } = self.function.local(local);
        if ty.is_mutable_parameter() {
            self.errors.push(
                span,
                format!("in a kernel with tiles, `{name}` can only be stored to, tile by tile\nhelp: write `{name}.tile_mut(i, j).store(tile)`; pass what is read as another parameter"),
            );
        }
    }

    /// The tiles of a view have one size: else two of them could have elements in common.
    fn check_store(&mut self, view: LocalId, tile: &TileType, span: Span) {
        let Some((_, first)) = self.stores.iter().find(|(known, _)| *known == view) else {
            self.stores.push((view, tile.clone()));
            return;
        };
        if first.rows != tile.rows || first.columns != tile.columns {
            let name = &self.function.local(view).name;
            self.errors.push(
                span,
                format!("the tiles of `{name}` have another size in an earlier store, so that two blocks could write to one element\nhelp: store tiles of one size, or write another kernel"),
            );
        }
    }
}

fn has_integers(ty: &Type) -> bool {
    ty.tile().and_then(|tile| tile.element.as_scalar()).is_some_and(Scalar::is_integer)
}
