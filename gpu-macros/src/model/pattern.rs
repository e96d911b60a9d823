//! Patterns: what a value must look like, and the names that its parts get.

use super::{Constructor, Expr, ExprKind, Inside, LocalId, LogicalOp, Member, StdVariant, Type};
use proc_macro2::Span;

pub(crate) struct Pattern {
    pub(crate) kind: PatternKind,
    /// Of the values that it is compared with.
    pub(crate) ty: Type,
    /// Where it starts.
    pub(crate) span: Span,
    /// The parentheses or braces that it ends with; else where it starts.
    pub(crate) end: Span,
}

pub(crate) enum PatternKind {
    /// What was refused, and reported. The names in it are variables whose type is [`Type::Refused`].
    Refused,
    /// `_`
    Wildcard,
    /// `x`, `mut x` or `x @ sub`. The alternatives of an or-pattern bind the same variables.
    Bind { local: LocalId, sub: Option<Box<Pattern>> },
    /// A literal, the negative of one, or the path of a constant: a value that is compared with `==`.
    Value(Box<Expr>),
    /// `a..=b`, `a..b`, `a..`, `..=b`, `..b`: each end a literal or a constant.
    Range { start: Option<Box<Expr>>, end: Option<Box<Expr>>, inclusive: bool },
    /// `a | b`
    Or(Vec<Pattern>),
    /// `(a, b, ..)`
    Tuple(Sequence),
    /// `[a, b, ..]` of an array, whose length is known.
    Array(Sequence),
    /// `Point { x, .. }`, or with `positional` `Pair(a, b)`; the same of a variant, `Shape::Circle { r }`.
    Struct(StructPattern),
    /// `Some(p)`, `None`, `Ok(p)` or `Err(p)`.
    Variant { variant: StdVariant, part: Option<Box<Pattern>> },
}

pub(crate) struct StructPattern {
    pub(crate) constructor: Constructor,
    pub(crate) fields: Vec<(Member, Pattern)>,
    /// Ends in `..`.
    pub(crate) rest: bool,
    pub(crate) positional: bool,
}

/// Patterns for parts that have an order.
pub(crate) struct Sequence {
    pub(crate) parts: Vec<Pattern>,
    /// How many of them stand before `..`, if that is there.
    pub(crate) rest: Option<usize>,
}

impl Pattern {
    /// Of `let (a, b) = (x, y);` and `let [a, b] = [x, y];`: the patterns and their values, which need no tuple and no array.
    pub(crate) fn with_values<'m>(&'m self, init: &'m Expr) -> Option<(&'m [Pattern], &'m [Expr])> {
        match (&self.kind, &init.kind) {
            (PatternKind::Tuple(Sequence { parts, rest: None }), ExprKind::Tuple(values))
            | (PatternKind::Array(Sequence { parts, rest: None }), ExprKind::Array(values)) => {
                (parts.len() == values.len()).then_some((parts, values))
            }
            _ => None,
        }
    }
}

impl Sequence {
    /// The parts, each with the index of what it is compared with among `count`. `None` if there are not that many.
    pub(crate) fn indexed(&self, count: usize) -> Option<Vec<(usize, &Pattern)>> {
        let skipped = count.checked_sub(self.parts.len())?;
        let before = match self.rest {
            Some(before) => before,
            None if skipped == 0 => 0,
            None => return None,
        };
        Some(self.parts.iter().enumerate().map(|(i, part)| (if i < before { i } else { i + skipped }, part)).collect())
    }
}

impl Pattern {
    pub(crate) fn new(kind: PatternKind, ty: Type, span: Span) -> Pattern {
        Pattern { kind, ty, span, end: span }
    }

    /// Whether every value matches, as far as the pattern alone shows.
    pub(crate) fn is_irrefutable(&self) -> bool {
        match &self.kind {
            PatternKind::Wildcard | PatternKind::Refused => true,
            PatternKind::Bind { sub, .. } => sub.as_ref().is_none_or(|sub| sub.is_irrefutable()),
            PatternKind::Or(alternatives) => alternatives.iter().any(Pattern::is_irrefutable),
            PatternKind::Tuple(Sequence { parts, .. }) | PatternKind::Array(Sequence { parts, .. }) => {
                parts.iter().all(Pattern::is_irrefutable)
            }
            PatternKind::Struct(StructPattern { constructor, fields, .. }) => {
                constructor.variant.is_none() && fields.iter().all(|(_, part)| part.is_irrefutable())
            }
            PatternKind::Value(_) | PatternKind::Range { .. } | PatternKind::Variant { .. } => false,
        }
    }

    /// Whether there are alternatives in it, `a | b`.
    pub(crate) fn has_alternatives(&self) -> bool {
        let mut found = matches!(self.kind, PatternKind::Or(_));
        self.for_each_inside(&mut |inside| {
            if let Inside::Pattern(part) = inside {
                found |= part.has_alternatives();
            }
        });
        found
    }

    /// The variable, where the pattern is no more than a name.
    pub(crate) fn as_name(&self) -> Option<LocalId> {
        match self.kind {
            PatternKind::Bind { local, sub: None } => Some(local),
            _ => None,
        }
    }

    /// Calls `visit` on this pattern and on every pattern in it.
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(&Pattern)) {
        visit(self);
        self.for_each_inside(&mut |inside| match inside {
            Inside::Pattern(part) => part.walk(visit),
            Inside::Expr(_) | Inside::Block(_) | Inside::Type(_) => {}
        });
    }

    /// The variables that it binds, each once.
    pub(crate) fn bindings(&self) -> Vec<LocalId> {
        let mut found = Vec::new();
        self.walk(&mut |pattern| match pattern.kind {
            PatternKind::Bind { local, .. } if !found.contains(&local) => found.push(local),
            _ => {}
        });
        found
    }
}

impl Expr {
    /// Whether it is a condition with a `let` in it, whose names live on in what the condition guards.
    pub(crate) fn binds(&self) -> bool {
        match &self.kind {
            ExprKind::Let { .. } => true,
            ExprKind::Logical { op: LogicalOp::And, left, right } => left.binds() || right.binds(),
            _ => false,
        }
    }

    /// The conditions that `&&` joins into this one, from left to right, if it has a `let` in it.
    pub(crate) fn conjuncts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Logical { op: LogicalOp::And, left, right } if self.binds() => [left.conjuncts(), right.conjuncts()].concat(),
            _ => vec![self],
        }
    }
}
