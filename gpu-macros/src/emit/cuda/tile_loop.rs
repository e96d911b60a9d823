//! Loops whose products read tiles of views that the counter tells, as pipelines: the tiles of the next step are copied while this one is computed.
//!
//! What is copied ahead is what the right operands of products read, and the left ones that are tiles of views too. A left operand that no step
//! changes is copied once. A loop in which the scores of a step are computed first, and something that depends on them is multiplied and added
//! to a sum last, becomes a closure that computes the one from the other: `gr_tile_for_each` decides when to multiply. In any other loop, products run on
//! until their results are used. Tensor cores read a tile of 16-bit floats in either order, so products have one copy of it.

use super::Emitter;
use super::iterations::bindings;
use super::text::{CText, c, join};
use super::tile::{multiplied, tile_of_operand};
use super::types::length;
use crate::emit::Piece;
use crate::model::*;
use std::collections::HashSet;

/// So many steps are in memory at once, at most: one that is computed, and one that is copied.
const MOST_STAGES: u32 = 2;
/// One more where groups of warps take turns, and are in two steps.
const MOST_STAGES_BY_TURNS: u32 = 3;

/// A loop that is a pipeline, as its type says.
pub(super) struct TileLoop {
    name: CText,
    most_stages: u32,
    /// What other operations in it need of the block's shared memory.
    others: Vec<CText>,
    products: CText,
}

/// A product of the body, `a.dot(b)`.
pub(super) struct Product<'m> {
    a: Operand<'m>,
    pub(super) b: Operand<'m>,
    left: Left,
    precision: Precision,
    /// Whether a product before it has copied the left operand, and whether one has copied the right.
    shares: [bool; 2],
}

/// An operand as it is written, and the tile that it is if what is written is its name.
#[derive(Clone, Copy)]
pub(super) struct Operand<'m> {
    pub(super) written: &'m Expr,
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
    sum: LocalId,
    x: &'m Expr,
    precision: Precision,
    after: Vec<&'m Stmt>,
}

/// The copies of the tiles of a step: of which tile each is, and its name. `before`: how many bytes all have.
struct Streams<'m> {
    before: CText,
    copies: Vec<(&'m Expr, String)>,
}

/// How the loop is written.
struct Head<'a> {
    counter: LocalId,
    start: &'a CText,
    end: &'a CText,
    /// The name of the type that says what the loop needs.
    layout: CText,
}

impl Head<'_> {
    /// `(START, END, TILE)`
    fn arguments(&self, tile: CText) -> CText {
        c!["(", self.start.clone(), ", ", self.end.clone(), ", ", tile, ")"]
    }
}

impl Emitter<'_> {
    /// The loop over `counter`, if tiles of its steps can be copied ahead. Whether that was written.
    pub(super) fn write_tile_loop(&mut self, counter: LocalId, [start, end]: [&CText; 2], body: &Block) -> bool {
        let products = products(self.function, counter, body);
        if products.is_empty() {
            return false;
        }
        self.need("tile_stream");
        let number = self.tile_loops.len();
        let name = if number == 0 { c!["gr_tile_loop_of_"] } else { c![format!("gr_tile_loop_{}_of_", number + 1)] };
        let head = Head { counter, start, end, layout: c![name, CText::hole(Piece::OwnName)] };
        let outside = std::mem::take(&mut self.tile_uses);
        let types = join(products.iter().filter_map(|product| self.product_type(product)), ", ");
        let most_stages = match (steps(self.function, &products, body), &products[..]) {
            (Some(steps), [first, last]) => {
                self.write_steps(&head, [first, last], &steps);
                MOST_STAGES_BY_TURNS
            }
            _ => {
                self.write_streams(&head, &products, body);
                MOST_STAGES
            }
        };
        let others = std::mem::replace(&mut self.tile_uses, outside);
        others.iter().for_each(|memory| self.use_memory(memory.clone()));
        self.tile_loops.push(TileLoop { name: head.layout, most_stages, others, products: types });
        true
    }

    /// `gr_tile_product_of_kept<gr_bf16, 128, 64, 128, 256>`
    fn product_type(&mut self, Product { a, b, left, precision, shares }: &Product<'_>) -> Option<CText> {
        let (of_a, of_b) = (a.tile.ty.tile()?, b.tile.ty.tile()?);
        let (inner, columns) = (of_a.columns.as_ref()?, of_b.columns.as_ref()?);
        let kind = match left {
            Left::Kept => "kept",
            Left::Moving => "moving",
            Left::Computed => {
                self.use_memory_of_factor("left", &[Some(inner)], of_a, *precision);
                "computed"
            }
        };
        let size = [&of_a.rows, inner, columns].map(length).into_iter().chain([self.threads_of_tiles()]);
        let element = self.element_of_factor(of_a, *precision)?;
        let product = c!["gr_tile_product_of_", kind, "<", element, ", ", join(size, ", "), ">"];
        Some(match shares {
            [false, false] => product,
            [of_a, of_b] => c!["gr_tile_product_of_shared<", product, format!(", {of_a}, {of_b}>")],
        })
    }

    /// A plain loop, whose products read what is kept and take the next tile of each stream.
    fn write_streams<'m>(&mut self, head: &Head<'_>, products: &[Product<'m>], body: &'m Block) {
        let Head { counter, start, end, .. } = *head;
        let outer = self.tile_streams.len();
        self.writer.line("__syncthreads();");
        let mut before = c!["0"];
        for product in products.iter().filter(|product| product.left == Left::Kept) {
            before = self.write_kept(head, before, product);
        }
        let mut streams = Streams { before: c!["0"], copies: Vec::new() };
        for product in products {
            if product.left == Left::Moving {
                self.write_stream(head, &mut streams, product, false);
            }
            self.write_stream(head, &mut streams, product, true);
        }
        let index = self.name(counter).to_owned();
        let first = c!["usize ", index.clone(), " = ", start.clone()];
        self.writer.line(c!["for (", first, "; ", index.clone(), " < ", end.clone(), "; ", index, "++) {"]);
        self.writer.indent();
        let copies = join(streams.copies.iter().map(|(_, name)| c![name.clone()]), ", ");
        self.writer.line(c!["gr_tile_begin_step<", head.layout.clone(), ">(", copies.clone(), ");"]);
        self.write_running(products, body);
        self.writer.line(c!["gr_tile_end_step<", head.layout.clone(), ">(", copies, ");"]);
        self.writer.dedent();
        self.writer.line("}");
        self.tile_streams.truncate(outer);
    }

    /// A copy of a left operand that no step changes, `before` bytes after the first. Where the next one is.
    fn write_kept(&mut self, head: &Head<'_>, before: CText, product: &Product<'_>) -> CText {
        let name = self.name_of_copies(product.a, "kept");
        let tile = self.factor(product.a.tile, product.precision);
        let parameters = c!["<", head.layout.clone(), ", ", before, ">"];
        self.writer.line(c!["const auto ", name.clone(), " = gr_tile_keep", parameters, head.arguments(tile), ";"]);
        self.replace_operand(product.a, name)
    }

    /// The same of an operand, the left or the right one, that is another tile in each step.
    fn write_stream<'m>(&mut self, head: &Head<'_>, streams: &mut Streams<'m>, product: &Product<'m>, is_right: bool) {
        let operand = if is_right { product.b } else { product.a };
        let name = self.name_of_copies(operand, "tiles");
        let tile_at = self.write_tile_at(head.counter, operand, product.precision);
        let side = if is_right { "true" } else { "false" };
        if product.shares[usize::from(is_right)]
            && let Some((_, first)) = streams.copies.iter().find(|(tile, _)| tile.is_same_tile(operand.tile))
        {
            self.writer.line(c!["auto ", name.clone(), " = gr_tile_stream_again<", side, ">(", first.clone(), ", ", tile_at, ");"]);
            self.replace_operand(operand, name);
            return;
        }
        let parameters = c!["<", head.layout.clone(), ", ", streams.before.clone(), ", ", side, ">"];
        self.writer.line(c!["auto ", name.clone(), " = gr_tile_stream_of", parameters, head.arguments(tile_at), ";"]);
        streams.copies.push((operand.tile, name.clone()));
        streams.before = self.replace_operand(operand, name);
    }

    /// Products read the copy instead of the operand, wherever it is written. Where the next copy is.
    fn replace_operand(&mut self, operand: Operand<'_>, name: String) -> CText {
        let after = c!["decltype(", name.clone(), ")::after"];
        self.tile_streams.extend([operand.written, operand.tile].map(|expr| (std::ptr::from_ref(expr), name.clone())));
        after
    }

    /// A closure that says where a tile is in each step.
    fn write_tile_at(&mut self, counter: LocalId, operand: Operand<'_>, precision: Precision) -> CText {
        let (name, index) = (self.name_of_copies(operand, "at"), self.name(counter).to_owned());
        self.writer.line(c!["const auto ", name.clone(), " = [&](const usize ", index, ") {"]);
        let outer = self.writer.begin_capture();
        let place = self.factor(operand.tile, precision);
        self.writer.line(c!["return ", place, ";"]);
        let lines = self.writer.end_capture(outer);
        self.writer.append_indented(lines);
        self.writer.line("};");
        c![name]
    }

    /// `keys_tiles`, of tiles of the view `keys`.
    fn name_of_copies(&mut self, operand: Operand<'_>, what: &str) -> String {
        let of = operand.tile.tile_of_view().map_or(operand.tile, |(args, _)| &args[0]);
        let of = if let ExprKind::Local(local) = of.kind { format!("{}_", self.name(local)) } else { String::new() };
        self.namer.temporary(&format!("{of}{what}"))
    }

    /// The body as a closure, from the scores of a step to what is multiplied last.
    fn write_steps(&mut self, head: &Head<'_>, [first, last]: [&Product<'_>; 2], steps: &Steps<'_>) {
        let first_at = self.write_tile_at(head.counter, first.b, first.precision);
        let last_at = self.write_tile_at(head.counter, last.b, last.precision);
        let a = self.factor(first.a.tile, first.precision);
        let step = self.namer.temporary("step");
        let (index, scores, sum) = (self.name(head.counter), self.name(steps.scores), self.name(steps.sum));
        let (index, scores, sum) = (index.to_owned(), scores.to_owned(), sum.to_owned());
        let scores_type = self.type_name(&self.function.local(steps.scores).ty);
        let params = c!["const usize ", index, ", const ", scores_type.clone(), "& ", scores];
        self.writer.line(c!["const auto ", step.clone(), " = [&](", params, ") {"]);
        self.writer.indent();
        self.closures += 1;
        self.write_step(head, steps);
        self.closures -= 1;
        self.writer.dedent();
        self.writer.line("};");
        let operands = [head.start.clone(), head.end.clone(), a, first_at, c![sum], last_at, c![step]];
        self.writer.line(c!["gr_tile_for_each<", head.layout.clone(), ", ", scores_type, ">(", join(operands, ", "), ");"]);
    }

    fn write_step(&mut self, head: &Head<'_>, steps: &Steps<'_>) {
        let mentions_sum = |stmt: &&Stmt| stmt_any(stmt, &|expr| matches!(expr.kind, ExprKind::Local(local) if local == steps.sum));
        let used_at = steps.before.iter().position(mentions_sum);
        let (before, rest) = steps.before.split_at(used_at.unwrap_or(steps.before.len()));
        before.iter().for_each(|stmt| self.write_stmt(stmt));
        // As late as can be: the tensor cores multiply until then.
        let x = if used_at.is_some() {
            self.write_end_of_sum(head, steps, before);
            rest.iter().for_each(|stmt| self.write_stmt(stmt));
            self.factor_of_sum(steps)
        } else {
            let x = self.factor_of_sum(steps);
            self.write_end_of_sum(head, steps, before);
            x
        };
        steps.after.iter().for_each(|stmt| self.write_stmt(stmt));
        self.writer.line(c!["return ", x, ";"]);
    }

    /// The value of `x`, which statements after it do not change.
    fn factor_of_sum(&mut self, Steps { x, precision, .. }: &Steps<'_>) -> CText {
        let value = self.value(x);
        multiplied(if value.is_constant() { value.text } else { self.spill(value, &x.ty, "value").text }, *precision)
    }

    /// From here on, the sum has the products of all steps before.
    fn write_end_of_sum(&mut self, head: &Head<'_>, steps: &Steps<'_>, before: &[&Stmt]) {
        let element = steps.x.ty.tile().and_then(|tile| self.element_of_factor(tile, steps.precision)).unwrap_or_default();
        let mut operands = c![self.name(steps.sum).to_owned()];
        if let Some(column) = last_column(self.function, before) {
            operands.push(c![", ", self.name(column).to_owned()]);
        }
        self.writer.line(c!["gr_tile_end_sum<", head.layout.clone(), ", ", element, ">(", operands, ");"]);
    }

    /// The types of the loops, before the kernel.
    pub(super) fn write_tile_loops(&mut self) -> CText {
        let mut lines = CText::default();
        let stages = self.stages();
        for TileLoop { name, most_stages, others, products } in std::mem::take(&mut self.tile_loops) {
            let most = stages.map_or(most_stages, |stages| stages.min(most_stages));
            let others = if others.is_empty() { c!["gr_tile_no_product"] } else { c!["gr_tile_uses<", join(others, ", "), ">"] };
            lines.push(&c![format!("typedef gr_tile_loop<{most}, "), others, ", ", products, "> ", name.clone(), ";\n"]);
            self.use_memory(name);
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
        let mut inner = HashSet::new();
        bindings(body, &mut inner);
        let steps = Repeated { function, counter, inner };
        body.for_each_child(&mut |expr| steps.find_products(expr, &mut found));
    }
    found
}

/// The body of a loop.
struct Repeated<'m> {
    function: &'m Function,
    counter: LocalId,
    /// The variables that are declared in it.
    inner: HashSet<LocalId>,
}

impl<'m> Repeated<'m> {
    fn find_products(&self, expr: &'m Expr, found: &mut Vec<Product<'m>>) {
        if matches!(expr.action(), Action::Branch) || matches!(expr.kind, ExprKind::Closure(_) | ExprKind::Logical { .. }) {
            return;
        }
        expr.for_each_child(&mut |child| self.find_products(child, found));
        let Some(([a, b], precision)) = expr.factors() else { return };
        let is_ahead = |tile: &Expr| tile.tile_of_view().is_some_and(|(args, _)| args[1..].iter().all(|index| self.is_known(index)));
        let moves = |tile: &Expr| tile.any(&|expr| matches!(expr.kind, ExprKind::Local(local) if local == self.counter));
        let operand = |written| Operand { written, tile: tile_of_operand(self.function, written) };
        let (mut a, b) = (operand(a), operand(b));
        if !is_ahead(b.tile) || !moves(b.tile) {
            return;
        }
        let left = match &a.written.kind {
            ExprKind::Local(local) if self.is_fixed(*local) => {
                a.tile = a.written;
                Left::Kept
            }
            _ if is_ahead(a.tile) && moves(a.tile) => Left::Moving,
            _ if is_ahead(a.tile) => Left::Kept,
            _ if a.tile.tile_of_view().is_some() => return,
            _ => Left::Computed,
        };
        let is_copied = |tile: &Expr| {
            let has_halves = tile.ty.tile().is_some_and(|tile| matches!(&tile.element, Type::Named(named) if named.half_name().is_some()));
            let copies = found.iter().flat_map(|earlier| [(earlier.left == Left::Moving).then_some(earlier.a), Some(earlier.b)]);
            has_halves && copies.flatten().any(|copied| copied.tile.is_same_tile(tile))
        };
        let shares = [left == Left::Moving && is_copied(a.tile), is_copied(b.tile)];
        found.push(Product { a, b, left, precision, shares });
    }

    /// Whether it is a variable from outside of the loop that never changes.
    fn is_fixed(&self, local: LocalId) -> bool {
        local != self.counter && !self.inner.contains(&local) && !self.function.local(local).mutable
    }

    /// Whether an index can be computed before its step: it consists of the counter and of what never changes.
    fn is_known(&self, index: &Expr) -> bool {
        let is_known_here = match &index.kind {
            ExprKind::Local(local) => *local == self.counter || self.is_fixed(*local),
            ExprKind::Int(_) | ExprKind::Constant(_) | ExprKind::Extent { .. } | ExprKind::Axis { .. } | ExprKind::Cast { .. } => true,
            ExprKind::Intrinsic { intrinsic, .. } => matches!(intrinsic, Intrinsic::BlockIdx | Intrinsic::GridDim),
            ExprKind::Binary { site, .. } => site.is_none(),
            _ => false,
        };
        let mut are_parts_known = true;
        index.for_each_child(&mut |child| are_parts_known &= self.is_known(child));
        is_known_here && are_parts_known
    }
}

/// The parts of the body, if it is of that form.
fn steps<'m>(function: &Function, products: &[Product<'m>], body: &'m Block) -> Option<Steps<'m>> {
    let [first, last] = products else { return None };
    // The two multiply at different times, so each has a copy of its tile.
    if first.left != Left::Kept || last.left != Left::Computed || last.shares != [false, false] || body.value.is_some() {
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
        Some(ExprKind::Tile { operation: TileOperation::Dot(_), args, .. }) if is_first(args) => {}
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
    let ExprKind::Tile { operation: TileOperation::AddDot(precision), args, .. } = &value.kind else { return None };
    let [sum, x, d] = &args[..] else { return None };
    let ExprKind::Local(sum_local) = sum.kind else { return None };
    let is_sum = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == sum_local);
    let is_from_outside = sum_local.0 < scores.0 && std::ptr::eq(d, last.b.written);
    // No other operation may synchronize while products run, but reductions of rows, which have memory of their own.
    let synchronizes =
        |expr: &Expr| expr.factors().is_some() || matches!(&expr.kind, ExprKind::Tile { operation: TileOperation::Store(_), .. });
    let is_plain = |stmt: &&Stmt| !stmt_any(stmt, &synchronizes);
    (is_from_outside
        && !x.any(&|expr| is_sum(expr) || synchronizes(expr))
        && before.iter().chain(&after).all(is_plain)
        && !after.iter().any(|stmt| stmt_any(stmt, &is_sum))
        && depends(x, scores, &before))
    .then_some(Steps { scores, before, sum: sum_local, x, precision: *precision, after })
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
