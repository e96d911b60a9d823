//! Shared arrays that are exchanged, by `swap(&mut a, &mut b)` or `(a, b) = (b, a)`.
//!
//! A shared array has a fixed place, by which the proofs know it. So arrays that are exchanged become the rows of one array, and their
//! variables the numbers of the rows: `a[i]` is `rows[a][i]`, and the exchange is one of two numbers. The proofs follow numbers.

use super::Lowerer;
use crate::model::*;
use proc_macro2::Span;
use syn::parse_quote_spanned;
use syn::spanned::Spanned;

/// Arrays of which some are exchanged with each other.
struct Group {
    members: Vec<LocalId>,
    /// The array with the rows, once the first member has been declared, and the type of each row.
    rows: Option<(LocalId, Type)>,
    /// Where they are exchanged.
    at: Span,
}

impl Lowerer<'_> {
    /// Remembers that `target = value` exchanges shared arrays, if it does.
    pub(super) fn note_exchange(&mut self, target: &Target, value: &Expr, at: Span) {
        let (Target::Tuple(targets, _), ExprKind::Tuple(values)) = (target, &value.kind) else { return };
        let (Some(targets), Some(values)) = (variables(targets.iter().map(place_of)), variables(values.iter().map(Some))) else { return };
        let is_shared = |local: &LocalId| matches!(self.locals[local.0].ty, Type::Shared(_));
        let is_permutation = targets.iter().all(|local| values.iter().filter(|value| *value == local).count() == 1);
        if targets.iter().all(is_shared) && is_permutation && targets.len() == values.len() {
            self.exchanges.push((targets, at));
        }
    }

    /// Makes the arrays that are exchanged in `body` rows.
    pub(super) fn join_exchanged(&mut self, body: &mut Block) {
        let mut groups: Vec<Group> = Vec::new();
        for (members, at) in std::mem::take(&mut self.exchanges) {
            let (same, others) = groups.into_iter().partition(|group: &Group| group.members.iter().any(|member| members.contains(member)));
            groups = others;
            let mut joined = Group { members, rows: None, at };
            joined.members.extend(same.into_iter().flat_map(|group: Group| group.members));
            joined.members.sort();
            joined.members.dedup();
            groups.push(joined);
        }
        if !groups.is_empty() {
            self.join_in_block(body, &mut groups);
        }
    }

    fn join_in_block(&mut self, block: &mut Block, groups: &mut [Group]) {
        for stmt in std::mem::take(&mut block.stmts) {
            match stmt {
                Stmt::Let(declared) => self.join_declared(declared, groups, &mut block.stmts),
                other => block.stmts.push(other),
            }
        }
        block.for_each_inside_mut(&mut |inside| self.join_inside(inside, groups));
    }

    /// `let a = shared::<A>();` as `let rows = shared::<[A; 2]>(); let a = 0;`, where `a` is exchanged.
    fn join_declared(&mut self, mut declared: Box<Let>, groups: &mut [Group], stmts: &mut Vec<Stmt>) {
        let name = declared.pattern.as_name();
        let group = groups.iter_mut().find_map(|group| {
            let row = group.members.iter().position(|member| Some(*member) == name)?;
            Some((row, group))
        });
        let (Some((row, group)), Some(local), Type::Shared(array)) = (group, name, &declared.ty) else {
            stmts.push(Stmt::Let(declared));
            return;
        };
        let (array, span) = ((**array).clone(), declared.span);
        match &group.rows {
            None => {
                let count = group.members.len();
                let rows = Type::Shared(Box::new(Type::Array(Box::new(array.clone()), Length::of_elements(count, span))));
                let init = declared.init.take().map(|init| Expr { kind: with_rows(init.kind, count), ty: rows.clone(), ..init });
                let name =
                    self.own_name(&group.members.iter().map(|member| self.locals[member.0].name.to_string()).collect::<Vec<_>>().join("_"));
                let id = LocalId(self.locals.len());
                let kind = LocalKind::Let;
                self.locals.push(Local { name, mutable: true, mut_token: Some(span), ty: rows.clone(), kind, holds: Holds::Value });
                let pattern = Pattern::new(PatternKind::Bind { local: id, sub: None }, rows.clone(), span);
                stmts.push(Stmt::Let(Box::new(Let { pattern, tokens: None, ty: rows, init, otherwise: None, span, end: span })));
                group.rows = Some((id, array));
            }
            Some((_, first)) if *first != array => {
                let Local { name, .. } = &self.locals[local.0];
                let message =
                    format!("`{name}` is swapped with a shared array of another type\nhelp: declare both with the same type and length");
                self.errors.push_invalid(group.at, message);
            }
            Some(_) => {}
        }
        self.locals[local.0].ty = Type::USIZE;
        declared.ty = Type::USIZE;
        declared.pattern.ty = Type::USIZE;
        declared.tokens = None;
        declared.init = Some(self.usize_literal(row as u128, span));
        stmts.push(Stmt::Let(declared));
    }

    fn join_inside(&mut self, inside: InsideMut<'_>, groups: &mut [Group]) {
        match inside {
            InsideMut::Expr(expr) => self.join_in_expr(expr, groups),
            InsideMut::Block(block) => self.join_in_block(block, groups),
            InsideMut::Pattern(pattern) => pattern.for_each_inside_mut(&mut |inside| self.join_inside(inside, groups)),
            InsideMut::Type(_) => {}
        }
    }

    fn join_in_expr(&mut self, expr: &mut Expr, groups: &mut [Group]) {
        match &expr.kind {
            ExprKind::Local(local) => {
                let Some(group) = groups.iter().find(|group| group.members.contains(local)) else { return };
                let Some((rows, _)) = group.rows else { return };
                let (base, index) = (Box::new(self.use_of(rows)), Box::new(self.use_of(*local)));
                let site = self.site(expr.span, SiteKind::Index);
                expr.kind = ExprKind::Index { base, index, site };
            }
            ExprKind::Assign { target: Target::Tuple(targets, _), .. } if self.exchanges_rows(targets, groups) => {}
            ExprKind::Call { args, awaited: true, .. } if args.iter().any(|arg| is_member(arg, groups)) => {
                self.errors.push(
                    expr.span,
                    "a shared array that is swapped with another cannot be passed to an `async` device function\nhelp: declare one array of two rows, pass it, and pass the number of the row",
                );
            }
            _ => expr.for_each_inside_mut(&mut |inside| self.join_inside(inside, groups)),
        }
    }

    fn exchanges_rows(&self, targets: &[Target], groups: &[Group]) -> bool {
        variables(targets.iter().map(place_of))
            .is_some_and(|locals| groups.iter().any(|group| locals.iter().all(|local| group.members.contains(local))))
    }
}

/// Whether `arg` is one of the arrays, by reference.
fn is_member(arg: &Expr, groups: &[Group]) -> bool {
    let ExprKind::Borrow { operand, .. } = &arg.kind else { return false };
    matches!(operand.kind, ExprKind::Local(local) if groups.iter().any(|group| group.members.contains(&local)))
}

fn place_of(target: &Target) -> Option<&Expr> {
    match target {
        Target::Place(place) => Some(place),
        Target::Wildcard(_) | Target::Tuple(..) => None,
    }
}

/// The variables that these are, if all are.
fn variables<'e>(exprs: impl Iterator<Item = Option<&'e Expr>>) -> Option<Vec<LocalId>> {
    exprs
        .map(|expr| match expr?.kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        })
        .collect()
}

/// `shared::<A>()` as `shared::<[A; count]>()`.
fn with_rows(mut declaration: ExprKind, count: usize) -> ExprKind {
    if let ExprKind::Intrinsic { path, .. } = &mut declaration
        && let Some(syn::PathSegment { arguments: syn::PathArguments::AngleBracketed(generics), .. }) = path.segments.last_mut()
        && let Some(syn::GenericArgument::Type(ty)) = generics.args.first_mut()
    {
        *ty = parse_quote_spanned!(ty.span()=> [#ty; #count]);
    }
    declaration
}
