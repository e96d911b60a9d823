//! Loops whose products read tiles of views that the counter tells, as pipelines: the tiles of the next step are copied while this one is computed.
//!
//! What is copied ahead is what the right operands of products read, and the left ones that are tiles of views too. A left operand that no step
//! changes is copied once. A loop in which the scores of a step are computed first, and something that depends on them is multiplied and added
//! to a sum last, becomes a closure that computes the one from the other: `gr_tile_for_each` decides when to multiply.

use super::Emitter;
use super::text::{CText, c, join};
use super::tile::tile_of_operand;
use super::types::length;
use crate::emit::Piece;
use crate::model::*;

/// A product of the body, `a.dot(b)`.
struct Product<'m> {
    a: Operand<'m>,
    b: Operand<'m>,
    left: Left,
}

/// An operand as it is written, and the tile that it is if what is written is its name.
#[derive(Clone, Copy)]
struct Operand<'m> {
    written: &'m Expr,
    tile: &'m Expr,
}

/// What the left operand is.
#[derive(PartialEq)]
enum Left {
    /// The same in all steps.
    Kept,
    /// A tile of a view.
    Moving,
    Computed,
}

/// `let scores = a.dot(b);` and what follows, `sum += x.dot(d);` and what follows.
struct Steps<'m> {
    scores: LocalId,
    before: Vec<&'m Stmt>,
    sum: &'m Expr,
    x: &'m Expr,
    after: Vec<&'m Stmt>,
}

impl Emitter<'_> {
    /// The loop over `counter`, if tiles of its steps can be copied ahead. Whether that was written.
    pub(super) fn write_tile_loop(&mut self, counter: LocalId, [start, end]: [&CText; 2], body: &Block) -> bool {
        let products = products(self.function, counter, body);
        if products.is_empty() {
            return false;
        }
        self.need("tile_stream");
        let steps = steps(self.function, &products, body);
        let layout = self.loop_type(&products);
        match steps {
            Some(steps) => self.write_steps(counter, [start, end], &products, &steps, &layout),
            None => self.write_streams(counter, [start, end], &products, body, &layout),
        }
        true
    }

    /// The name of the type that says what the loop needs.
    fn loop_type(&mut self, products: &[Product<'_>]) -> CText {
        let products = join(products.iter().filter_map(|product| self.product_type(product)), ", ");
        let number = self.tile_loops.len();
        let name = if number == 0 { c!["gr_tile_loop_of_"] } else { c![format!("gr_tile_loop_{}_of_", number + 1)] };
        let name = c![name, CText::hole(Piece::OwnName)];
        self.tile_loops.push((name.clone(), products));
        name
    }

    /// `gr_tile_product_of_kept<gr_bf16, 128, 64, 128, 256>`
    fn product_type(&mut self, Product { a, b, left }: &Product<'_>) -> Option<CText> {
        let (of_a, of_b) = (a.tile.ty.tile()?, b.tile.ty.tile()?);
        let (inner, columns) = (of_a.columns.as_ref()?, of_b.columns.as_ref()?);
        let kind = match left {
            Left::Kept => "kept",
            Left::Moving => "moving",
            Left::Computed => {
                self.use_tile_memory("left", &[Some(inner)], of_a);
                "computed"
            }
        };
        let size = [&of_a.rows, inner, columns].map(length).into_iter().chain([self.threads_of_tiles()]);
        let element = self.known_type_name(&of_a.element)?;
        Some(c!["gr_tile_product_of_", kind, "<", element, ", ", join(size, ", "), ">"])
    }

    /// A plain loop, in which products take the next tile of a stream.
    fn write_streams(&mut self, counter: LocalId, [start, end]: [&CText; 2], products: &[Product<'_>], body: &Block, layout: &CText) {
        self.writer.line("__syncthreads();");
        let outer = self.tile_streams.len();
        let mut before = c!["0"];
        for product in products.iter().filter(|product| product.left == Left::Kept) {
            let (name, mut tile) = (self.namer.temporary("kept"), self.factor(product.a.tile));
            if !matches!(product.a.tile.kind, ExprKind::Local(_)) {
                let place = std::mem::replace(&mut tile, self.namer.temporary("tile").into());
                self.writer.line(c!["const auto ", tile.clone(), " = ", place, ";"]);
            }
            let operands = [start.clone(), end.clone(), tile];
            let kept = c!["gr_tile_keep<", layout.clone(), ", ", before, ">(", join(operands, ", "), ")"];
            self.writer.line(c!["const auto ", name.clone(), " = ", kept, ";"]);
            before = c!["decltype(", name.clone(), ")::after"];
            self.replace_operand(product.a, &name);
        }
        let mut before = c!["0"];
        for product in products {
            let moving = [(product.left == Left::Moving).then_some(product.a), Some(product.b)];
            for operand in moving.into_iter().flatten() {
                let name = self.namer.temporary("tiles");
                let tile_at = self.write_tile_at(counter, operand.tile);
                let stream =
                    c!["gr_tile_stream_of<", layout.clone(), ", ", before, ">(", start.clone(), ", ", end.clone(), ", ", tile_at, ")"];
                self.writer.line(c!["auto ", name.clone(), " = ", stream, ";"]);
                before = c!["decltype(", name.clone(), ")::after"];
                self.replace_operand(operand, &name);
            }
        }
        let index = self.name(counter).to_owned();
        self.writer.line(c![
            "for (usize ",
            index.clone(),
            " = ",
            start.clone(),
            "; ",
            index.clone(),
            " < ",
            end.clone(),
            "; ",
            index,
            "++) {"
        ]);
        self.writer.indent();
        self.write_block_contents(body);
        self.writer.dedent();
        self.writer.line("}");
        self.tile_streams.truncate(outer);
    }

    /// Products read that instead of the operand, wherever it is written.
    fn replace_operand(&mut self, operand: Operand<'_>, name: &str) {
        let Operand { written, tile } = operand;
        self.tile_streams.extend([written, tile].map(|expr| (std::ptr::from_ref(expr), name.to_owned())));
    }

    /// The body as a closure, from the scores of a step to what is multiplied last.
    fn write_steps(&mut self, counter: LocalId, [start, end]: [&CText; 2], products: &[Product<'_>], steps: &Steps<'_>, layout: &CText) {
        let [first, last] = products else { unreachable!("steps have two products") };
        let first_at = self.write_tile_at(counter, first.b.tile);
        let last_at = self.write_tile_at(counter, last.b.tile);
        let a = self.factor(first.a.tile);
        let (step, index) = (self.namer.temporary("step"), self.name(counter).to_owned());
        let (scores, scores_type) = (self.name(steps.scores).to_owned(), self.type_name(&self.function.local(steps.scores).ty));
        self.writer.line(c![
            "const auto ",
            step.clone(),
            " = [&](const usize ",
            index,
            ", const ",
            scores_type.clone(),
            "& ",
            scores,
            ") {"
        ]);
        self.writer.indent();
        self.closures += 1;
        let ExprKind::Local(sum_local) = steps.sum.kind else { unreachable!("a sum is a variable") };
        let sum = self.name(sum_local).to_owned();
        let mentions = |stmt: &&Stmt| stmt_any(stmt, &|expr| matches!(expr.kind, ExprKind::Local(local) if local == sum_local));
        let used_at = steps.before.iter().position(mentions);
        let element = steps.x.ty.tile().and_then(|tile| self.known_type_name(&tile.element)).unwrap_or_default();
        let end_sum = |computed: Option<CText>| {
            let computed = computed.map_or_else(CText::default, |column| c![", ", column]);
            c!["gr_tile_end_sum<", layout.clone(), ", ", element, ">(", sum.clone(), computed, ");"]
        };
        let (before, rest) = steps.before.split_at(used_at.unwrap_or(steps.before.len()));
        before.iter().for_each(|stmt| self.write_stmt(stmt));
        if used_at.is_some() {
            let column = last_column(self.function, before).map(|column| c![self.name(column).to_owned()]);
            self.writer.line(end_sum(column));
            rest.iter().for_each(|stmt| self.write_stmt(stmt));
        }
        let x = self.value(steps.x).text;
        if used_at.is_none() {
            let column = last_column(self.function, before).map(|column| c![self.name(column).to_owned()]);
            self.writer.line(end_sum(column));
        }
        steps.after.iter().for_each(|stmt| self.write_stmt(stmt));
        self.writer.line(c!["return ", x, ";"]);
        self.closures -= 1;
        self.writer.dedent();
        self.writer.line("};");
        let operands = [start.clone(), end.clone(), a, first_at, c![sum], last_at, c![step]];
        self.writer.line(c!["gr_tile_for_each<", layout.clone(), ", ", scores_type, ">(", join(operands, ", "), ");"]);
    }

    /// A closure that says where a tile is in each step.
    fn write_tile_at(&mut self, counter: LocalId, tile: &Expr) -> CText {
        let (name, index) = (self.namer.temporary("tile_at"), self.name(counter).to_owned());
        self.writer.line(c!["const auto ", name.clone(), " = [&](const usize ", index, ") {"]);
        let outer = self.writer.begin_capture();
        let place = self.factor(tile);
        self.writer.line(c!["return ", place, ";"]);
        let lines = self.writer.end_capture(outer);
        self.writer.append_indented(lines);
        self.writer.line("};");
        c![name]
    }

    /// The types of the loops, before the kernel, and the first of them that the others need.
    pub(super) fn write_tile_loops(&mut self) -> CText {
        let mut lines = CText::default();
        if self.tile_loops.is_empty() {
            return lines;
        }
        let others = c!["gr_tile_others_of_", CText::hole(Piece::OwnName)];
        let uses = std::mem::take(&mut self.tile_uses);
        let uses = if uses.is_empty() { c!["gr_tile_no_product"] } else { join(uses, ", ") };
        lines.push(&c!["typedef gr_tile_uses<", uses, "> ", others.clone(), ";\n"]);
        self.tile_uses.push(others.clone());
        for (name, parts) in std::mem::take(&mut self.tile_loops) {
            lines.push(&c!["typedef gr_tile_loop<", others.clone(), ", ", parts, "> ", name.clone(), ";\n"]);
            self.tile_uses.push(name);
        }
        lines
    }
}

/// The products of `body` that can be part of a pipeline, in order of evaluation.
fn products<'m>(function: &'m Function, counter: LocalId, body: &'m Block) -> Vec<Product<'m>> {
    let is_count = function.local(counter).ty == Type::USIZE && !function.local(counter).mutable;
    let leaves = |expr: &Expr| matches!(expr.action(), Action::Jump | Action::Loop) || matches!(&expr.kind, ExprKind::Let { .. });
    let mut found = Vec::new();
    if is_count && !body.any(&leaves) && body.stmts.iter().all(|stmt| !matches!(stmt, Stmt::Let(local) if local.otherwise.is_some())) {
        body.for_each_child(&mut |expr| find_products(function, counter, expr, &mut found));
    }
    found
}

fn find_products<'m>(function: &'m Function, counter: LocalId, expr: &'m Expr, found: &mut Vec<Product<'m>>) {
    if matches!(expr.action(), Action::Branch) || matches!(expr.kind, ExprKind::Closure(_) | ExprKind::Logical { .. }) {
        return;
    }
    expr.for_each_child(&mut |child| find_products(function, counter, child, found));
    let ExprKind::Tile { operation: TileOperation::Dot | TileOperation::AddDot, args, .. } = &expr.kind else { return };
    let [.., a, b] = &args[..] else { return };
    let is_ahead =
        |tile: &Expr| tile.tile_of_view().is_some_and(|(args, _)| args[1..].iter().all(|index| is_known(function, counter, index)));
    let moves = |tile: &Expr| tile.any(&|expr| matches!(expr.kind, ExprKind::Local(local) if local == counter));
    let operand = |written| Operand { written, tile: tile_of_operand(function, written) };
    let (mut a, b) = (operand(a), operand(b));
    if !is_ahead(b.tile) || !moves(b.tile) {
        return;
    }
    let left = match &a.written.kind {
        ExprKind::Local(local) if is_fixed(function, counter, *local) => {
            a.tile = a.written;
            Left::Kept
        }
        _ if is_ahead(a.tile) && moves(a.tile) => Left::Moving,
        _ if is_ahead(a.tile) => Left::Kept,
        _ if a.tile.tile_of_view().is_some() => return,
        _ => Left::Computed,
    };
    found.push(Product { a, b, left });
}

/// Whether it is a variable from outside of the loop over `counter` that never changes. Variables have numbers in order of declaration.
fn is_fixed(function: &Function, counter: LocalId, local: LocalId) -> bool {
    local.0 < counter.0 && !function.local(local).mutable
}

/// Whether an index can be computed before its step: it consists of the counter and of what never changes.
fn is_known(function: &Function, counter: LocalId, index: &Expr) -> bool {
    let is_known_here = match &index.kind {
        ExprKind::Local(local) => *local == counter || is_fixed(function, counter, *local),
        ExprKind::Int(_) | ExprKind::Constant(_) | ExprKind::Extent { .. } | ExprKind::Axis { .. } | ExprKind::Cast { .. } => true,
        ExprKind::Intrinsic { intrinsic, .. } => matches!(intrinsic, Intrinsic::BlockIdx | Intrinsic::GridDim),
        ExprKind::Binary { site, .. } => site.is_none(),
        _ => false,
    };
    let mut are_parts_known = true;
    index.for_each_child(&mut |child| are_parts_known &= is_known(function, counter, child));
    is_known_here && are_parts_known
}

/// The parts of the body, if it is of that form.
fn steps<'m>(function: &Function, products: &[Product<'m>], body: &'m Block) -> Option<Steps<'m>> {
    let [first, last] = products else { return None };
    if first.left != Left::Kept || last.left != Left::Computed || body.value.is_some() {
        return None;
    }
    let is_name = |stmt: &&Stmt| {
        let init = if let Stmt::Let(local) = stmt { local.init.as_ref() } else { None };
        init.is_some_and(|init| products.iter().flat_map(|product| [product.a, product.b]).any(|operand| std::ptr::eq(operand.tile, init)))
    };
    let stmts: Vec<&Stmt> = body.stmts.iter().filter(|stmt| !is_name(stmt)).collect();
    let (Stmt::Let(scores), rest) = stmts.split_first()? else { return None };
    let is_first = |args: &[Expr]| std::ptr::eq(&args[1], first.b.written);
    match scores.init.as_ref().map(|init| &init.kind) {
        Some(ExprKind::Tile { operation: TileOperation::Dot, args, .. }) if is_first(args) => {}
        _ => return None,
    }
    let PatternKind::Bind { local: scores, sub: None } = scores.pattern.kind else { return None };
    if function.local(scores).mutable {
        return None;
    }
    let position = rest.iter().position(|stmt| stmt_any(stmt, &|expr| std::ptr::eq(expr, last.b.written)))?;
    let (before, after) = (rest[..position].to_vec(), rest[position + 1..].to_vec());
    let Stmt::Expr(statement) = rest[position] else { return None };
    let ExprKind::Assign { value, .. } = &statement.kind else { return None };
    let ExprKind::Tile { operation: TileOperation::AddDot, args, .. } = &value.kind else { return None };
    let [sum, x, d] = &args[..] else { return None };
    let ExprKind::Local(sum_local) = sum.kind else { return None };
    let is_sum = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == sum_local);
    let is_from_outside = sum_local.0 < scores.0 && std::ptr::eq(d, last.b.written);
    // No other operation may synchronize while products run, but reductions of rows, which have memory of their own.
    let synchronizes = |expr: &Expr| {
        matches!(&expr.kind, ExprKind::Tile { operation: TileOperation::Store(_) | TileOperation::Dot | TileOperation::AddDot, .. })
    };
    let is_plain = |stmt: &&Stmt| !stmt_any(stmt, &synchronizes);
    (is_from_outside
        && !x.any(&is_sum)
        && before.iter().chain(&after).all(is_plain)
        && !after.iter().any(|stmt| stmt_any(stmt, &is_sum))
        && depends(x, scores, &before))
    .then_some(Steps { scores, before, sum, x, after })
}

/// Whether `x` depends on `scores`, directly or through the variables of the statements.
fn depends(x: &Expr, scores: LocalId, stmts: &[&Stmt]) -> bool {
    let mut dependent = vec![scores];
    for stmt in stmts {
        if let Stmt::Let(local) = stmt
            && local.init.as_ref().is_some_and(|init| mentions(init, &dependent))
        {
            dependent.extend(local.pattern.bindings());
        }
    }
    mentions(x, &dependent)
}

fn mentions(expr: &Expr, locals: &[LocalId]) -> bool {
    expr.any(&|expr| matches!(&expr.kind, ExprKind::Local(local) if locals.contains(local)))
}

/// The column of `f32` that is computed last.
fn last_column(function: &Function, stmts: &[&Stmt]) -> Option<LocalId> {
    let is_column = |local: &LocalId| {
        let tile = function.local(*local).ty.tile();
        tile.is_some_and(|tile| tile.columns.is_none() && tile.element.as_scalar() == Some(Scalar::F32))
    };
    let computed = stmts.iter().rev().flat_map(|stmt| match stmt {
        Stmt::Let(local) => local.pattern.bindings(),
        Stmt::Expr(expr) => match &expr.kind {
            ExprKind::Assign { target: Target::Place(place), .. } => match place.kind {
                ExprKind::Local(local) => vec![local],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
    });
    computed.into_iter().find(is_column)
}

fn stmt_any(stmt: &Stmt, test: &dyn Fn(&Expr) -> bool) -> bool {
    match stmt {
        Stmt::Let(local) => local.init.as_ref().is_some_and(|init| init.any(test)),
        Stmt::Expr(expr) => expr.any(test),
    }
}
