//! The values of operators, casts and intrinsics.

use super::facts::Facts;
use super::numbers::is_number;
use super::walker::Walker;
use crate::check::values::form::{NormalForm, Symbol, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::conversion_to;
use crate::check::values::type_name::{name_of_result, operation_name};
use crate::check::values::value::{Kind, Node, Value, holds_literal};
use crate::model::*;
use quote::ToTokens;

impl<'f> Walker<'f> {
    /// The value of an expression without control flow of its own: of all that [`value_of`](Walker::value_of) does not walk itself.
    pub(crate) fn evaluate(&mut self, expr: &'f Expr) -> Value {
        let scalar = expr.ty.as_scalar();
        let range = Interval::of_type(scalar);
        match &expr.kind {
            // Literals are not negative, and a cast to a wider type keeps them.
            ExprKind::Int(literal) => match (scalar, u64::try_from(literal.value)) {
                (Some(scalar), Ok(value)) if holds_literal(scalar, value) => Node::number(value),
                _ => self.fresh(Uniformity::Launch, range),
            },
            ExprKind::Float(_) if scalar.is_none() => self.fresh(Uniformity::Launch, range),
            ExprKind::Float(literal) => self.operation(Kind::Unknown, format!("{:?} {}", scalar, literal.digits), &[], range),
            ExprKind::Bool(value) => self.operation(Kind::Unknown, value.to_string(), &[], range),
            ExprKind::Constant(path) => self.constant(path, &expr.ty),
            ExprKind::Unary { op, operand } => {
                let value = self.expr(operand);
                match (op, scalar) {
                    (UnaryOp::Not, Some(Scalar::Bool)) => self.operation(Kind::Not(value.clone()), "!".to_owned(), &[&value], range),
                    (UnaryOp::Negate, Some(scalar)) if scalar.is_integer() => {
                        self.arithmetic(BinaryOp::Subtract, scalar, Node::number(0), value)
                    }
                    _ if operand.ty.is_scalar() => {
                        self.operation(Kind::Unknown, name_of_result([&operand.ty], &format!("{op:?}"), &expr.ty), &[&value], range)
                    }
                    _ => self.result_of_operator(&[(operand, &value)], &expr.ty),
                }
            }
            ExprKind::Binary { op, left, right, site } => {
                let (a, b) = (self.expr(left), self.expr(right));
                if !left.ty.is_scalar() || !right.ty.is_scalar() {
                    return self.result_of_operator(&[(left, &a), (right, &b)], &expr.ty);
                }
                if let (Some(site), Some(scalar)) = (site, scalar.filter(|scalar| scalar.is_integer())) {
                    self.require_divisor(*site, scalar, &b);
                }
                self.binary(*op, [&left.ty, &right.ty], scalar, a, b)
            }
            ExprKind::Cast { operand, to } => self.cast(operand, *to),
            ExprKind::Convert { conversion, to, operand } => {
                let value = self.expr(operand);
                match conversion {
                    Conversion::FromBytes(name) => self.operation(Kind::Unknown, name_of_result([to], name, to), &[&value], range),
                    Conversion::FromBits => self.operation(Kind::Unknown, name_of_result([to], "from bits", to), &[&value], range),
                    Conversion::Fits => self.fresh(value.spread, range),
                    Conversion::From if !operand.ty.is_scalar() => self.result_of_function(to),
                    Conversion::From | Conversion::FromF64 | Conversion::FromI32 | Conversion::Cast => match to {
                        Type::Scalar(to) => self.converted(value, &operand.ty, *to),
                        // Of an integer, even a float is a function.
                        Type::Parameter(_) => {
                            let name = name_of_result([&operand.ty, to], "to", &operand.ty);
                            self.operation(Kind::Unknown, name, &[&value], range)
                        }
                        // Two conversions of one number may have two types.
                        _ => self.fresh(value.spread, range),
                    },
                }
            }
            ExprKind::TupleField { base, index } => {
                let tuple = self.expr(base);
                match &tuple.kind {
                    Kind::Tuple(_) => self.element(&tuple, *index),
                    _ => self.member(&tuple, &base.ty, &Member::Position(*index, expr.span), &expr.ty),
                }
            }
            ExprKind::Field { base, name } => {
                let value = self.expr(base);
                self.member(&value, &base.ty, &Member::Name(name.clone()), &expr.ty)
            }
            ExprKind::Struct { fields, base, .. } => {
                let values: Vec<Value> = fields.iter().map(|(_, value)| value).chain(base.as_deref()).map(|part| self.expr(part)).collect();
                let spread = values.iter().map(|value| value.spread).max().unwrap_or(Uniformity::Launch);
                self.fresh(spread, range)
            }
            ExprKind::Axis { base, axis, .. } => {
                let extents = self.expr(base);
                self.element(&extents, *axis as usize)
            }
            ExprKind::Tuple(elements) | ExprKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.expr(element)).collect();
                self.tuple(elements)
            }
            ExprKind::Method { method, receiver, args, .. } => self.method(expr, *method, receiver, args),
            ExprKind::Intrinsic { intrinsic, .. } => self.intrinsic(*intrinsic),
            ExprKind::CallLocal { function, args } => {
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                self.call_of_closure(*function, args, &expr.ty).unwrap_or_else(|| self.fresh(Uniformity::Thread, range))
            }
            // Of what a device function returns nothing is known.
            ExprKind::Call { args, .. } => {
                self.arguments(args);
                self.fresh(Uniformity::Thread, range)
            }
            ExprKind::Repeat { element: part, .. } => {
                self.expr(part);
                self.fresh(Uniformity::Thread, range)
            }
            // It runs later, with any arguments and any number of times, but where what holds here still holds: it cannot leave the block
            // that it stands in, and nothing but a closure changes the variables that it names.
            ExprKind::Closure(closure) => {
                for (local, _) in &closure.params {
                    if self.assigned.contains(local) {
                        continue;
                    }
                    let range = Interval::of_type(self.function.local(*local).ty.as_scalar());
                    let argument = self.fresh(Uniformity::Thread, range);
                    self.values.insert(*local, argument);
                }
                self.closures += 1;
                self.scoped(|walker| walker.expr(&closure.body));
                self.closures -= 1;
                self.fresh(Uniformity::Thread, range)
            }
            ExprKind::FunctionItem { .. } => self.fresh(Uniformity::Thread, range),
            ExprKind::Panic { .. } => {
                self.dead = true;
                Node::unit()
            }
            ExprKind::Local(_)
            | ExprKind::Index { .. }
            | ExprKind::Subslice { .. }
            | ExprKind::Element { .. }
            | ExprKind::Extent { .. }
            | ExprKind::Logical { .. }
            | ExprKind::If { .. }
            | ExprKind::Let { .. }
            | ExprKind::Match { .. }
            | ExprKind::Variant { .. }
            | ExprKind::Again { .. }
            | ExprKind::Either(_)
            | ExprKind::Block { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Associated { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Tile { .. }
            | ExprKind::Assembly(_)
            | ExprKind::Refused
            | ExprKind::Start(_)
            | ExprKind::ByType(_) => unreachable!("control flow, places and assignments are walked"),
        }
    }

    /// The constant at `path`.
    fn constant(&mut self, path: &syn::Path, ty: &Type) -> Value {
        let range = Interval::of_type(ty.as_scalar());
        let number = self.constants.number(path).filter(|number| i128::from(*number) <= range.most);
        if let (Some(number), Some(true)) = (number, ty.as_scalar().map(Scalar::is_integer)) {
            return Node::number(number);
        }
        match ty.as_scalar() {
            Some(scalar) if scalar.is_signed_integer() => {
                let word = Symbol::launch(Atom::constant(quote::quote!((#path as usize))), u64::MAX);
                Node::within(Kind::Unknown, NormalForm::symbol(word), range)
            }
            // Of a type parameter's type, what it is differs between the instances.
            scalar if matches!(ty, Type::Parameter(_)) || scalar.is_some_and(|scalar| !scalar.is_integer()) => {
                self.operation(Kind::Unknown, format!("constant {}", path.to_token_stream()), &[], range)
            }
            // Of an unsigned type, or of one that only rustc knows: what it is used for here makes it unsigned.
            _ => self.constants.path(path, range),
        }
    }

    /// `a op b`, of numbers of these types, with a result of type `scalar` where that is a number or `bool`.
    pub(crate) fn binary(&mut self, op: BinaryOp, types: [&Type; 2], scalar: Option<Scalar>, a: Value, b: Value) -> Value {
        if op.is_comparison() {
            let (kind, name) = (self.comparison(op, types, &a, &b), operation_name(types, op.symbol()));
            let spread = self.spread_of_comparison(op, &a, &b);
            return self.operation_of(spread, kind, name, &[&a, &b], Interval::up_to(1));
        }
        let name = name_of_result(types, op.symbol(), &scalar.map_or(Type::Opaque, Type::Scalar));
        let nothing = || Facts::default();
        let range = Interval::of_type(scalar);
        match (scalar, op) {
            (Some(Scalar::Bool), BinaryOp::BitAnd) => self.operation(Kind::And(a.clone(), b.clone(), nothing()), name, &[&a, &b], range),
            (Some(Scalar::Bool), BinaryOp::BitOr) => self.operation(Kind::Or(a.clone(), b.clone(), nothing()), name, &[&a, &b], range),
            (Some(scalar), _) if scalar.is_integer() => self.arithmetic(op, scalar, a, b),
            _ => self.operation(Kind::Unknown, name, &[&a, &b], range),
        }
    }

    /// What an operator returns of operands of which not all have a type that is known to be a number.
    pub(super) fn result_of_operator(&mut self, operands: &[(&Expr, &Value)], ty: &Type) -> Value {
        if !operands.iter().all(|(operand, _)| is_number(operand, self.function)) {
            return self.result_of_function(ty);
        }
        let spread = operands.iter().map(|(_, value)| value.spread).max().unwrap_or(Uniformity::Launch);
        self.unknown(spread, ty)
    }

    /// What a user's operator or method returns, or what may be one: of a type that only rustc knows. Safe code can write what kernels
    /// call by hand, and compute anything there, so it is no function of the operands.
    pub(crate) fn result_of_function(&mut self, ty: &Type) -> Value {
        self.unknown(Uniformity::Thread, ty)
    }

    pub(crate) fn comparison(&self, op: BinaryOp, types: [&Type; 2], a: &Value, b: &Value) -> Kind {
        let scalars = types.map(Type::as_scalar);
        if scalars.into_iter().flatten().any(Scalar::is_unsigned_integer) {
            return Kind::Compare(op, a.clone(), b.clone());
        }
        if !scalars.iter().all(|scalar| scalar.is_some_and(Scalar::is_signed_integer)) {
            return Kind::Unknown;
        }
        let natural = self.interval(a).least >= 0 && self.interval(b).least >= 0;
        // Equal integers of one type are equal words.
        if natural || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            Kind::Compare(op, a.clone(), b.clone())
        } else {
            Kind::CompareSigned(op, a.clone(), b.clone())
        }
    }

    /// A cast to `to`, where `from` is the operand's type.
    fn cast(&mut self, operand: &'f Expr, to: Scalar) -> Value {
        // The type of a constant outside of the function may be unknown, but not the number that the constant is.
        if let ExprKind::Constant(path) = &operand.kind
            && let Some(number) = self.constants.number(path)
            && to.is_integer()
            && i128::from(number) <= Interval::of_type(Some(to)).most
        {
            return Node::number(number);
        }
        if let ExprKind::Constant(path) = &operand.kind
            && to.is_unsigned_integer()
            && !operand.ty.as_scalar().is_some_and(Scalar::is_unsigned_integer)
        {
            // rustc evaluates the cast for the host too.
            let name = to.name().parse::<proc_macro2::TokenStream>().expect("the name of a type");
            let Interval { most, .. } = Interval::of_type(Some(to));
            return Node::symbol(Symbol::launch(Atom::constant(quote::quote!((#path as #name))), most as u64));
        }
        let value = self.expr(operand);
        self.converted(value, &operand.ty, to)
    }

    /// `value`, of type `of`, as `to`.
    fn converted(&mut self, value: Value, of: &Type, to: Scalar) -> Value {
        let range = Interval::of_type(Some(to));
        let from = of.as_scalar().filter(|from| from.is_integer() || *from == Scalar::Bool);
        // To a float, only of an integer.
        let name = operation_name([of], &conversion_to(to)).filter(|_| from.is_some() || !to.is_float());
        if from.is_none() || !to.is_integer() {
            return self.operation(Kind::Unknown, name, &[&value], range);
        }
        let integers = self.interval(&value);
        if integers.is_within(range) {
            return if value.interval.is_within(range) { value } else { Node::copy(&value, integers) };
        }
        if self.takes_as_exact(to, integers) {
            return self.exact(Node::copy(&value, integers), to);
        }
        // The word of a signed integer is its two's complement of 64 bits.
        if to.bits() == 64 {
            return Node::copy(&value, range);
        }
        // The high bits go, which makes the word smaller, unless a sign takes their place.
        let kind = if to.is_unsigned_integer() { Kind::AtMost(vec![value.clone()]) } else { Kind::Unknown };
        self.operation(kind, name, &[&value], range)
    }

    /// The length of an array or slice.
    pub(crate) fn length_of(&mut self, array: &'f Expr) -> Value {
        // What is no name is evaluated for its length, too.
        if !matches!(array.kind, ExprKind::Local(_) | ExprKind::Constant(_)) {
            self.expr(array);
        }
        if let Some((_, Some(length))) = array.ty.element() {
            return self.constants.length(length);
        }
        if let Some((_, rank)) = array.ty.view() {
            return self.length_of_view(array, rank);
        }
        if let Type::Table(table) = &array.ty {
            return self.length_of_table(&table.path);
        }
        match &array.kind {
            ExprKind::Local(local) => self.length_of_slice(*local).unwrap_or_else(|| self.fresh(Uniformity::Thread, Interval::WORD)),
            _ => self.fresh(Uniformity::Thread, Interval::WORD),
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic) -> Value {
        const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
        match intrinsic {
            Intrinsic::ThreadIdx => self.tuple(AXES.map(|axis| Node::symbol(Symbol::thread_idx(axis))).to_vec()),
            Intrinsic::BlockIdx => self.tuple(AXES.map(|axis| Node::symbol(Symbol::block_idx(axis))).to_vec()),
            Intrinsic::BlockDim => self.tuple(self.constants.block.to_vec()),
            Intrinsic::GridDim => self.tuple(AXES.map(|axis| Node::symbol(Symbol::grid_dim(axis))).to_vec()),
            Intrinsic::Grid1d => self.grid_coordinate(Axis::X),
            Intrinsic::Grid2d => {
                let coordinates = [Axis::X, Axis::Y].map(|axis| self.grid_coordinate(axis));
                self.tuple(coordinates.to_vec())
            }
            Intrinsic::Grid3d => {
                let coordinates = AXES.map(|axis| self.grid_coordinate(axis));
                self.tuple(coordinates.to_vec())
            }
            Intrinsic::Shared(_) | Intrinsic::DynamicShared(_) | Intrinsic::Builtin { .. } | Intrinsic::Print(_) => {
                self.fresh(Uniformity::Thread, Interval::ANY)
            }
        }
    }

    fn grid_coordinate(&mut self, axis: Axis) -> Value {
        let block = self.arithmetic(
            BinaryOp::Multiply,
            Scalar::Usize,
            Node::symbol(Symbol::block_idx(axis)),
            self.constants.block[axis as usize].clone(),
        );
        self.arithmetic(BinaryOp::Add, Scalar::Usize, block, Node::symbol(Symbol::thread_idx(axis)))
    }
}

/// The natural bounds of thread and block coordinates: each value is below the other.
pub(crate) fn coordinate_ranges(block: &[Value; 3]) -> Vec<(Value, Value)> {
    [Axis::X, Axis::Y, Axis::Z]
        .into_iter()
        .flat_map(|axis| {
            let of_grid = (Node::symbol(Symbol::block_idx(axis)), Node::symbol(Symbol::grid_dim(axis)));
            let of_block = (Node::symbol(Symbol::thread_idx(axis)), block[axis as usize].clone());
            [of_grid, of_block]
        })
        .collect()
}

/// The form of the one-dimensional position in the grid.
pub(crate) fn linear_position(block_extent: &Value) -> NormalForm {
    let block = NormalForm::symbol(Symbol::block_idx(Axis::X)).times(&block_extent.form);
    block.plus(&NormalForm::symbol(Symbol::thread_idx(Axis::X)))
}
