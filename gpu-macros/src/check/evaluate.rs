//! The values of operators, methods, casts and intrinsics.

use super::form::{NormalForm, Spread, Symbol};
use super::value::{Kind, Node, Value, holds_literal, is_unsigned, largest_value};
use super::walk::Walker;
use crate::model::*;

impl<'f> Walker<'f> {
    /// The value of an expression without control flow of its own.
    pub(super) fn evaluate(&mut self, expr: &'f Expr) -> Value {
        let scalar = expr.ty.as_scalar();
        let ceiling = scalar.map_or(u64::MAX, largest_value);
        match &expr.kind {
            // Literals are not negative, and a cast to a wider type keeps them.
            ExprKind::Int(literal) => match (scalar, u64::try_from(literal.value)) {
                (Some(scalar), Ok(value)) if holds_literal(scalar, value) => Node::number(value),
                _ => self.fresh(Spread::Launch, ceiling),
            },
            ExprKind::Float(_) if scalar.is_none() => self.fresh(Spread::Launch, ceiling),
            ExprKind::Float(literal) => self.operation(Kind::Unknown, format!("{:?} {}", scalar, literal.digits), &[], ceiling),
            ExprKind::Bool(value) => self.operation(Kind::Unknown, value.to_string(), &[], 1),
            ExprKind::Constant(path) => match scalar {
                // Of a type parameter's type: what it is differs between the instances.
                _ if matches!(expr.ty, Type::Parameter(_)) => {
                    self.operation(Kind::Unknown, format!("constant {}", quote::ToTokens::to_token_stream(path)), &[], ceiling)
                }
                Some(scalar) if !is_unsigned(scalar) => {
                    self.operation(Kind::Unknown, format!("constant {}", quote::ToTokens::to_token_stream(path)), &[], ceiling)
                }
                // Of an unsigned type, or of one that only rustc knows: what it is used for here makes it unsigned.
                _ => self.constants.path(path),
            },
            ExprKind::Unary { op, operand } => {
                let value = self.expr(operand);
                match op {
                    UnaryOp::Not if scalar == Some(Scalar::Bool) => self.operation(Kind::Not(value.clone()), "!".into(), &[&value], 1),
                    _ => self.operation(Kind::Unknown, format!("{} {op:?}", type_name(&operand.ty)), &[&value], ceiling),
                }
            }
            ExprKind::Binary { op, left, right, .. } => {
                let (a, b) = (self.expr(left), self.expr(right));
                let name = format!("{} {}", type_name(&left.ty), op.symbol());
                if op.is_comparison() {
                    let unsigned = [left, right].into_iter().any(|side| side.ty.as_scalar().is_some_and(is_unsigned));
                    let kind = if unsigned { Kind::Compare(*op, a.clone(), b.clone()) } else { Kind::Unknown };
                    return self.operation(kind, name, &[&a, &b], 1);
                }
                match (scalar, op) {
                    (Some(Scalar::Bool), BinaryOp::BitAnd) => self.operation(Kind::And(a.clone(), b.clone()), name, &[&a, &b], 1),
                    (Some(Scalar::Bool), BinaryOp::BitOr) => self.operation(Kind::Or(a.clone(), b.clone()), name, &[&a, &b], 1),
                    (Some(scalar), _) if is_unsigned(scalar) => self.arithmetic(*op, scalar, a, b),
                    _ => self.operation(Kind::Unknown, name, &[&a, &b], ceiling),
                }
            }
            ExprKind::Cast { operand, to } => self.cast(operand, *to),
            ExprKind::Convert { conversion, to, operand } => {
                let value = self.expr(operand);
                match conversion {
                    Conversion::FromBits => self.operation(Kind::Unknown, format!("{} from bits", type_name(to)), &[&value], ceiling),
                    _ => match to {
                        Type::Scalar(to) => self.widened(value, &operand.ty, *to),
                        Type::Parameter(_) => {
                            let name = format!("{} to {}", type_name(&operand.ty), type_name(to));
                            self.operation(Kind::Unknown, name, &[&value], ceiling)
                        }
                        // Two conversions of one number may have two types.
                        _ => self.fresh(value.spread, ceiling),
                    },
                }
            }
            ExprKind::TupleField { base, index } => {
                let tuple = self.expr(base);
                self.element(&tuple, *index)
            }
            ExprKind::Field { base, name } => {
                let value = self.expr(base);
                self.operation(Kind::Unknown, format!("field {name}"), &[&value], ceiling)
            }
            ExprKind::Struct { fields, base, .. } => {
                let values: Vec<Value> = fields.iter().map(|(_, value)| value).chain(base.as_deref()).map(|part| self.expr(part)).collect();
                let spread = values.iter().map(|value| value.spread).max().unwrap_or(Spread::Launch);
                self.fresh(spread, ceiling)
            }
            ExprKind::Axis { base, axis, .. } => {
                let extents = self.expr(base);
                self.element(&extents, *axis as usize)
            }
            ExprKind::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.expr(element)).collect();
                Node::tuple(elements)
            }
            ExprKind::Method { method, receiver, args, .. } => self.method(expr, *method, receiver, args),
            ExprKind::Intrinsic { intrinsic, .. } => self.intrinsic(*intrinsic),
            ExprKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.expr(element)).collect();
                Node::tuple(elements)
            }
            // Of what a device function returns nothing is known.
            ExprKind::Call { args: parts, .. } | ExprKind::CallLocal { args: parts, .. } => {
                for part in parts {
                    self.expr(part);
                }
                self.fresh(Spread::Thread, ceiling)
            }
            ExprKind::Repeat { element: part, .. } => {
                self.expr(part);
                self.fresh(Spread::Thread, ceiling)
            }
            // It runs later, with any arguments and any number of times, but where what holds here still holds: it cannot leave the block
            // that it stands in, and neither it nor anybody else changes what it names.
            ExprKind::Closure(closure) => {
                for (local, _) in &closure.params {
                    if self.assigned.contains(local) {
                        continue;
                    }
                    let ceiling = self.function.local(*local).ty.as_scalar().map_or(u64::MAX, largest_value);
                    let argument = self.fresh(Spread::Thread, ceiling);
                    self.values.insert(*local, argument);
                }
                self.closures += 1;
                self.scoped(|walker| walker.expr(&closure.body));
                self.closures -= 1;
                self.fresh(Spread::Thread, ceiling)
            }
            ExprKind::FunctionItem { .. } => self.fresh(Spread::Thread, ceiling),
            // The same for all threads, so that no barrier or warp function is reported for it on top.
            ExprKind::Refused => self.fresh(Spread::Launch, ceiling),
            ExprKind::Panic { .. } => Node::tuple(Vec::new()),
            ExprKind::Local(_)
            | ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::Extent { .. }
            | ExprKind::Logical { .. }
            | ExprKind::If { .. }
            | ExprKind::Let { .. }
            | ExprKind::Match { .. }
            | ExprKind::Some(_)
            | ExprKind::None
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
            | ExprKind::Assembly(_) => unreachable!("control flow, places and assignments are walked"),
        }
    }

    /// Unsigned arithmetic of type `scalar`.
    fn arithmetic(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        // Modulo 2^64, forms compute; narrower arithmetic wraps earlier and only has a name.
        let computes = scalar.bits() == 64;
        let name = format!("{} {}", scalar.name(), op.symbol());
        let limit = largest_value(scalar);
        let at_most = |value: &Value| value.form.largest().and_then(|most| u64::try_from(most).ok()).unwrap_or(u64::MAX).min(limit);
        let (most_a, most_b) = (at_most(&a), at_most(&b));
        let number = b.form.as_constant();
        let (kind, form, ceiling) = match op {
            BinaryOp::Add => (Kind::Sum(a.clone(), b.clone()), computes.then(|| a.form.plus(&b.form)), limit),
            BinaryOp::Multiply => (Kind::Product(a.clone(), b.clone()), computes.then(|| a.form.times(&b.form)), limit),
            BinaryOp::Subtract => (Kind::Difference(a.clone(), b.clone()), computes.then(|| a.form.minus(&b.form)), limit),
            BinaryOp::Divide => match number {
                Some(divisor) if divisor > 0 => (Kind::Quotient(a.clone(), divisor), None, most_a / divisor),
                _ => (Kind::AtMost(vec![a.clone()]), None, most_a),
            },
            BinaryOp::Remainder => (Kind::Remainder(a.clone(), b.clone()), None, most_a.min(most_b.saturating_sub(1))),
            BinaryOp::BitAnd => (Kind::AtMost(vec![a.clone(), b.clone()]), None, most_a.min(most_b)),
            BinaryOp::BitOr | BinaryOp::BitXor => (Kind::Sum(a.clone(), b.clone()), None, limit),
            BinaryOp::ShiftLeft => match number {
                Some(bits) if bits < scalar.bits().into() => {
                    let factor = Node::number(1 << bits);
                    let form = computes.then(|| a.form.times(&factor.form));
                    (Kind::Product(a.clone(), factor), form, limit)
                }
                _ => (Kind::Unknown, None, limit),
            },
            BinaryOp::ShiftRight => match number {
                Some(bits) if bits < scalar.bits().into() => (Kind::Quotient(a.clone(), 1 << bits), None, most_a >> bits),
                _ => (Kind::AtMost(vec![a.clone()]), None, most_a),
            },
            _ => (Kind::Unknown, None, limit),
        };
        match form {
            Some(form) => self.node(kind, form),
            None => self.operation(kind, name, &[&a, &b], ceiling),
        }
    }

    fn cast(&mut self, operand: &'f Expr, to: Scalar) -> Value {
        if let ExprKind::Constant(path) = &operand.kind
            && is_unsigned(to)
            && !operand.ty.as_scalar().is_some_and(is_unsigned)
        {
            // rustc evaluates the cast for the host too.
            let name = to.name().parse::<proc_macro2::TokenStream>().expect("the name of a type");
            return Node::symbol(Symbol::launch(Atom::Constant(quote::quote!((#path as #name))), largest_value(to)));
        }
        let value = self.expr(operand);
        self.widened(value, &operand.ty, to)
    }

    /// `value`, of type `of`, as `to`.
    fn widened(&mut self, value: Value, of: &Type, to: Scalar) -> Value {
        let (name, from) = (format!("{} as {}", type_name(of), to.name()), of.as_scalar());
        let limit = largest_value(to);
        match from {
            Some(from) if is_unsigned(from) && is_unsigned(to) => {
                if from.bits() <= to.bits() {
                    return value;
                }
                // The high bits go, which makes the value smaller.
                self.operation(Kind::AtMost(vec![value.clone()]), name, &[&value], limit)
            }
            Some(from) if from.is_signed_integer() && is_unsigned(to) && value.form.as_constant().is_some_and(|value| value <= limit) => {
                value
            }
            _ => self.operation(Kind::Unknown, name, &[&value], limit),
        }
    }

    fn method(&mut self, expr: &'f Expr, method: Method, receiver: &'f Expr, args: &'f [Expr]) -> Value {
        if method.receiver == Receiver::Array {
            let length = self.length_of(receiver);
            if method == Method::Len {
                return length;
            }
            return self.operation(Kind::Compare(BinaryOp::Equal, length.clone(), Node::number(0)), method.name.into(), &[&length], 1);
        }
        let a = self.expr(receiver);
        let args: Vec<Value> = args.iter().map(|arg| self.expr(arg)).collect();
        let unsigned = receiver.ty.as_scalar().filter(|scalar| is_unsigned(*scalar));
        let kind = match (unsigned, method.unsigned, args.as_slice()) {
            (Some(scalar), UnsignedResult::Operator(operator), [b]) => return self.arithmetic(operator, scalar, a, b.clone()),
            (Some(_), UnsignedResult::AtMost(limit), [first, ..]) => match limit {
                AtMost::Receiver => Kind::AtMost(vec![a.clone()]),
                AtMost::Either => Kind::AtMost(vec![a.clone(), first.clone()]),
                AtMost::LastArgument => Kind::AtMost(args.last().into_iter().cloned().collect()),
                AtMost::Sum => Kind::Sum(a.clone(), first.clone()),
                AtMost::Product => Kind::Product(a.clone(), first.clone()),
            },
            _ => Kind::Unknown,
        };
        let operands: Vec<&Value> = std::iter::once(&a).chain(&args).collect();
        let ceiling = expr.ty.as_scalar().map_or(u64::MAX, largest_value);
        self.operation(kind, format!("{} {}", type_name(&receiver.ty), method.name), &operands, ceiling)
    }

    /// The length of an array or slice.
    pub(super) fn length_of(&mut self, array: &'f Expr) -> Value {
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
            ExprKind::Local(local) => self.length_of_slice(*local).unwrap_or_else(|| self.fresh(Spread::Thread, u64::MAX)),
            _ => self.fresh(Spread::Thread, u64::MAX),
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic) -> Value {
        const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
        match intrinsic {
            Intrinsic::ThreadIdx => Node::tuple(AXES.map(|axis| Node::symbol(Symbol::thread_idx(axis))).to_vec()),
            Intrinsic::BlockIdx => Node::tuple(AXES.map(|axis| Node::symbol(Symbol::block_idx(axis))).to_vec()),
            Intrinsic::BlockDim => Node::tuple(self.constants.block.to_vec()),
            Intrinsic::GridDim => Node::tuple(AXES.map(|axis| Node::symbol(Symbol::grid_dim(axis))).to_vec()),
            Intrinsic::Grid1d => self.grid_coordinate(Axis::X),
            Intrinsic::Grid2d => Node::tuple(vec![self.grid_coordinate(Axis::X), self.grid_coordinate(Axis::Y)]),
            Intrinsic::Grid3d => Node::tuple(AXES.map(|axis| self.grid_coordinate(axis)).to_vec()),
            Intrinsic::Shared(_) | Intrinsic::DynamicShared(_) | Intrinsic::Builtin { .. } | Intrinsic::Print(_) => {
                self.fresh(Spread::Thread, u64::MAX)
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

/// Tells the operations of one type from those of another, where their operands are the same.
fn type_name(ty: &Type) -> String {
    match ty {
        Type::Parameter(param) => param.name.to_string(),
        _ => ty.as_scalar().map_or("_", Scalar::name).to_owned(),
    }
}

/// The natural bounds of thread and block coordinates: each value is below the other.
pub(super) fn coordinate_ranges(block: &[Value; 3]) -> Vec<(Value, Value)> {
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
pub(super) fn linear_position(block_extent: &Value) -> NormalForm {
    let block = NormalForm::symbol(Symbol::block_idx(Axis::X)).times(&block_extent.form);
    block.plus(&NormalForm::symbol(Symbol::thread_idx(Axis::X)))
}
