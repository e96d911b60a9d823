//! Expressions as C values.

use super::matching::is_test;
use super::names::{field_name, position_name};
use super::stmt::{emits_checks, needs_statements};
use super::writer::is_marker;
use super::{Emitter, types};
use crate::emit::Piece;
use crate::model::*;
use quote::quote;

/// How tightly the outermost operator of an expression binds, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// `?:`, shifts and bit operations: always in parentheses as an operand.
    Loose,
    Or,
    And,
    Comparison,
    Sum,
    Product,
    /// Prefix operators.
    Unary,
    /// Names, literals, calls, casts.
    Atom,
}

/// A C expression without effects.
#[derive(Debug, Clone)]
pub(super) struct Code {
    pub(super) text: String,
    binding: Binding,
    /// Reads nothing that can change: a literal or an immutable variable.
    constant: bool,
    /// Calls a device function: must be evaluated once, and in its place.
    pub(super) calls: bool,
}

impl Code {
    pub(super) fn atom(text: impl Into<String>) -> Code {
        Code { text: text.into(), binding: Binding::Atom, constant: false, calls: false }
    }

    pub(super) fn constant(text: impl Into<String>) -> Code {
        Code { constant: true, ..Code::atom(text) }
    }

    /// A call with an effect, or of a function of the user's.
    pub(super) fn call(text: impl Into<String>) -> Code {
        Code { calls: true, ..Code::atom(text) }
    }

    /// A variable or element.
    pub(super) fn place(text: impl Into<String>) -> Code {
        Code::atom(text)
    }

    pub(super) fn bound(binding: Binding, text: impl Into<String>) -> Code {
        Code { binding, ..Code::atom(text) }
    }

    /// The text as an operand of a prefix, cast or member operator.
    pub(super) fn operand(&self) -> String {
        self.operand_of(Binding::Unary)
    }

    /// The text as an operand of an operator that binds like `outer`.
    pub(super) fn operand_of(&self, outer: Binding) -> String {
        let stands = self.binding == Binding::Atom || (outer != Binding::Loose && self.binding > outer);
        if stands { self.text.clone() } else { format!("({})", self.text) }
    }

    /// The text as the left operand of an operator that groups from the left.
    pub(super) fn left_operand_of(&self, outer: Binding) -> String {
        if self.binding == outer && matches!(outer, Binding::Sum | Binding::Product | Binding::And | Binding::Or) {
            self.text.clone()
        } else {
            self.operand_of(outer)
        }
    }

    pub(super) fn negated(&self) -> String {
        format!("!{}", self.operand())
    }

    pub(super) fn is(&self, binding: Binding) -> bool {
        self.binding == binding
    }

    pub(super) fn is_constant(&self) -> bool {
        self.constant
    }

    pub(super) fn with_constant(self, constant: bool) -> Code {
        Code { constant, ..self }
    }

    /// A name, literal or constant, free to be written twice.
    pub(super) fn is_simple(&self) -> bool {
        self.binding == Binding::Atom && self.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || is_marker(c))
    }
}

impl Emitter<'_> {
    /// The value of `expr`, after the statements it needs. Calls go into temporaries.
    pub(super) fn value(&mut self, expr: &Expr) -> Code {
        let code = self.root_value(expr);
        if code.calls { self.spill_code(code, &expr.ty) } else { code }
    }

    /// Like [`Emitter::value`], for a place where the text is evaluated at once: a call stays a call.
    pub(super) fn root_value(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Int(literal) if expr.ty.is_followed() => self.followed_integer(literal.value, false, &expr.ty),
            ExprKind::Float(literal) if expr.ty.is_followed() => self.followed_float(&literal.digits, &expr.ty),
            ExprKind::Int(literal) => Code::constant(types::integer(literal.value, expr.ty.as_scalar())),
            ExprKind::Float(literal) => Code::constant(types::float(&literal.digits, expr.ty.as_scalar())),
            ExprKind::Bool(flag) => Code::constant(flag.to_string()),
            ExprKind::Local(local) => {
                let constant = !self.function.local(*local).mutable;
                Code { constant, ..Code::atom(self.name(*local)) }
            }
            ExprKind::Constant(path) if matches!(expr.ty, Type::Table(_)) => Code::constant(self.table(path)),
            ExprKind::Constant(path) if enum_of_variant(path).is_some() => Code::constant(self.hole(Piece::Variant(quote!(#path)))),
            ExprKind::Constant(path) => Code::constant(self.hole(Piece::Value(quote!(#path)))),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, expr),
            ExprKind::Binary { op, left, right, site } => self.binary(*op, left, right, *site),
            ExprKind::Logical { op, left, right } => self.logical(*op, left, right),
            ExprKind::Cast { operand, to } => self.cast(operand, *to),
            ExprKind::Convert { conversion, to, operand } => self.convert(*conversion, operand, to),
            ExprKind::Index { base, index, site } => self.write_index(base, index, *site),
            ExprKind::Element { base, indices, sites } => self.write_element(base, indices, sites, false),
            ExprKind::Extent { base, axis } => self.extent(base, *axis),
            ExprKind::TupleField { base, index } => {
                let base = self.value(base);
                Code::place(format!("{}._{index}", base.operand()))
            }
            ExprKind::Field { base, name } => self.field(base, name),
            ExprKind::Struct { constructor, fields, base: None, positional } if constructor.variant.is_some() && fields.is_empty() => {
                self.empty_variant(constructor, *positional)
            }
            ExprKind::Struct { constructor, fields, base, .. } => self.struct_value(constructor, fields, base.as_deref()),
            ExprKind::Associated { path, receiver, name, args } => self.associated(expr, path.as_ref(), receiver.as_deref(), name, args),
            ExprKind::Axis { base, axis, .. } => self.axis(base, *axis),
            ExprKind::Tuple(elements) if elements.is_empty() => Code::constant("0"),
            ExprKind::Tuple(elements) => {
                let values = self.operands(&elements.iter().collect::<Vec<_>>());
                let ty = self.type_name(&expr.ty);
                Code::atom(format!("{ty}{{{}}}", join(&values)))
            }
            ExprKind::Array(elements) => {
                let values = self.operands(&elements.iter().collect::<Vec<_>>());
                let ty = self.type_name(&expr.ty);
                Code::atom(format!("{ty}{{{{{}}}}}", join(&values)))
            }
            ExprKind::Repeat { element, length } => {
                let value = self.value(element);
                let element = self.type_name(&element.ty);
                let length = self.length(length);
                self.need("array");
                Code::atom(format!("gr_array<{element}, {length}>::repeat({})", value.text))
            }
            ExprKind::Method { method, receiver, args, site, .. } => self.method(method, receiver, args, *site),
            ExprKind::Atomic { .. } if expr.ty != Type::Unit => self.atomic(expr, true),
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, args, .. } if builtin.result != BuiltinType::Unit => {
                self.builtin(builtin, args)
            }
            ExprKind::Intrinsic { intrinsic, .. } if expr.ty != Type::Unit => self.intrinsic(*intrinsic),
            ExprKind::Call { path, explicit, args, awaited, .. } => self.call(path, explicit, args, &expr.ty, *awaited),
            ExprKind::CallLocal { function, args } => self.call_local(*function, args),
            ExprKind::Closure(closure) => self.closure(closure),
            ExprKind::FunctionItem { path, explicit } => self.function_item(path, explicit),
            ExprKind::Assembly(assembly) => self.assembly(assembly, &expr.ty),
            ExprKind::Borrow { operand, .. } => self.value(operand),
            ExprKind::If { condition, then, otherwise: Some(otherwise) } if is_value(expr) && !condition.binds() => {
                if let Some(code) = self.ternary(condition, then, otherwise) {
                    return code;
                }
                self.value_in_temporary(expr)
            }
            ExprKind::Match { scrutinee, arms } if is_test(arms) => self.match_test(scrutinee, arms),
            ExprKind::Some(value) => {
                let code = self.value(value);
                self.need("option");
                // Of a type that only the compiler knows, it finds the argument.
                let ty = self.type_name(&value.ty);
                Code::atom(if ty == "auto" { format!("gr_some({})", code.text) } else { format!("gr_some<{ty}>({})", code.text) })
            }
            ExprKind::None => {
                let ty = self.type_name(&expr.ty);
                Code::atom(format!("{ty}{{}}"))
            }
            _ if needs_statements(expr) => self.value_in_temporary(expr),
            _ => {
                self.write_effects(expr);
                // A value of type `()` or `!`: nothing reads it.
                Code::constant("0")
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
            ExprKind::CompoundAssign { op, place, value, site } => self.write_compound_assign(*op, place, value, *site),
            ExprKind::Panic { site } => self.write_panic(*site),
            ExprKind::Assert { condition, site, debug } => self.write_assert(condition, *site, *debug),
            ExprKind::Atomic { .. } => {
                let call = self.atomic(expr, false);
                if call.calls {
                    self.writer.line(format!("{};", call.text));
                }
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Print(site), args, .. } => self.write_print(*site, args),
            ExprKind::Intrinsic {
                intrinsic: Intrinsic::Builtin { builtin: Builtin { effect: Effect::GridCollective, cuda, .. }, site: Some(site) },
                ..
            } => self.write_grid_barrier(cuda, *site),
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, args, .. } => {
                let call = self.builtin(builtin, args);
                self.writer.line(format!("{};", call.text));
            }
            ExprKind::Call { path, explicit, args, awaited, .. } => {
                let call = self.call(path, explicit, args, &expr.ty, *awaited);
                self.writer.line(format!("{};", call.text));
            }
            ExprKind::Closure(_) => {}
            _ if expr.writes() || emits_checks(expr) => {
                let value = self.root_value(expr);
                if value.calls {
                    self.writer.line(format!("{};", value.text));
                }
            }
            // No effect at all.
            _ => {}
        }
    }

    /// Assigns the value of `expr` to the C variable `place`.
    pub(super) fn write_into(&mut self, expr: &Expr, place: &str) {
        if needs_statements(expr) {
            self.write_control(expr, Some(place));
            return;
        }
        let value = self.root_value(expr);
        if expr.ty != Type::Never {
            self.writer.line(format!("{place} = {};", value.text));
        }
    }

    fn value_in_temporary(&mut self, expr: &Expr) -> Code {
        let name = self.namer.temporary("value");
        self.declare(&name, &expr.ty);
        self.write_into(expr, &name);
        Code::atom(name)
    }

    /// `c ? a : b`, when both sides are plain values.
    fn ternary(&mut self, condition: &Expr, then: &Block, otherwise: &Expr) -> Option<Code> {
        let then = plain_value(then)?;
        let otherwise = match &otherwise.kind {
            ExprKind::Block { label: None, block } => plain_value(block)?,
            _ => return None,
        };
        let is_plain = |expr: &Expr| !emits_checks(expr) && !expr.writes() && expr.ty.is_scalar() && !contains_control(expr);
        if !is_plain(then) || !is_plain(otherwise) {
            return None;
        }
        let condition = self.value(condition);
        let (then, otherwise) = (self.value(then), self.value(otherwise));
        let [condition, then, otherwise] = [condition, then, otherwise].map(|code| code.operand_of(Binding::Or));
        Some(Code::bound(Binding::Loose, format!("{condition} ? {then} : {otherwise}")))
    }

    /// The values of operands that Rust evaluates from left to right.
    pub(super) fn operands(&mut self, exprs: &[&Expr]) -> Vec<Code> {
        let mut codes = Vec::new();
        for (i, expr) in exprs.iter().enumerate() {
            let later_writes = exprs[i + 1..].iter().any(|later| later.writes());
            if let (true, ExprKind::Borrow { operand, .. }) = (later_writes, &expr.kind) {
                codes.push(Code::place(self.base_place(operand, true)));
                continue;
            }
            let code = self.value(expr);
            codes.push(if later_writes && !code.constant && is_value(expr) { self.spill_code(code, &expr.ty) } else { code });
        }
        codes
    }

    /// Puts a value into a new C constant and returns its name.
    pub(super) fn spill(&mut self, code: Code, ty: &Type) -> String {
        self.spill_named(code, ty, "value")
    }

    pub(super) fn spill_code(&mut self, code: Code, ty: &Type) -> Code {
        Code::constant(self.spill(code, ty))
    }

    pub(super) fn spill_named(&mut self, code: Code, ty: &Type, base: &str) -> String {
        let name = self.namer.temporary(base);
        let ty = self.type_name(ty);
        self.writer.line(format!("const {ty} {name} = {};", code.text));
        name
    }

    pub(super) fn spill_unless_simple(&mut self, code: Code, ty: &Type, base: &str) -> String {
        if code.is_simple() { code.text } else { self.spill_named(code, ty, base) }
    }

    /// The place of an indexed base. `pinned`: what it reads must be read now.
    pub(super) fn base_place(&mut self, base: &Expr, pinned: bool) -> String {
        match &base.kind {
            ExprKind::Index { base: outer, index, site } => {
                let outer_text = self.base_place(outer, pinned || index.writes());
                self.index_into(outer, outer_text, index, *site, pinned)
            }
            ExprKind::Element { base: view, indices, sites } => self.write_element(view, indices, sites, pinned).text,
            ExprKind::TupleField { base: outer, index } => format!("{}.{}", self.base_place(outer, pinned), position_name(*index)),
            ExprKind::Field { base: outer, name } => format!("{}.{}", self.base_place(outer, pinned), field_name(&name.to_string())),
            _ => self.value(base).operand(),
        }
    }

    fn axis(&mut self, base: &Expr, axis: Axis) -> Code {
        let field = axis_name(axis);
        let ExprKind::Intrinsic { intrinsic, .. } = &base.kind else {
            let base = self.value(base);
            return Code { constant: base.constant, ..Code::atom(format!("{}.{field}", base.operand())) };
        };
        match intrinsic {
            Intrinsic::BlockDim => self.block_extent(axis),
            Intrinsic::ThreadIdx => Code::constant(format!("(usize)threadIdx.{field}")),
            Intrinsic::BlockIdx => Code::constant(format!("(usize)blockIdx.{field}")),
            _ => Code::constant(format!("(usize)gridDim.{field}")),
        }
    }

    /// A block extent: the declared one where there is one.
    fn block_extent(&mut self, axis: Axis) -> Code {
        let Some(block) = self.options().and_then(|options| options.block.as_ref()) else {
            return Code::constant(format!("(usize)blockDim.{}", axis_name(axis)));
        };
        match block.get(axis as usize).cloned() {
            Some(extent) => Code::constant(format!("(usize){}", self.length(&extent))),
            None => Code::constant("1ull"),
        }
    }

    /// The thread's coordinate in the grid.
    pub(super) fn grid_coordinate(&mut self, axis: Axis) -> String {
        let field = axis_name(axis);
        let extent = match self.options().and_then(|options| options.block.as_ref()) {
            Some(_) => self.block_extent(axis).text,
            None => format!("blockDim.{field}"),
        };
        format!("(usize)blockIdx.{field} * {extent} + threadIdx.{field}")
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
                let coordinates: Vec<String> = axes.iter().map(|axis| self.grid_coordinate(*axis)).collect();
                self.need("tuple");
                let ty = self.type_name(&Type::Tuple(vec![Type::USIZE; axes.len()]));
                Code::atom(format!("{ty}{{{}}}", coordinates.join(", ")))
            }
            Intrinsic::Shared(_) | Intrinsic::DynamicShared(_) | Intrinsic::Builtin { .. } | Intrinsic::Print(_) => {
                unreachable!("written as statements")
            }
        }
    }

    /// A call of a function of the runtime.
    fn builtin(&mut self, builtin: &Builtin, args: &[Expr]) -> Code {
        if let Some(snippet) = builtin.snippet {
            self.need(snippet);
        }
        if builtin.result == BuiltinType::LanesAndBool {
            self.need("tuple");
        }
        // A literal of C's own type would pick another instance of a template.
        let same = builtin.params.iter().position(|param| *param == BuiltinType::Same);
        let instance = same.filter(|same| args[*same].ty.is_scalar()).map(|same| self.type_name(&args[same].ty));
        let instance = instance.map(|ty| format!("<{ty}>")).unwrap_or_default();
        let args = self.operands(&args.iter().collect::<Vec<_>>());
        Code { calls: true, ..Code::atom(format!("{}{instance}({})", builtin.cuda, join(&args))) }
    }

    /// `gr_print(site, values…);`, which takes each value for what its type is, so that a literal needs one.
    fn write_print(&mut self, site: SiteId, args: &[Expr]) {
        self.need("print");
        let values = self.operands(&args.iter().collect::<Vec<_>>());
        let mut call = format!("gr_print({}", self.hole(Piece::Site(site.0)));
        for (arg, value) in args.iter().zip(values) {
            call.push_str(", ");
            if arg.ty.is_scalar() {
                call.push_str(&format!("({})({})", self.type_name(&arg.ty), value.text));
            } else {
                call.push_str(&value.text);
            }
        }
        self.writer.line(format!("{call});"));
    }

    /// A call of a device function. Arrays go as pointer and length.
    pub(super) fn call(&mut self, path: &syn::Path, explicit: &[GenericArgument], args: &[Expr], output: &Type, awaited: bool) -> Code {
        let callee = self.callee(path, explicit, args, output);
        if awaited {
            self.grid.awaited.push(callee.clone());
        }
        let function = self.hole(Piece::Function(callee));
        let codes = self.operands(&args.iter().collect::<Vec<_>>());
        let args: Vec<String> = args.iter().zip(codes).map(|(arg, code)| self.argument(arg, &code)).collect();
        Code::call(format!("{function}({})", args.join(", ")))
    }

    pub(super) fn argument(&mut self, arg: &Expr, code: &Code) -> String {
        match arg.ty.element() {
            Some(_) if matches!(arg.ty, Type::Slice { .. }) => format!("{}, {}", code.text, self.length_of(inner(arg))),
            Some(_) if is_array_value(arg) => code.text.clone(),
            Some(_) => format!("{}.data, {}", code.text, self.length_of(inner(arg))),
            None if arg.ty.view().is_some() => format!("{}, {}", code.text, self.layout_of(arg)),
            None => code.text.clone(),
        }
    }
}

/// Whether an array is passed itself, and not a reference to it.
pub(super) fn is_array_value(arg: &Expr) -> bool {
    matches!(arg.ty, Type::Array(..)) && !matches!(arg.kind, ExprKind::Borrow { .. })
}

fn inner(arg: &Expr) -> &Expr {
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

fn join(codes: &[Code]) -> String {
    codes.iter().map(|code| code.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn is_value(expr: &Expr) -> bool {
    !matches!(expr.ty, Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Shared(_) | Type::Function(_))
}

/// The value of a block that has nothing else.
fn plain_value(block: &Block) -> Option<&Expr> {
    if block.stmts.is_empty() { block.value.as_deref() } else { None }
}

fn contains_control(expr: &Expr) -> bool {
    expr.any(&|expr| matches!(expr.kind, ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { .. } | ExprKind::Logical { .. }))
}
