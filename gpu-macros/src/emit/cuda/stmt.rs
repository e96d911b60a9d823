//! Blocks, `let`, assignments and returns.

use super::Emitter;
use crate::model::*;

impl Emitter<'_> {
    /// The statements of a block, and its value as a statement.
    pub(super) fn write_block_contents(&mut self, block: &Block) {
        self.write_stmts(block);
        if let Some(value) = &block.value {
            self.write_expr_stmt(value);
        }
    }

    pub(super) fn write_stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(local) => {
                    self.origin(local.span);
                    self.write_let(local);
                }
                Stmt::Expr(expr) => self.write_expr_stmt(expr),
            }
        }
    }

    /// Evaluates `expr` for its effects.
    pub(super) fn write_expr_stmt(&mut self, expr: &Expr) {
        self.origin(expr.span);
        self.write_effects(expr);
    }

    pub(super) fn origin(&mut self, span: proc_macro2::Span) {
        self.writer.origin(span.start().line as u32);
    }

    fn write_let(&mut self, local: &Let) {
        match (&local.pattern, &local.init) {
            (_, None) => self.declare_pattern(&local.pattern),
            (Pattern::Wildcard(_), Some(init)) => self.write_effects(init),
            (Pattern::Bind(id), Some(init)) => self.write_binding(*id, init),
            (Pattern::Tuple(patterns, _), Some(init)) => match &init.kind {
                // `let (a, b) = (x, y);` needs no tuple: the new names are not visible in the values.
                ExprKind::Tuple(inits) if inits.len() == patterns.len() => {
                    let values = self.operands(&inits.iter().collect::<Vec<_>>());
                    for ((pattern, value), init) in patterns.iter().zip(values).zip(inits) {
                        if let Pattern::Bind(id) = pattern {
                            self.remember_origin(*id, init);
                        }
                        self.bind_pattern(pattern, &value.text);
                    }
                }
                ExprKind::Intrinsic { intrinsic: intrinsic @ (Intrinsic::Grid2d | Intrinsic::Grid3d), .. } => {
                    for (pattern, axis) in patterns.iter().zip([Axis::X, Axis::Y, Axis::Z]) {
                        let coordinate = self.grid_coordinate(axis);
                        self.bind_pattern(pattern, &coordinate);
                    }
                    debug_assert_eq!(patterns.len(), if *intrinsic == Intrinsic::Grid2d { 2 } else { 3 });
                }
                _ => {
                    let value = self.value(init);
                    let tuple = self.spill_unless_simple(value, &init.ty, "value");
                    self.bind_pattern(&local.pattern, &tuple);
                }
            },
        }
    }

    fn write_binding(&mut self, id: LocalId, init: &Expr) {
        let local = self.function.local(id);
        let name = self.name(id).to_owned();
        if let (Type::Shared(array), ExprKind::Intrinsic { .. }) = (&local.ty, &init.kind) {
            let array = self.shared_type_name(array);
            self.writer.line(format!("__shared__ {array} {name};"));
            return;
        }
        if let ExprKind::Closure(closure) = &init.kind {
            self.write_closure(&name, closure);
            return;
        }
        if needs_statements(init) {
            self.declare(&name, &local.ty);
            self.write_into(init, &name);
            self.write_angle(id);
            return;
        }
        let value = self.root_value(init);
        if init.ty == Type::Never {
            return;
        }
        self.remember_origin(id, init);
        self.bind(id, &value.text);
    }

    /// Declares the variable `id` with a value.
    fn bind(&mut self, id: LocalId, value: &str) {
        let local = self.function.local(id);
        let ty = self.type_name(&local.ty);
        let qualifier = if local.mutable { "" } else { "const " };
        let name = self.name(id);
        self.writer.line(format!("{qualifier}{ty} {name} = {value};"));
        self.write_angle(id);
    }

    fn bind_pattern(&mut self, pattern: &Pattern, value: &str) {
        match pattern {
            Pattern::Wildcard(_) => {}
            Pattern::Bind(id) => self.bind(*id, value),
            Pattern::Tuple(patterns, _) => {
                for (i, pattern) in patterns.iter().enumerate() {
                    self.bind_pattern(pattern, &format!("{value}._{i}"));
                }
            }
        }
    }

    /// `let x;`: assigned later.
    fn declare_pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Wildcard(_) => {}
            Pattern::Bind(id) => {
                let name = self.name(*id).to_owned();
                self.declare(&name, &self.function.local(*id).ty);
            }
            Pattern::Tuple(patterns, _) => patterns.iter().for_each(|pattern| self.declare_pattern(pattern)),
        }
    }

    pub(super) fn declare(&mut self, name: &str, ty: &Type) {
        if !matches!(ty, Type::Unit | Type::Never) {
            let ty = self.type_name(ty);
            self.writer.line(format!("{ty} {name};"));
        }
    }

    pub(super) fn write_return(&mut self, value: Option<&Expr>) {
        match value {
            Some(value) if value.ty == Type::Never => self.write_effects(value),
            Some(value) if !matches!(value.ty, Type::Unit) => {
                let value = self.root_value(value);
                self.writer.line(format!("return {};", value.text));
            }
            Some(value) => {
                self.write_effects(value);
                self.writer.line("return;");
            }
            None => self.writer.line("return;"),
        }
    }

    pub(super) fn write_assign(&mut self, target: &Target, value: &Expr) {
        match target {
            Target::Wildcard(_) => self.write_effects(value),
            Target::Place(place) if matches!(place.kind, ExprKind::Local(_)) && needs_statements(value) => {
                let place = self.value(place);
                self.write_into(value, &place.text);
            }
            Target::Place(place) => {
                let value_text = self.root_value(value);
                if value.ty == Type::Never {
                    return;
                }
                // Rust evaluates the value before the index of the place.
                let value_text = if place.writes() || (value_text.calls && emits_checks(place)) {
                    self.spill_code(value_text, &value.ty)
                } else {
                    value_text
                };
                let place = self.value(place);
                self.writer.line(format!("{} = {};", place.text, value_text.text));
            }
            Target::Tuple(targets, _) => {
                let temporaries: Vec<String> = match &value.kind {
                    ExprKind::Tuple(values) if values.len() == targets.len() => {
                        let codes = self.operands(&values.iter().collect::<Vec<_>>());
                        // All are read before the first is written.
                        codes.into_iter().zip(values).map(|(code, value)| self.spill(code, &value.ty)).collect()
                    }
                    _ => {
                        let code = self.value(value);
                        let tuple = self.spill(code, &value.ty);
                        (0..targets.len()).map(|i| format!("{tuple}._{i}")).collect()
                    }
                };
                for (target, value) in targets.iter().zip(&temporaries) {
                    self.assign_text(target, value);
                }
            }
        }
    }

    fn assign_text(&mut self, target: &Target, value: &str) {
        match target {
            Target::Wildcard(_) => {}
            Target::Place(place) => {
                let place = self.value(place);
                self.writer.line(format!("{} = {value};", place.text));
            }
            Target::Tuple(targets, _) => {
                for (i, target) in targets.iter().enumerate() {
                    self.assign_text(target, &format!("{value}._{i}"));
                }
            }
        }
    }
}

/// Whether the value is best written by statements that assign it (`if`, blocks, loops).
pub(super) fn needs_statements(expr: &Expr) -> bool {
    !matches!(expr.ty, Type::Unit | Type::Never | Type::Opaque)
        && matches!(expr.kind, ExprKind::If { .. } | ExprKind::Block { .. } | ExprKind::Loop { .. })
}

/// Whether evaluating `expr` can end the thread.
pub(super) fn emits_checks(expr: &Expr) -> bool {
    let fails = match &expr.kind {
        ExprKind::Index { .. } | ExprKind::Panic { .. } | ExprKind::Assert { .. } | ExprKind::Call { .. } | ExprKind::Return(_) => true,
        ExprKind::CallLocal { .. } => true,
        ExprKind::Binary { site, .. } | ExprKind::Method { site, .. } | ExprKind::CompoundAssign { site, .. } => site.is_some(),
        ExprKind::Break { .. } | ExprKind::Continue { .. } => true,
        _ => false,
    };
    if fails {
        return true;
    }
    let mut found = false;
    expr.for_each_child(&mut |child| found |= emits_checks(child));
    found
}
