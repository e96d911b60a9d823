//! Products of a loop that run on: each begins where it is written, and ends where its result is used.

use super::Emitter;
use super::text::c;
use super::tile_loop::Product;
use crate::model::*;

/// A product that was begun.
struct Running {
    /// The variable that it is added to, or becomes.
    result: LocalId,
    /// Of its left operand.
    name: String,
    /// How many began before it.
    number: usize,
}

impl Emitter<'_> {
    /// The body of a loop with these products.
    pub(super) fn write_running(&mut self, products: &[Product<'_>], body: &Block) {
        let (mut running, mut count) = (Vec::new(), 0);
        let value = body.value.as_deref();
        for stmt in body.stmts.iter().map(Statement::of).chain(value.map(Statement::Expr)) {
            self.end_products(&mut running, count, |result| stmt.mentions(result));
            let Some(product) = stmt.product(products) else {
                stmt.write(self);
                continue;
            };
            running.push(self.write_begin_of_product(&product, count));
            count += 1;
        }
        self.end_products(&mut running, count, |_| true);
    }

    fn write_begin_of_product(&mut self, product: &Whole<'_>, number: usize) -> Running {
        let Whole { result, is_new, operands, precision, span } = *product;
        self.origin(span);
        let adds = if is_new { "false" } else { "true" };
        if is_new {
            let ty = self.type_name(&self.function.local(result).ty);
            self.writer.line(c![ty, " ", self.name(result).to_owned(), ";"]);
        }
        let operands = self.factors(operands, precision);
        let (name, result_name) = (self.namer.temporary("product"), self.name(result).to_owned());
        self.writer.line(c!["auto ", name.clone(), " = gr_tile_begin_dot<", adds, ">(", result_name, ", ", operands, ");"]);
        Running { result, name, number }
    }

    /// Waits for those whose results are used, of the `count` that were begun.
    fn end_products(&mut self, running: &mut Vec<Running>, count: usize, is_used: impl Fn(LocalId) -> bool) {
        running.retain(|Running { result, name, number }| {
            let is_used = is_used(*result);
            if is_used {
                let (later, result) = (count - number - 1, self.name(*result).to_owned());
                self.writer.line(c![format!("gr_tile_end_dot<{later}>("), result, ", ", name.clone(), ");"]);
            }
            !is_used
        });
    }
}

/// `let x = a.dot(b);` or `sum += a.dot(b);`
struct Whole<'m> {
    result: LocalId,
    is_new: bool,
    operands: &'m [Expr],
    precision: Precision,
    span: proc_macro2::Span,
}

/// A statement, or the last expression of a block.
enum Statement<'m> {
    Let(&'m Stmt, &'m Let),
    Expr(&'m Expr),
}

impl<'m> Statement<'m> {
    fn of(stmt: &'m Stmt) -> Self {
        match stmt {
            Stmt::Let(local) => Self::Let(stmt, local),
            Stmt::Expr(expr) => Self::Expr(expr),
        }
    }

    fn mentions(&self, variable: LocalId) -> bool {
        let is_it = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == variable);
        match self {
            Self::Let(_, local) => local.init.as_ref().is_some_and(|init| init.any(&is_it)),
            Self::Expr(expr) => expr.any(&is_it),
        }
    }

    /// The product that it is as a whole, if it is one of `products`.
    fn product(&self, products: &[Product<'_>]) -> Option<Whole<'m>> {
        let is_one = |operands: &[Expr]| products.iter().any(|product| std::ptr::eq(product.b.written, &operands[1]));
        let whole = match *self {
            Self::Let(_, local) => {
                let (PatternKind::Bind { local: result, sub: None }, Some(init)) = (&local.pattern.kind, &local.init) else { return None };
                let ExprKind::Tile { operation: TileOperation::Dot(precision), args, .. } = &init.kind else { return None };
                Whole { result: *result, is_new: true, operands: args, precision: *precision, span: local.span }
            }
            Self::Expr(expr) => {
                let ExprKind::Assign { value, .. } = &expr.kind else { return None };
                let ExprKind::Tile { operation: TileOperation::AddDot(precision), args, .. } = &value.kind else { return None };
                let ExprKind::Local(result) = args[0].kind else { return None };
                Whole { result, is_new: false, operands: &args[1..], precision: *precision, span: expr.span }
            }
        };
        is_one(whole.operands).then_some(whole)
    }

    fn write(&self, emitter: &mut Emitter<'_>) {
        match self {
            Self::Let(stmt, _) => emitter.write_stmt(stmt),
            Self::Expr(expr) => emitter.write_expr_stmt(expr),
        }
    }
}
