//! Expressions as C values.

use super::Emitter;
use super::code::{Binding, Code};
use super::matching::is_test;
use super::names::{field_name, position_name};
use super::stmt::needs_statements;
use super::structs::{empty_variant, variant_without_data};
use super::text::{CText, c, join};
use super::types::{float, integer_literal, length};
use crate::emit::{Known, Piece};
use crate::model::*;
use quote::quote;

impl Emitter<'_> {
    /// The value of `expr`, after the statements it needs. Calls go into temporaries.
    pub(super) fn value(&mut self, expr: &Expr) -> Code {
        let code = self.root_value(expr);
        if code.calls { self.spill(code, &expr.ty, "value") } else { code }
    }

    /// Like [`Emitter::value`], for a place where the text is evaluated at once: a call stays a call.
    pub(super) fn root_value(&mut self, expr: &Expr) -> Code {
        let code = self.in_its_width(expr, |emitter| emitter.direct_value(expr));
        match code {
            code if self.may_race(expr) => self.racing(code),
            code if self.may_tear(expr) => self.copied(&code.text),
            code => code,
        }
    }

    /// `place`, to assign to it.
    pub(super) fn assigned(&mut self, place: &Expr) -> Code {
        if self.may_tear(place) { self.direct_value(place) } else { self.value(place) }
    }

    /// The same, with elements of shared arrays as C has them.
    fn direct_value(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Int(literal) if expr.ty.is_followed() => self.followed_integer(literal.value, false, &expr.ty),
            ExprKind::Float(literal) if expr.ty.is_followed() => self.followed_float(&literal.digits, &expr.ty),
            ExprKind::Int(literal) if expr.ty == Type::USIZE => self.index_literal(literal.value),
            ExprKind::Int(literal) => integer_literal(literal.value, expr.ty.as_scalar()),
            ExprKind::Float(literal) => Code::constant(float(&literal.digits, expr.ty.as_scalar())),
            ExprKind::Bool(flag) => Code::constant_word(flag.to_string()),
            ExprKind::Local(local) => self.places[local.0].clone().with_constant(self.function.local(*local).is_constant()),
            ExprKind::Constant(path) if matches!(expr.ty, Type::Table(_)) => Code::constant_word(self.table(path)),
            ExprKind::Constant(path) if enum_of_variant(path).is_some() => variant_without_data(quote!(#path), &expr.ty),
            ExprKind::Constant(path) => Code::constant_word(CText::hole(Piece::Value(quote!(#path)))),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, expr),
            ExprKind::Binary { op, left, right, site } => self.binary(expr, *op, left, right, *site),
            ExprKind::Logical { op, left, right } => self.logical(*op, left, right),
            ExprKind::Cast { operand, to } => self.cast(operand, *to),
            ExprKind::Convert { conversion, to, operand } => self.convert(*conversion, operand, to),
            ExprKind::Index { base, index, site } => self.write_index(base, index, *site),
            ExprKind::Subslice { .. } => unreachable!("a part of an array is borrowed"),
            ExprKind::Element { base, indices, sites } => self.write_element(base, indices, sites, false),
            ExprKind::Extent { base, axis } => self.extent(base, *axis),
            ExprKind::TupleField { .. } | ExprKind::Field { .. } if self.may_race(expr) || self.may_tear(expr) => {
                Code::atom(self.base_place(expr, false))
            }
            ExprKind::TupleField { base, index } => {
                let base = self.value(base);
                Code::atom(c![base.operand(), "._", index])
            }
            ExprKind::Field { base, name } => self.field(base, name),
            ExprKind::Struct { constructor, fields, base: None, positional } if constructor.variant.is_some() && fields.is_empty() => {
                empty_variant(constructor, *positional, &expr.ty)
            }
            ExprKind::Struct { constructor, fields, base, .. } => self.struct_value(constructor, fields, base.as_deref(), &expr.ty),
            ExprKind::Associated { path, receiver, name, args } => self.associated(expr, path.as_ref(), receiver.as_deref(), name, args),
            ExprKind::Axis { base, axis, .. } => self.axis(base, *axis),
            ExprKind::Tuple(elements) if elements.is_empty() => nothing(),
            ExprKind::Tuple(elements) => {
                let values = self.list(elements);
                Code::atom(c![self.type_name(&expr.ty), "{", values, "}"])
            }
            ExprKind::Array(elements) => {
                let values = self.list(elements);
                Code::atom(c![self.type_name(&expr.ty), "{{", values, "}}"])
            }
            ExprKind::Repeat { element, length: count } => {
                let value = self.value(element);
                let element = self.type_name(&element.ty);
                self.need("array");
                Code::atom(c!["gr_array<", element, ", ", length(count), ">::repeat(", value.text, ")"])
            }
            ExprKind::Method { method, receiver, args, site, .. } => self.method(*method, receiver, args, *site),
            ExprKind::Atomic { .. } if expr.ty != Type::Unit => self.atomic(expr, true),
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, args, .. } if builtin.result != BuiltinType::Unit => {
                self.builtin(*builtin, args)
            }
            ExprKind::Intrinsic { intrinsic, .. } if expr.ty != Type::Unit => self.intrinsic(*intrinsic),
            ExprKind::Call { path, explicit, args, awaited, .. } => self.call(expr, path, explicit, args, *awaited),
            ExprKind::CallLocal { function, args } => self.call_local(*function, args),
            ExprKind::Closure(closure) => self.closure(closure),
            ExprKind::FunctionItem { path, explicit } => self.function_item(path, explicit),
            ExprKind::Tile { operation, args, .. } => self.tile(operation, args, expr),
            ExprKind::Assembly(assembly) => self.assembly(assembly, &expr.ty),
            ExprKind::Borrow { operand, .. } if self.borrows_racing(expr) => self.racing_copy(operand),
            ExprKind::Borrow { operand, .. } if operand.is_place() => {
                let place = self.base_place(operand, false);
                Code::atom(self.lent(operand, place))
            }
            ExprKind::Borrow { operand, .. } => self.value(operand),
            ExprKind::If { condition, then, otherwise: Some(otherwise) } if is_value(expr) && !condition.binds() => {
                if let Some(code) = self.ternary(condition, then, otherwise) {
                    return code;
                }
                self.value_in_temporary(expr)
            }
            ExprKind::Match { scrutinee, arms } if is_test(arms) => self.match_test(scrutinee, arms),
            ExprKind::Variant { variant, value } => self.std_variant(*variant, value.as_deref(), &expr.ty),
            ExprKind::Either(operand) => self.value(operand),
            ExprKind::Again { .. } => unreachable!("inference has replaced it"),
            ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { .. } | ExprKind::Loop { .. } if needs_statements(expr) => {
                self.value_in_temporary(expr)
            }
            ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Block { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Panic { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Intrinsic { .. } => {
                self.write_effects(expr);
                nothing()
            }
            ExprKind::Let { .. } => unreachable!("conditions that bind names are taken apart"),
            ExprKind::Refused | ExprKind::Start(_) | ExprKind::ByType(_) => {
                unreachable!("what was refused, or inference replaces, is not emitted")
            }
        }
    }

    /// Evaluates `expr` and drops its value.
    pub(super) fn write_effects(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Block { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. } => self.write_control(expr, None),
            ExprKind::Break { label, named, value } => self.write_break(*label, *named, value.as_deref()),
            ExprKind::Continue { label, named } => self.write_continue(*label, *named),
            ExprKind::Return(value) => self.write_return(value.as_deref()),
            ExprKind::Assign { target, value } => self.write_assign(target, value),
            ExprKind::CompoundAssign { op, place, value, site } => self.write_compound_assign(expr, *op, place, value, *site),
            ExprKind::Panic { site } => self.write_panic(*site),
            ExprKind::Assert { condition, site, debug } => self.write_assert(condition, *site, *debug),
            ExprKind::Atomic { .. } => {
                let call = self.atomic(expr, false);
                if call.calls {
                    self.writer.line(c![call.text, ";"]);
                }
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Print(site), args, .. } => self.write_print(*site, args),
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, site: Some(site) }, .. }
                if builtin.effect == Effect::GridCollective =>
            {
                self.write_grid_barrier(*builtin, *site);
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, args, .. } => {
                let call = self.builtin(*builtin, args);
                self.writer.line(c![call.text, ";"]);
            }
            ExprKind::Call { path, explicit, args, awaited, .. } => {
                let call = self.call(expr, path, explicit, args, *awaited);
                self.writer.line(c![call.text, ";"]);
            }
            ExprKind::Closure(_) => {}
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Index { .. }
            | ExprKind::Subslice { .. }
            | ExprKind::Element { .. }
            | ExprKind::Extent { .. }
            | ExprKind::TupleField { .. }
            | ExprKind::Field { .. }
            | ExprKind::Axis { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Variant { .. }
            | ExprKind::Again { .. }
            | ExprKind::Either(_)
            | ExprKind::Method { .. }
            | ExprKind::Intrinsic { .. }
            | ExprKind::Associated { .. }
            | ExprKind::CallLocal { .. }
            | ExprKind::FunctionItem { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Tile { .. }
            | ExprKind::Assembly(_) => {
                if expr.writes() || expr.can_leave() || expr.any(&Expr::may_be_own_operator) {
                    let value = self.root_value(expr);
                    self.write_dropped(expr, value);
                }
            }
            ExprKind::Let { .. } => unreachable!("conditions that bind names are taken apart"),
            ExprKind::Refused | ExprKind::Start(_) | ExprKind::ByType(_) => {
                unreachable!("what was refused, or inference replaces, is not emitted")
            }
        }
    }

    /// Writes the value of `expr`, which nobody wants, if a function computes it.
    pub(super) fn write_dropped(&mut self, expr: &Expr, value: Code) {
        if value.calls || expr.any(&Expr::may_be_own_operator) {
            self.writer.line(c![value.text, ";"]);
        }
    }

    /// Assigns the value of `expr` to the C variable `place`.
    pub(super) fn write_into(&mut self, expr: &Expr, place: &CText) {
        if needs_statements(expr) {
            self.write_control(expr, Some(place));
            return;
        }
        let value = self.root_value(expr);
        if expr.ty != Type::Never {
            self.writer.line(c![place, " = ", value.text, ";"]);
        }
    }

    fn value_in_temporary(&mut self, expr: &Expr) -> Code {
        let name = self.namer.temporary("value");
        self.declare(&name, &expr.ty);
        let value = Code::word(name);
        self.write_into(expr, &value.text);
        value
    }

    /// `c ? a : b`, when both sides are plain values.
    fn ternary(&mut self, condition: &Expr, then: &Block, otherwise: &Expr) -> Option<Code> {
        let then = plain_value(then)?;
        let otherwise = match &otherwise.kind {
            ExprKind::Block { label: None, block } => plain_value(block)?,
            _ => return None,
        };
        let is_plain = |expr: &Expr| !expr.can_leave() && !expr.writes() && expr.ty.is_scalar() && !contains_control(expr);
        if !is_plain(then) || !is_plain(otherwise) {
            return None;
        }
        let condition = self.value(condition);
        let (then, otherwise) = (self.value(then), self.value(otherwise));
        let [condition, then, otherwise] = [condition, then, otherwise].map(|code| code.operand_of(Binding::Or));
        Some(Code::bound(Binding::Loose, c![condition, " ? ", then, " : ", otherwise]))
    }

    /// The values of operands that Rust evaluates from left to right.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Vec<Code> {
        let mut codes = Vec::new();
        for (i, expr) in exprs.iter().enumerate() {
            let later_writes = exprs[i + 1..].iter().any(|later| later.writes());
            if let (true, ExprKind::Borrow { operand, .. }) = (later_writes, &expr.kind)
                && operand.is_place()
                && !self.borrows_racing(expr)
            {
                let place = self.base_place(operand, true);
                codes.push(Code::atom(self.lent(operand, place)));
                continue;
            }
            let code = self.value(expr);
            codes.push(if later_writes && !code.is_constant() && is_value(expr) { self.spill(code, &expr.ty, "value") } else { code });
        }
        codes
    }

    /// The values of operands as the arguments of a call.
    pub(super) fn list(&mut self, exprs: &[Expr]) -> CText {
        let codes = self.operands(&exprs.iter().collect::<Vec<_>>());
        join(codes.iter().map(|code| &code.text), ", ")
    }

    /// Puts a value into a new C constant, which is named like `base`.
    pub(super) fn spill(&mut self, code: Code, ty: &Type, base: &str) -> Code {
        let name = self.namer.temporary(base);
        let ty = self.type_name(ty);
        self.writer.line(c!["const ", ty, " ", name, " = ", code.text, ";"]);
        Code::constant_word(name)
    }

    /// The same, of a value that is to be written more than once.
    pub(super) fn spill_unless_word(&mut self, code: Code, ty: &Type, base: &str) -> Code {
        if code.is_word() { code } else { self.spill(code, ty, base) }
    }

    /// The place of an indexed base. `pinned`: what it reads must be read now.
    pub(super) fn base_place(&mut self, base: &Expr, pinned: bool) -> CText {
        match &base.kind {
            ExprKind::Index { base: outer, index, site } => {
                let outer_text = self.base_place(outer, pinned || index.writes());
                let place = self.index_into(outer, outer_text, index, *site, pinned);
                if self.function.may_be_own_index(outer, *site) { self.bind_place(base, place) } else { place }
            }
            ExprKind::Subslice { base: outer, start, end, site, .. } => self.subslice(outer, (start, end.as_deref()), *site, pinned),
            ExprKind::Element { base: view, indices, sites } => self.write_element(view, indices, sites, pinned).text,
            ExprKind::TupleField { base: outer, index } => c![self.base_place(outer, pinned), ".", position_name(*index)],
            ExprKind::Field { base: outer, name } => c![self.base_place(outer, pinned), ".", field_name(&name.to_string())],
            ExprKind::Local(_) => self.direct_value(base).operand(),
            _ => self.value(base).operand(),
        }
    }

    fn axis(&mut self, base: &Expr, axis: Axis) -> Code {
        let field = axis_name(axis);
        let ExprKind::Intrinsic { intrinsic, .. } = &base.kind else {
            let base = self.value(base);
            return Code::atom(c![base.operand(), ".", field]).with_constant(base.is_constant());
        };
        match intrinsic {
            Intrinsic::BlockDim => self.block_extent(axis),
            Intrinsic::ThreadIdx => coordinate("threadIdx", axis),
            Intrinsic::BlockIdx => coordinate("blockIdx", axis),
            Intrinsic::GridDim => coordinate("gridDim", axis),
            Intrinsic::Grid1d
            | Intrinsic::Grid2d
            | Intrinsic::Grid3d
            | Intrinsic::Shared(_)
            | Intrinsic::DynamicShared(_)
            | Intrinsic::Print(_)
            | Intrinsic::Builtin { .. } => unreachable!("only coordinates have axes"),
        }
    }

    /// A block extent: the declared one where there is one.
    fn block_extent(&self, axis: Axis) -> Code {
        let Some(block) = self.options().and_then(|options| options.block.as_ref()) else {
            return coordinate("blockDim", axis);
        };
        match block.get(axis as usize) {
            Some(extent) => Code::constant(c!["(usize)", length(extent)]),
            None => Code::constant_word("1ull"),
        }
    }

    /// The thread's coordinate in the grid.
    pub(super) fn grid_coordinate(&self, axis: Axis) -> CText {
        let field = axis_name(axis);
        let extent = match self.options().and_then(|options| options.block.as_ref()) {
            Some(_) => self.block_extent(axis).text,
            None => c!["blockDim.", field],
        };
        c!["(usize)blockIdx.", field, " * ", extent, " + threadIdx.", field]
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic) -> Code {
        let mut dim3 = |variable: &str| {
            self.need("dim3");
            Code::atom(format!("gr_dim3{{{variable}.x, {variable}.y, {variable}.z}}"))
        };
        match intrinsic {
            Intrinsic::ThreadIdx => dim3("threadIdx"),
            Intrinsic::BlockIdx => dim3("blockIdx"),
            Intrinsic::BlockDim => dim3("blockDim"),
            Intrinsic::GridDim => dim3("gridDim"),
            Intrinsic::Grid1d => Code::bound(Binding::Sum, self.grid_1d()).with_constant(true),
            Intrinsic::Grid2d | Intrinsic::Grid3d => {
                let axes: &[Axis] = if intrinsic == Intrinsic::Grid2d { &[Axis::X, Axis::Y] } else { &[Axis::X, Axis::Y, Axis::Z] };
                let coordinates: Vec<CText> = axes.iter().map(|axis| self.grid_coordinate(*axis)).collect();
                self.need("tuple");
                let ty = self.type_name(&Type::Tuple(vec![Type::USIZE; axes.len()]));
                Code::atom(c![ty, "{", join(coordinates, ", "), "}"])
            }
            Intrinsic::Shared(_) | Intrinsic::DynamicShared(_) | Intrinsic::Builtin { .. } | Intrinsic::Print(_) => {
                unreachable!("written as statements")
            }
        }
    }

    /// `gr_print(site, values…);`, which depends on the type of each value, so that a literal needs a type.
    fn write_print(&mut self, site: SiteId, args: &[Expr]) {
        self.need("print");
        let values = self.operands(&args.iter().collect::<Vec<_>>());
        let mut call = c!["gr_print(", CText::hole(Piece::Site(site.0))];
        for (arg, value) in args.iter().zip(values) {
            call.push(", ");
            if arg.ty.is_scalar() {
                call.push(c!["(", self.type_name(&arg.ty), ")(", value.text, ")"]);
            } else {
                call.push(value.text);
            }
        }
        call.push(");");
        self.writer.line(call);
    }

    /// A call of a device function. Arrays go as pointer and length.
    /// `call`, which is `path(args)`.
    pub(super) fn call(&mut self, call: &Expr, path: &syn::Path, explicit: &[GenericArgument], args: &[Expr], awaited: bool) -> Code {
        let callee = self.callee(path, explicit, args, &call.ty);
        if awaited {
            self.cooperation.awaited.push(callee.clone());
        }
        let function = self.function_of_width(call, callee, self.passes_racing(args));
        let codes = self.operands(&args.iter().collect::<Vec<_>>());
        let args = args.iter().zip(codes).map(|(arg, code)| self.argument(arg, code));
        Code::call(c![function, "(", join(args, ", "), ")"])
    }

    pub(super) fn argument(&self, arg: &Expr, Code { text, .. }: Code) -> CText {
        match arg.ty.element() {
            // With its length.
            Some(_) if matches!(inner(arg).kind, ExprKind::Subslice { .. }) => text,
            Some(_) if matches!(arg.ty, Type::Slice { .. }) => c![text, ", ", self.length_of(inner(arg)).text],
            Some(_) if is_array_value(arg) => text,
            Some(_) => c![text, ".data, ", self.length_of(inner(arg)).text],
            None if arg.ty.view().is_some() => c![text, ", ", self.layout_of(arg)],
            None => match &arg.kind {
                // What only rustc sees may be an array.
                ExprKind::Borrow { operand, .. } if !operand.ty.is_scalar() && operand.ty.is_picked_by_c() => match self.known(operand) {
                    Known::Nothing => text,
                    known => c![text, CText::hole(Piece::ElementsOf(known))],
                },
                _ => text,
            },
        }
    }
}

/// Whether an array is passed itself, and not a reference to it.
pub(super) fn is_array_value(arg: &Expr) -> bool {
    matches!(arg.ty, Type::Array(..)) && !matches!(arg.kind, ExprKind::Borrow { .. })
}

pub(super) fn inner(arg: &Expr) -> &Expr {
    match &arg.kind {
        ExprKind::Borrow { operand, .. } => operand,
        _ => arg,
    }
}

pub(super) fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    }
}

/// A coordinate, such as `(usize)threadIdx.x`.
fn coordinate(variable: &str, axis: Axis) -> Code {
    Code::constant(c!["(usize)", variable, ".", axis_name(axis)])
}

/// A value of type `()` or `!`: nothing reads it.
pub(super) fn nothing() -> Code {
    Code::constant_word("0")
}

fn is_value(expr: &Expr) -> bool {
    !matches!(expr.ty, Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Shared(_) | Type::Function(_))
}

/// The value of a block that has nothing else.
fn plain_value(block: &Block) -> Option<&Expr> {
    if block.stmts.is_empty() { block.value.as_deref() } else { None }
}

fn contains_control(expr: &Expr) -> bool {
    expr.any(&|expr| matches!(expr.action(), Action::Branch) || matches!(expr.kind, ExprKind::Logical { .. }))
}
