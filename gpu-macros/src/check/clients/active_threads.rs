//! Threads past the end of a row: a kernel starts more threads than there are elements, and compares its index with a length first.
//!
//! The twin runs the threads of a row as a loop. If threads whose x coordinate in the grid is not below a limit do nothing, and the launch
//! knows the limit, the loop ends there, and rustc can remove the kernel's own comparison: a loop without branches becomes vector
//! instructions.
//!
//! A row ends with its block, unless all that a thread knows of itself is its x coordinate in the grid. Then a row may continue through the
//! blocks that follow, and what a row costs is spread over many more threads.

use crate::check::rules::dynamic::Host;
use crate::model::*;
use std::collections::HashSet;

/// The limit, for a kernel whose work is all behind a comparison with it.
pub(crate) fn find_row_limit(function: &Function) -> Option<HostValue> {
    let rows = Rows { host: Host::new(function), first_parts: first_parts_of_coordinates(function) };
    let Block { stmts, value, .. } = &function.body;
    let mut rest = stmts.iter();
    while let Some(stmt) = rest.next() {
        match stmt {
            Stmt::Let(binding) if binding.otherwise.is_none() && binding.init.as_ref().is_some_and(is_plain) => {}
            Stmt::Let(_) => return None,
            Stmt::Expr(expr) => return rows.limit_behind(expr, rest.len() == 0 && value.is_none()),
        }
    }
    rows.limit_behind(value.as_ref()?, true)
}

/// Whether all that a thread of the kernel knows of itself is its x coordinate in the grid.
pub(crate) fn knows_only_its_x(function: &Function) -> bool {
    let FunctionKind::Kernel(_) = &function.kind else { return false };
    let rows = Rows { host: Host::new(function), first_parts: HashSet::new() };
    let mut only = function.foreign.is_none();
    function.body.for_each_child(&mut |expr| only = only && rows.knows_only_its_x(expr));
    only
}

/// Whether the block is `{ return; }`.
fn is_return(block: &Block) -> bool {
    let only = match (block.stmts.as_slice(), &block.value) {
        ([Stmt::Expr(only)], None) => only,
        ([], Some(only)) => only,
        _ => return false,
    };
    matches!(only.kind, ExprKind::Return(None))
}

/// The `i` of each `let (i, j) = grid_2d();` at the top of the kernel.
fn first_parts_of_coordinates(function: &Function) -> HashSet<LocalId> {
    let first_part = |stmt: &Stmt| {
        let Stmt::Let(binding) = stmt else { return None };
        let PatternKind::Tuple(sequence) = &binding.pattern.kind else { return None };
        let is_first = is_grid_tuple(binding.init.as_ref()?) && sequence.rest != Some(0);
        sequence.parts.first().filter(|_| is_first)?.as_name()
    };
    function.body.stmts.iter().filter_map(first_part).collect()
}

fn is_grid_tuple(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Intrinsic { intrinsic: Intrinsic::Grid2d | Intrinsic::Grid3d, .. })
}

/// Whether evaluating it has no effect, cannot fail, and reads no memory.
fn is_plain(expr: &Expr) -> bool {
    !expr.any(&|expr| match &expr.kind {
        // An operator of another type is a function.
        ExprKind::Unary { operand, .. } => !operand.ty.is_scalar(),
        ExprKind::Binary { left, site, .. } => !left.ty.is_scalar() || site.is_some(),
        kind => !matches!(
            kind,
            ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Bool(_)
                | ExprKind::Local(_)
                | ExprKind::Constant(_)
                | ExprKind::Logical { .. }
                | ExprKind::Cast { .. }
                | ExprKind::Extent { .. }
                | ExprKind::TupleField { .. }
                | ExprKind::Axis { .. }
                | ExprKind::Tuple(_)
                | ExprKind::Array(_)
                | ExprKind::Method { method: Method::Len, .. }
                | ExprKind::Intrinsic {
                    intrinsic: Intrinsic::ThreadIdx
                        | Intrinsic::BlockIdx
                        | Intrinsic::BlockDim
                        | Intrinsic::GridDim
                        | Intrinsic::Grid1d
                        | Intrinsic::Grid2d
                        | Intrinsic::Grid3d,
                    ..
                }
        ),
    })
}

struct Rows<'f> {
    host: Host<'f>,
    first_parts: HashSet<LocalId>,
}

impl Rows<'_> {
    /// The limit, if nothing but `expr` follows what has no effect, or if `expr` returns.
    fn limit_behind(&self, expr: &Expr, is_last: bool) -> Option<HostValue> {
        match &expr.kind {
            ExprKind::If { condition, then, otherwise: None } if is_return(then) => self.limit_of(condition, LogicalOp::Or),
            ExprKind::If { condition, otherwise: None, .. } if is_last => self.limit_of(condition, LogicalOp::And),
            _ => None,
        }
    }

    /// The limit in `i < limit && …`, or in `i >= limit || …`.
    fn limit_of(&self, condition: &Expr, joined_by: LogicalOp) -> Option<HostValue> {
        match &condition.kind {
            ExprKind::Logical { op, left, right } if *op == joined_by => {
                self.limit_of(left, joined_by).or_else(|| is_plain(left).then(|| self.limit_of(right, joined_by))?)
            }
            ExprKind::Binary { op, left, right, .. } => {
                let (index, limit) = match (joined_by, op) {
                    (LogicalOp::And, BinaryOp::Less) | (LogicalOp::Or, BinaryOp::GreaterEqual) => (left, right),
                    (LogicalOp::And, BinaryOp::Greater) | (LogicalOp::Or, BinaryOp::LessEqual) => (right, left),
                    _ => return None,
                };
                if limit.ty == Type::USIZE && self.is_x_in_grid(index) { self.host.value(limit, Scalar::Usize).ok() } else { None }
            }
            _ => None,
        }
    }

    fn knows_only_its_x(&self, expr: &Expr) -> bool {
        if self.is_sum_of_coordinates(expr) {
            return true;
        }
        let is_known = match expr.action() {
            Action::Intrinsic(intrinsic) => matches!(intrinsic, Intrinsic::Grid1d | Intrinsic::BlockDim | Intrinsic::GridDim),
            // A function may ask, and so may PTX.
            Action::Call { .. } | Action::Tile | Action::Assembly => false,
            Action::Compute { .. } | Action::CompoundAssign { .. } => !is_of_own_type(expr),
            Action::Access
            | Action::Assign(_)
            | Action::BorrowMut(_)
            | Action::Atomic
            | Action::Branch
            | Action::Loop
            | Action::Jump
            | Action::Panic => true,
        };
        let mut only = is_known;
        expr.for_each_child(&mut |child| only = only && self.knows_only_its_x(child));
        only
    }

    /// Whether the expression is the x coordinate of the thread in the grid: `grid_1d()`, or CUDA's product and sum.
    fn is_x_in_grid(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) if self.first_parts.contains(local) => self.host.is_constant(*local),
            ExprKind::Local(local) => self.host.value_of(*local).is_some_and(|value| self.is_x_in_grid(value)),
            ExprKind::Intrinsic { intrinsic: Intrinsic::Grid1d, .. } => true,
            ExprKind::TupleField { base, index: 0 } => is_grid_tuple(base),
            _ => self.is_sum_of_coordinates(expr),
        }
    }

    /// Whether it is `block_idx().x * block_dim().x + thread_idx().x`.
    fn is_sum_of_coordinates(&self, expr: &Expr) -> bool {
        let ExprKind::Binary { op: BinaryOp::Add, left, right, .. } = &expr.kind else { return false };
        let is_sum = |block: &Expr, thread| self.is_first_thread_of_block(block) && self.is_x_of(thread, Intrinsic::ThreadIdx);
        is_sum(left, right) || is_sum(right, left)
    }

    fn is_first_thread_of_block(&self, expr: &Expr) -> bool {
        let ExprKind::Binary { op: BinaryOp::Multiply, left, right, .. } = &expr.kind else { return false };
        let is_product = |block, width| self.is_x_of(block, Intrinsic::BlockIdx) && self.is_x_of(width, Intrinsic::BlockDim);
        is_product(left, right) || is_product(right, left)
    }

    fn is_x_of(&self, expr: &Expr, coordinates: Intrinsic) -> bool {
        match &expr.kind {
            ExprKind::Axis { base, axis: Axis::X, .. } => self.host.intrinsic(base) == Some(coordinates),
            ExprKind::Local(local) => self.host.value_of(*local).is_some_and(|value| self.is_x_of(value, coordinates)),
            _ => false,
        }
    }
}

/// Whether it is an operator, or a method, of another type than a number: such a one is a function.
fn is_of_own_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary { operand, .. } => !operand.ty.is_scalar(),
        ExprKind::Binary { left, right, .. } => !left.ty.is_scalar() || !right.ty.is_scalar(),
        ExprKind::CompoundAssign { place, value, .. } => !place.ty.is_scalar() || !value.ty.is_scalar(),
        ExprKind::Method { method, receiver, .. } => *method != Method::Len && !receiver.ty.is_scalar(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::kernel_with;

    fn has_limit(body: &str) -> bool {
        find_row_limit(&kernel_with("", &format!("fn k(x: &[f32], n: u32, m: usize, a: View<f32, 2>, out: &mut [f32]) {{ {body} }}")))
            .is_some()
    }

    #[test]
    fn a_kernel_whose_work_is_behind_a_comparison_of_its_index_has_a_limit() {
        for body in [
            "let i = grid_1d(); if i < out.len() { out[i] = x[i]; }",
            "let i = grid_1d(); if out.len() > i { out[i] = x[i]; }",
            "if grid_1d() < m && x[0] > 0.0 { out[grid_1d()] = 1.0; }",
            "let i = grid_1d(); let n = n as usize; if i < n { out[i] = x[i]; }",
            "let i = grid_1d(); if i >= m / 2 { return; } out[i] = x[i]; out[i] += 1.0;",
            "let i = grid_1d(); if m == 0 || i >= m { return } out[i] = x[i];",
            "let (i, j) = grid_2d(); if j < a.shape()[0] && i < a.shape()[1] { out[i] = a[[j, i]]; }",
            "let (i, ..) = grid_3d(); if i < out.len() { out[i] = 1.0; }",
            "let i = block_idx().x * block_dim().x + thread_idx().x; if i < out.len() { out[i] = 1.0; }",
            "let i = grid_1d(); if i < sizes::SIDE * m { out[i] = x[i]; }",
            "let i = grid_1d(); if i < sizes::SIDE as usize * 4 { out[i] = x[i]; }",
            "let b = block_idx(); let t = thread_idx().x; let i = t + block_dim().x * b.x; if i < out.len() { out[i] = 1.0; }",
        ] {
            assert!(has_limit(body), "{body}");
        }
    }

    #[test]
    fn every_thread_runs_that_may_do_something() {
        for body in [
            "out[grid_1d()] = 1.0; if grid_1d() < m { out[grid_1d()] = 1.0; }",
            "let i = grid_1d(); if i < m { out[i] = x[i]; } else { out[i] = 0.0; }",
            "let i = grid_1d(); if i < m { out[i] = x[i]; } out[i] += 0.0;",
            "let i = grid_1d(); let y = x[i]; if i < m { out[i] = y; }",
            "let i = grid_1d(); if x[i] > 0.0 && i < m { out[i] = 1.0; }",
            "let i = grid_1d(); if i < m || n > 3 { out[i] = 1.0; }",
            "let i = grid_1d(); if i >= m && n > 3 { return; } out[i] = 1.0;",
            "let i = grid_1d(); if i >= m { out[i] = 0.0; return; } out[i] = 1.0;",
            "let i = grid_1d(); if i > m { out[i] = 1.0; }",
            "let i = grid_1d(); if i <= m { out[i] = 1.0; }",
            "let (i, j) = grid_2d(); if j < m { out[j] = i as f32; }",
            "let (.., i) = grid_2d(); if i < m { out[i] = 1.0; }",
            "let mut i = grid_1d(); i -= 1; if i < m { out[i] = 1.0; }",
            "let mut m = m; let i = grid_1d(); if i < m { m = i; out[m] = 1.0; }",
            "let i = grid_1d(); if i < i { out[i] = 1.0; }",
            "let i = grid_1d() as u32; if i < n { out[i as usize] = 1.0; }",
            "let i = thread_idx().x; if i < m { out[i] = 1.0; }",
            // Of types that only rustc knows, which may be no integers.
            "let i = grid_1d(); if i < (sizes::SIDE * sizes::SIDE) as usize { out[i] = 1.0; }",
            "let i = grid_1d(); if i < sizes::SIDE.saturating_sub(sizes::EDGE) as usize { out[i] = 1.0; }",
            "let i = grid_1d(); let area = sizes::SIDE * sizes::SIDE; if i < area as usize { out[i] = 1.0; }",
            "let i = block_idx().x * block_dim().y + thread_idx().x; if i < m { out[i] = 1.0; }",
        ] {
            assert!(!has_limit(body), "{body}");
        }
    }

    #[test]
    fn only_the_x_coordinate_may_tell_a_thread_of_a_line_which_one_it_is() {
        for (suits, body) in [
            (true, "let i = grid_1d(); if i < out.len() { out[i] = x[i].sqrt() + n as f32; }"),
            (true, "let i = block_idx().x * block_dim().x + thread_idx().x; if i >= m { return; } out[i] = x[i];"),
            (true, "let i = thread_idx().x + block_dim().x * block_idx().x; for k in 0..m { out[i] += x[k]; }"),
            (true, "out[grid_1d()] = (grid_dim().x * block_dim().x) as f32;"),
            (false, "let t = thread_idx().x; out[block_idx().x * block_dim().x + t] = 1.0;"),
            (false, "out[grid_1d()] = thread_idx().x as f32;"),
            (false, "out[block_idx().x * 256 + thread_idx().x] = 1.0;"),
            (false, "out[block_idx().x * block_dim().x + thread_idx().y] = 1.0;"),
            (false, "let (i, _) = grid_2d(); out[i] = 1.0;"),
            (true, "for i in grid_stride(out.len()) { out[i] = 1.0; }"),
            (false, "out[grid_1d()] = f(n);"),
            (false, "let tile = shared::<[f32; 4]>(); out[grid_1d()] = tile[0];"),
            (false, "out[grid_1d()] = lane_id() as f32;"),
            (true, "out[grid_1d()] = 2.0 * x[0];"),
        ] {
            let source = format!("fn k(x: &[f32], n: u32, m: usize, out: &mut [f32]) {{ {body} }}");
            assert_eq!(knows_only_its_x(&kernel_with("", &source)), suits, "{body}");
        }
        // An operator of the user's, on either side.
        for body in ["let w = 2.0f32 * v; out[grid_1d()] = w.x;", "let w = v * 2.0f32; out[grid_1d()] = w.x;"] {
            let source = format!("fn k(v: Own, out: &mut [f32]) {{ {body} }}");
            assert!(!knows_only_its_x(&kernel_with("", &source)), "{body}");
        }
    }
}
