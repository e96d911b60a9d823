//! Adapters that decide for one item after the other.

use super::items::Item;
use super::{Body, Preparation};
use crate::lower::Lowerer;
use crate::model::*;
use proc_macro2::Span;

pub(super) enum Stage {
    Map(syn::Expr),
    Copied,
    Filter(syn::Expr),
    FilterMap(syn::Expr),
    TakeWhile(syn::Expr),
    MapWhile(syn::Expr),
    /// With the number of items before, once it is declared.
    Enumerate(Option<LocalId>),
    /// The number that is skipped, and the number of those so far.
    Skip(syn::Expr, Option<LocalId>),
    Take(syn::Expr, Option<LocalId>),
    FlatMap(syn::Expr),
    /// The first value of the state, its variable, and what changes it.
    Scan(syn::Expr, Option<LocalId>, Box<syn::Expr>),
}

impl Stage {
    /// Whether it does not depend on the items before.
    pub(super) fn is_of_one_item(&self) -> bool {
        matches!(self, Stage::Map(_) | Stage::Copied | Stage::Filter(_) | Stage::FilterMap(_))
    }

    /// The parameter of its closure, which has a name for the items.
    pub(super) fn pattern(&self) -> Option<&syn::Pat> {
        match self {
            Stage::Map(function)
            | Stage::Filter(function)
            | Stage::FlatMap(function)
            | Stage::FilterMap(function)
            | Stage::TakeWhile(function)
            | Stage::MapWhile(function) => parameter(function),
            _ => None,
        }
    }
}

/// The first parameter of a closure.
pub(super) fn parameter(function: &syn::Expr) -> Option<&syn::Pat> {
    match super::without_parentheses(function) {
        syn::Expr::Closure(closure) => closure.inputs.first(),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// The stage of an adapter; `Some(None)` if its number of arguments is another.
    pub(super) fn lower_stage(&mut self, call: &syn::ExprMethodCall, before: &mut Preparation) -> Option<Option<Stage>> {
        let name = call.method.to_string();
        Some(match (name.as_str(), call.args.len()) {
            ("map", 1) => Some(Stage::Map(call.args[0].clone())),
            ("copied" | "cloned", 0) => Some(Stage::Copied),
            ("filter", 1) => Some(Stage::Filter(call.args[0].clone())),
            ("filter_map", 1) => Some(Stage::FilterMap(call.args[0].clone())),
            ("take_while", 1) => Some(Stage::TakeWhile(call.args[0].clone())),
            ("map_while", 1) => Some(Stage::MapWhile(call.args[0].clone())),
            ("flat_map", 1) => Some(Stage::FlatMap(call.args[0].clone())),
            ("scan", 2) => {
                Some(Stage::Scan(self.evaluate_first(&call.args[0], "start", &mut before.lets)?, None, Box::new(call.args[1].clone())))
            }
            ("skip", 1) => Some(Stage::Skip(self.evaluate_usize(&call.args[0], "skip", &mut before.lets)?, None)),
            ("take", 1) => Some(Stage::Take(self.evaluate_usize(&call.args[0], "take", &mut before.lets)?, None)),
            _ => None,
        })
    }

    /// Declares what stages count.
    pub(super) fn declare_counters(&mut self, stages: Vec<Stage>, before: &mut Preparation, at: Span) -> Vec<Stage> {
        let mut declare = |lowerer: &mut Self, word| {
            let name = lowerer.own_name(word);
            let zero = lowerer.expr(ExprKind::Int(IntLiteral { value: 0, suffix: Some(Scalar::Usize) }), at);
            Some(lowerer.hold_as(&name, true, Type::USIZE, zero, &mut before.lets))
        };
        let mut states = Vec::new();
        let counted = |stage| match stage {
            Stage::Enumerate(_) => Stage::Enumerate(declare(self, "count")),
            Stage::Skip(count, _) => Stage::Skip(count, declare(self, "skipped")),
            Stage::Take(count, _) => Stage::Take(count, declare(self, "taken")),
            Stage::Scan(start, _, function) => {
                let (name, ty, value) = (self.own_name("scanned"), self.fresh(), self.lower_expr(&start));
                let state = self.hold_as(&name, true, ty, value, &mut states);
                Stage::Scan(start, Some(state), function)
            }
            other => other,
        };
        let stages = stages.into_iter().map(counted).collect();
        before.lets.append(&mut states);
        stages
    }

    /// `if taken == n { break }`: where a loop has taken enough, no closure runs for the next item.
    pub(super) fn leave_when_taken(&mut self, stages: &[Stage], label: LabelId, at: Span) -> Vec<Stmt> {
        let mut checks = Vec::new();
        for stage in stages {
            if let Stage::Take(count, Some(taken)) = stage {
                let (taken, count) = (self.use_of(*taken), self.lower_expr(count));
                let condition = self.binary(BinaryOp::Equal, taken, count, at);
                let leave = self.leave(label, at);
                checks.push(self.lower_when(condition, vec![Stmt::Expr(Box::new(leave))], None, at));
            }
        }
        checks
    }

    /// The body of the loop from these stages on.
    pub(super) fn lower_stages(
        &mut self,
        item: Item,
        stages: &[Stage],
        label: LabelId,
        at: Span,
        body: &mut Body<'_>,
    ) -> (Vec<Stmt>, Option<Box<Expr>>) {
        let Some((stage, rest)) = stages.split_first() else { return body(self, item, label) };
        // A stage that is refused says so itself.
        self.lower_stage_of(item, stage, rest, label, at, body).unwrap_or_default()
    }

    fn lower_stage_of(
        &mut self,
        item: Item,
        stage: &Stage,
        rest: &[Stage],
        label: LabelId,
        at: Span,
        body: &mut Body<'_>,
    ) -> Option<(Vec<Stmt>, Option<Box<Expr>>)> {
        let mut stmts = Vec::new();
        match stage {
            Stage::Map(function) => return Some(self.lower_stages(Item::Mapped(Box::new(item), function.clone()), rest, label, at, body)),
            Stage::FlatMap(function) => return self.lower_flat_map(function, item, rest, (label, at), body),
            Stage::Scan(_, state, function) => return self.lower_scan(function, (*state)?, item, rest, (label, at), body),
            Stage::Copied => return Some(self.lower_stages(Item::Copied(Box::new(item)), rest, label, at, body)),
            Stage::Filter(test) | Stage::TakeWhile(test) => {
                let item = self.hold(item, parameter(test), &mut stmts)?;
                let (condition, _) = self.call_inline(test, vec![Item::Borrowed(Box::new(item.clone()))], &mut stmts)?;
                let leave = matches!(stage, Stage::TakeWhile(_)).then(|| self.leave(label, at));
                let (then, value) = self.lower_stages(item, rest, label, at, body);
                stmts.push(self.lower_when(condition, with_value(then, value), leave, at));
            }
            Stage::FilterMap(function) | Stage::MapWhile(function) => {
                let (option, shape) = self.call_inline(function, vec![item], &mut stmts)?;
                let (binding, found) = self.own_binding("item", at);
                let pattern = self.pattern(PatternKind::some(binding), at);
                let condition = self.expr(ExprKind::Let { pattern: Box::new(pattern), value: Box::new(option) }, at);
                let leave = matches!(stage, Stage::MapWhile(_)).then(|| self.leave(label, at));
                let (then, value) = self.lower_stages(Item::Held(found, shape.of_some()), rest, label, at, body);
                stmts.push(self.lower_when(condition, with_value(then, value), leave, at));
            }
            Stage::Enumerate(count) => {
                let count = (*count)?;
                let item = self.hold(item, None, &mut stmts)?;
                let name = self.own_name("position");
                let now = self.use_of(count);
                let position = self.hold_value(&name, now, &mut stmts);
                stmts.push(self.lower_increment(count, at));
                let pair = Item::Pair(Box::new(Item::Held(position, Default::default())), Box::new(item));
                let (then, value) = self.lower_stages(pair, rest, label, at, body);
                stmts.extend(with_value(then, value));
            }
            Stage::Skip(most, count) => {
                let count = (*count)?;
                let item = self.hold(item, None, &mut stmts)?;
                let (so_far, most) = (self.use_of(count), self.lower_expr(most));
                let condition = self.binary(BinaryOp::Less, so_far, most, at);
                let increment = self.lower_increment(count, at);
                let (then, value) = self.lower_stages(item, rest, label, at, body);
                let block = Block { stmts: with_value(then, value), value: None, is_unsafe: false, span: at };
                let otherwise = self.expr(ExprKind::Block { label: None, block }, at);
                stmts.push(self.lower_when(condition, vec![increment], Some(otherwise), at));
            }
            Stage::Take(_, count) => {
                let item = self.hold(item, None, &mut stmts)?;
                stmts.push(self.lower_increment((*count)?, at));
                let (then, value) = self.lower_stages(item, rest, label, at, body);
                stmts.extend(with_value(then, value));
            }
        }
        Some((stmts, None))
    }

    /// `count += 1;`
    pub(super) fn lower_increment(&mut self, count: LocalId, at: Span) -> Stmt {
        let one = self.expr(ExprKind::Int(IntLiteral { value: 1, suffix: None }), at);
        self.lower_update(BinaryOp::Add, count, one, at)
    }

    /// `variable op= value;`
    pub(super) fn lower_update(&mut self, op: BinaryOp, variable: LocalId, value: Expr, at: Span) -> Stmt {
        let place = Box::new(self.use_of(variable));
        Stmt::Expr(Box::new(self.expr(ExprKind::CompoundAssign { op, place, value: Box::new(value), site: None }, at)))
    }

    /// `variable = value;`
    pub(super) fn lower_set(&mut self, variable: LocalId, value: Expr, at: Span) -> Stmt {
        let target = Target::Place(Box::new(self.use_of(variable)));
        Stmt::Expr(Box::new(self.expr(ExprKind::Assign { target, value: Box::new(value) }, at)))
    }

    /// `if condition { then } else { otherwise }`
    pub(super) fn lower_when(&mut self, condition: Expr, then: Vec<Stmt>, otherwise: Option<Expr>, at: Span) -> Stmt {
        let then = Block { stmts: then, value: None, is_unsafe: false, span: at };
        let otherwise = otherwise.map(|otherwise| match otherwise.kind {
            ExprKind::Block { .. } => Box::new(otherwise),
            _ => {
                let block = Block { stmts: vec![Stmt::Expr(Box::new(otherwise))], value: None, is_unsafe: false, span: at };
                Box::new(self.expr(ExprKind::Block { label: None, block }, at))
            }
        });
        Stmt::Expr(Box::new(self.expr(ExprKind::If { condition: Box::new(condition), then, otherwise }, at)))
    }

    /// `break`
    pub(super) fn leave(&mut self, label: LabelId, at: Span) -> Expr {
        let named = self.is_around_another_loop(label, at);
        self.expr(ExprKind::Break { label, named, value: None }, at)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Span) -> Expr {
        self.expr(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right), site: None }, at)
    }
}

/// The last expression of a body, as a statement.
pub(super) fn with_value(mut stmts: Vec<Stmt>, value: Option<Box<Expr>>) -> Vec<Stmt> {
    stmts.extend(value.map(Stmt::Expr));
    stmts
}
