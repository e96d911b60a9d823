//! Blocks, `let`, assignments and returns.

use super::code::{Binding, Code};
use super::matching::is_test;
use super::pattern::Subject;
use super::text::{CText, c};
use super::{Emitter, cache};
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
        block.stmts.iter().for_each(|stmt| self.write_stmt(stmt));
    }

    pub(super) fn write_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(local) => {
                self.origin(local.span);
                self.write_let(local);
            }
            Stmt::Expr(expr) => self.write_expr_stmt(expr),
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

    pub(super) fn write_let(&mut self, local: &Let) {
        let Some(init) = &local.init else {
            self.declare_pattern(&local.pattern);
            return;
        };
        if let Some(otherwise) = &local.otherwise {
            self.write_let_else(&local.pattern, init, otherwise);
            return;
        }
        // The new names are not visible in the values.
        if let Some((parts, inits)) = local.pattern.with_values(init) {
            let values = self.operands(&inits.iter().collect::<Vec<_>>());
            for ((pattern, value), init) in parts.iter().zip(values).zip(inits) {
                match pattern.as_name() {
                    Some(id) => {
                        self.remember_origin(id, init);
                        self.bind(id, &value.text);
                    }
                    None if matches!(pattern.kind, PatternKind::Wildcard) => self.write_dropped(init, value),
                    None => {
                        let value = self.spill_unless_word(value, &init.ty, "value");
                        self.write_bindings(pattern, &Subject::Place(value));
                    }
                }
            }
            return;
        }
        match (&local.pattern.kind, &init.kind) {
            (PatternKind::Wildcard, _) => self.write_effects(init),
            (PatternKind::Bind { local: id, sub: None }, _) => self.write_binding(*id, init),
            (
                PatternKind::Tuple(Sequence { parts, rest: None }),
                ExprKind::Intrinsic { intrinsic: Intrinsic::Grid2d | Intrinsic::Grid3d, .. },
            ) => {
                for (pattern, axis) in parts.iter().zip([Axis::X, Axis::Y, Axis::Z]) {
                    let coordinate = Code::bound(Binding::Sum, self.grid_coordinate(axis));
                    self.write_bindings(pattern, &Subject::Place(coordinate));
                }
            }
            _ => {
                let value = self.value(init);
                let whole = self.spill_unless_word(value, &init.ty, "value");
                self.write_bindings(&local.pattern, &Subject::Place(whole));
            }
        }
    }

    fn write_binding(&mut self, id: LocalId, init: &Expr) {
        let local = self.function.local(id);
        let name = self.name(id).to_owned();
        if let (Type::Shared(array), ExprKind::Intrinsic { .. }) = (&local.ty, &init.kind) {
            let element = array.innermost();
            // So that the compiler may load several elements, or an element of several parts, at once, as it does from device memory.
            let align = if is_aligned(array) { "alignas(16) " } else { "" };
            let array = self.shared_type_name(array);
            let array = if is_small_atomic(element) { c!["gr_whole_words<", array, ">"] } else { array };
            self.need("shared_array");
            self.writer.line(c![align, "__shared__ ", array, " ", name, ";"]);
            self.writer.line(c!["gr_any_bytes(", name, ");"]);
            return;
        }
        if let (Type::Slice { element, .. }, ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(index), args, .. }) =
            (&local.ty, &init.kind)
        {
            self.write_dynamic_shared(id, *index, element, &args[0]);
            return;
        }
        if let ExprKind::Struct { constructor, fields, base, .. } = &init.kind
            && !(constructor.variant.is_some() && fields.is_empty())
        {
            self.write_struct(&name, constructor, fields, base.as_deref(), &init.ty);
            return;
        }
        if let ExprKind::Closure(closure) = &init.kind {
            self.write_closure(&name, closure);
            return;
        }
        if let (true, ExprKind::Borrow { operand, .. }) = (local.is_reference(), &init.kind) {
            self.write_reference(id, operand);
            return;
        }
        if self.write_factor(id, init) {
            return;
        }
        if needs_statements(init) {
            self.declare(&name, &local.ty);
            self.write_into(init, &name.into());
            self.write_angle(id);
            return;
        }
        let value = self.root_value(init);
        if init.ty == Type::Never {
            return;
        }
        self.remember_origin(id, init);
        let text = if self.is_element_of_shared(init) { self.in_one_piece(&value.text) } else { value.text };
        self.bind(id, &text);
    }

    /// Whether it is an element of several parts of an array that is declared in shared memory.
    fn is_element_of_shared(&self, expr: &Expr) -> bool {
        let has_parts = matches!(expr.ty, Type::Tuple(_) | Type::Array(..) | Type::Named(_));
        let is_declared = |array: &Expr| matches!(array.kind, ExprKind::Local(local) if !self.function.local(local).is_reference());
        let is_aligned = |array: &Expr| matches!(&array.ty, Type::Shared(ty) if is_aligned(ty)) && is_declared(array);
        has_parts && !self.may_tear(expr) && matches!(&expr.kind, ExprKind::Index { base, .. } if is_aligned(base))
    }

    fn in_one_piece(&mut self, element: &CText) -> CText {
        self.need("aligned");
        c!["gr_in_one_piece(", element, ")"]
    }

    /// `const Body& me = bodies[i];`, and of a number that does not change, a copy.
    fn write_reference(&mut self, id: LocalId, operand: &Expr) {
        self.remember_origin(id, operand);
        let local = self.function.local(id);
        if local.is_copied() {
            let value = self.root_value(operand);
            self.bind(id, &value.text);
            return;
        }
        let place = self.base_place(operand, false);
        let ty = if let Type::Atomic(_) = local.ty { self.memory_type_name(&local.ty) } else { self.type_name(&local.ty) };
        let declaration = c![self.qualifier(id), ty, "& ", self.name(id), " = ", place, ";"];
        self.writer.line(declaration);
    }

    /// Declares the variable `id` with a value.
    pub(super) fn bind(&mut self, id: LocalId, value: &CText) {
        let local = self.function.local(id);
        if local.ty == Type::Unit {
            return self.bind_unit(id);
        }
        let ty = self.type_name(&local.ty);
        let qualifier = if local.mutable { "" } else { "const " };
        let declaration = c![qualifier, ty, " ", self.name(id), " = ", value, ";"];
        self.writer.line(declaration);
        self.write_angle(id);
    }

    /// `let x;`: assigned later.
    fn declare_pattern(&mut self, pattern: &Pattern) {
        for id in pattern.bindings() {
            let name = self.name(id).to_owned();
            self.declare(&name, &self.function.local(id).ty);
        }
    }

    pub(super) fn declare(&mut self, name: &str, ty: &Type) {
        if !matches!(ty, Type::Unit | Type::Never) {
            let ty = self.type_name(ty);
            self.writer.line(c![ty, " ", name, ";"]);
        }
    }

    pub(super) fn write_return(&mut self, value: Option<&Expr>) {
        match value {
            Some(value) if value.ty == Type::Never => self.write_effects(value),
            Some(value) if !matches!(value.ty, Type::Unit) => {
                let value = self.root_value(value);
                self.writer.line(c!["return ", value.text, ";"]);
            }
            Some(value) => {
                self.write_effects(value);
                self.write_end();
            }
            None => self.write_end(),
        }
    }

    pub(super) fn write_assign(&mut self, target: &Target, value: &Expr) {
        if let ExprKind::Tile { operation: TileOperation::AddDot(precision), args, .. } = &value.kind {
            self.write_add_dot(args, *precision);
            return;
        }
        match target {
            Target::Wildcard(_) => self.write_effects(value),
            Target::Place(place) if matches!(place.kind, ExprKind::Local(_)) && needs_statements(value) => {
                let place = self.assigned(place);
                self.write_into(value, &place.text);
            }
            Target::Place(place) => {
                let value_text = self.root_value(value);
                if value.ty == Type::Never {
                    return;
                }
                // Rust evaluates the value before the index of the place.
                let value_text = if place.writes() || (value_text.calls && place.can_leave()) {
                    self.spill(value_text, &value.ty, "value")
                } else {
                    value_text
                };
                let hint = self.store_hint(place);
                let place = self.assigned(place);
                self.writer.line(match hint {
                    Some(store) => c![store, "(&", place.text, ", ", value_text.text, ");"],
                    None => c![place.text, " = ", value_text.text, ";"],
                });
            }
            Target::Tuple(targets, _) => {
                let temporaries: Vec<CText> = match &value.kind {
                    ExprKind::Tuple(values) if values.len() == targets.len() => {
                        let codes = self.operands(&values.iter().collect::<Vec<_>>());
                        // All are read before the first is written.
                        codes.into_iter().zip(values).map(|(code, value)| self.spill(code, &value.ty, "value").text).collect()
                    }
                    _ => {
                        let code = self.value(value);
                        let tuple = self.spill(code, &value.ty, "value").text;
                        (0..targets.len()).map(|i| c![tuple, "._", i]).collect()
                    }
                };
                for (target, value) in targets.iter().zip(&temporaries) {
                    self.assign_text(target, value);
                }
            }
        }
    }

    /// CUDA's function for a store with a cache hint.
    fn store_hint(&self, place: &Expr) -> Option<&'static str> {
        let ExprKind::Index { site, .. } = &place.kind else { return None };
        self.function.site(*site).cache.map(cache::function)
    }

    fn assign_text(&mut self, target: &Target, value: &CText) {
        match target {
            Target::Wildcard(_) => {}
            Target::Place(place) => {
                let place = self.assigned(place);
                self.writer.line(c![place.text, " = ", value, ";"]);
            }
            Target::Tuple(targets, _) => {
                for (i, target) in targets.iter().enumerate() {
                    self.assign_text(target, &c![value, "._", i]);
                }
            }
        }
    }
}

/// Whether shared arrays of this type begin at multiples of 16 bytes.
fn is_aligned(array: &Type) -> bool {
    let element = array.innermost();
    !matches!(element, Type::Atomic(_)) && element.as_scalar() != Some(Scalar::Bool)
}

/// Whether it is an atomic that is smaller than a word.
fn is_small_atomic(ty: &Type) -> bool {
    let Type::Atomic(value) = ty else { return false };
    match value {
        AtomicValue::Scalar(scalar) => scalar.bits() < 32,
        AtomicValue::F16 | AtomicValue::Bf16 => true,
    }
}

/// Whether the value is best written by statements that assign it (branches, blocks, loops).
pub(super) fn needs_statements(expr: &Expr) -> bool {
    let has_value = !matches!(expr.ty, Type::Unit | Type::Never | Type::Opaque);
    match expr.action() {
        Action::Branch => has_value && !matches!(&expr.kind, ExprKind::Match { arms, .. } if is_test(arms)),
        Action::Loop => has_value,
        Action::Compute { .. }
        | Action::Access
        | Action::Assign(_)
        | Action::CompoundAssign { .. }
        | Action::BorrowMut(_)
        | Action::Atomic
        | Action::Call { .. }
        | Action::Tile
        | Action::Assembly
        | Action::Intrinsic(_)
        | Action::Jump
        | Action::Panic => false,
    }
}
