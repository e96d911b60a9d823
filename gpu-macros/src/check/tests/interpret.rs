//! Runs one thread of a kernel on integers and records what it touches.

use super::simulation::Launch;
use crate::model::*;
use std::collections::HashMap;

/// What the host passes to a generated kernel, and where the thread stands.
pub(super) struct Machine<'f> {
    pub(super) function: &'f Function,
    /// Lengths of slices and values of scalars, by parameter.
    pub(super) params: &'f [u64],
    /// Shapes of views, by parameter.
    pub(super) shapes: &'f [[u64; 2]],
    /// The constants of the crate, by name.
    pub(super) constants: &'f [(&'static str, u64)],
    pub(super) grid: [u64; 3],
    pub(super) block: [u64; 3],
    pub(super) block_idx: [u64; 3],
    pub(super) thread_idx: [u64; 3],
    /// Sites whose check the launch leaves out.
    pub(super) unchecked: &'f [bool],
    pub(super) locals: HashMap<LocalId, Data>,
    pub(super) closures: HashMap<LocalId, &'f Closure>,
    /// Parameter, element (of a slice with a zero behind), and whether it is written.
    pub(super) touched: Vec<(usize, [u64; 2], bool)>,
    pub(super) barriers: Vec<SiteId>,
    /// The same of the shared array: the barriers before, the element, and whether it is written.
    pub(super) shared: Vec<(usize, u64, bool)>,
    /// Out of bounds without a check.
    pub(super) overrun: Option<(SiteId, u64)>,
    pub(super) fuel: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Int(u64),
    Bool(bool),
    /// Of an array too.
    Tuple(Vec<Data>),
    /// By name.
    Struct(HashMap<String, Data>),
    Option(Option<Box<Data>>),
}

/// Why an expression has no value.
pub(super) enum Flow {
    Break(LabelId, Data),
    Continue(LabelId),
    /// From a closure.
    Return(Data),
    /// Returned, failed, or ran long enough.
    End,
}

pub(super) type Outcome = Result<Data, Flow>;

/// The length of the shared array of a generated kernel.
const SHARED_LENGTH: u64 = 8;

pub(super) const UNIT: Data = Data::Tuple(Vec::new());

impl Data {
    pub(super) fn int(&self) -> u64 {
        match self {
            Data::Int(value) => *value,
            other => panic!("not a number: {other:?}"),
        }
    }

    pub(super) fn bool(&self) -> bool {
        match self {
            Data::Bool(value) => *value,
            other => panic!("not a condition: {other:?}"),
        }
    }
}

impl<'f> Machine<'f> {
    pub(super) fn new(
        function: &'f Function,
        launch: &'f Launch,
        block_idx: [u64; 3],
        thread_idx: [u64; 3],
        unchecked: &'f [bool],
    ) -> Machine<'f> {
        Machine {
            function,
            params: &launch.params,
            shapes: &launch.shapes,
            constants: &launch.constants,
            grid: launch.grid,
            block: launch.block,
            block_idx,
            thread_idx,
            unchecked,
            locals: HashMap::new(),
            closures: HashMap::new(),
            touched: Vec::new(),
            barriers: Vec::new(),
            shared: Vec::new(),
            overrun: None,
            fuel: 3000,
        }
    }

    /// Whether the thread came to the end of the kernel.
    pub(super) fn run(&mut self) -> bool {
        for (i, param) in self.function.params.iter().enumerate() {
            self.locals.insert(param.local, Data::Int(self.params[i]));
        }
        self.block(&self.function.body).is_ok()
    }

    fn block(&mut self, block: &'f Block) -> Outcome {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(binding) => {
                    if let (Some(Expr { kind: ExprKind::Closure(closure), .. }), Some(name)) = (&binding.init, binding.pattern.as_name()) {
                        self.closures.insert(name, closure);
                    } else if let Some(init) = &binding.init {
                        let value = self.expr(init)?;
                        if !self.matches(&binding.pattern, &value)? {
                            self.block(binding.otherwise.as_ref().expect("an irrefutable pattern"))?;
                            panic!("the block after `else` came to its end");
                        }
                    }
                }
                Stmt::Expr(expr) => {
                    self.expr(expr)?;
                }
            }
        }
        block.value.as_ref().map_or(Ok(UNIT), |value| self.expr(value))
    }

    pub(super) fn expr(&mut self, expr: &'f Expr) -> Outcome {
        self.fuel = self.fuel.checked_sub(1).ok_or(Flow::End)?;
        Ok(match &expr.kind {
            ExprKind::Int(literal) => Data::Int(literal.value as u64),
            ExprKind::Bool(value) => Data::Bool(*value),
            ExprKind::Local(local) => self.locals[local].clone(),
            ExprKind::Constant(path) => {
                let known = self.constants.iter().find(|(name, _)| path.is_ident(name)).expect("a constant of the crate");
                Data::Int(known.1)
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => Data::Bool(!self.expr(operand)?.bool()),
            ExprKind::Unary { op: UnaryOp::Negate, operand } => {
                operate(BinaryOp::Subtract, operand.ty.as_scalar().expect("an integer"), 0, self.expr(operand)?.int())?
            }
            ExprKind::Binary { op, left, right, .. } => {
                let (a, b) = (self.expr(left)?.int(), self.expr(right)?.int());
                operate(*op, left.ty.as_scalar().unwrap_or(Scalar::Usize), a, b)?
            }
            ExprKind::Logical { op, left, right } => {
                let left = self.expr(left)?.bool();
                let decided = left == (*op == LogicalOp::Or);
                Data::Bool(if decided { left } else { self.expr(right)?.bool() })
            }
            ExprKind::Cast { operand, to } => {
                let value = self.expr(operand)?.int();
                Data::Int(word(value, *to))
            }
            ExprKind::Index { base, index, site } if self.is_memory(base) => self.index(base, index, *site, false)?,
            ExprKind::Index { .. } | ExprKind::TupleField { .. } | ExprKind::Field { .. } => self.part(expr)?.clone(),
            ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Struct { .. }
            | ExprKind::Some(_)
            | ExprKind::None
            | ExprKind::CallLocal { .. } => self.aggregate(expr)?,
            ExprKind::Match { scrutinee, arms } => self.match_arms(scrutinee, arms)?,
            ExprKind::Let { pattern, value } => {
                let value = self.expr(value)?;
                Data::Bool(self.matches(pattern, &value)?)
            }
            ExprKind::Element { base, indices, sites } => self.element(base, indices, sites, false)?,
            ExprKind::Extent { base, axis } => Data::Int(self.shapes[self.param(base)][*axis]),
            ExprKind::Axis { base, axis, .. } => match self.expr(base)? {
                Data::Tuple(values) => values[*axis as usize].clone(),
                other => panic!("no axes: {other:?}"),
            },
            ExprKind::Method { name, receiver, args, .. } => self.method(&name.to_string(), receiver, args)?,
            ExprKind::Intrinsic { intrinsic, .. } => self.intrinsic(*intrinsic),
            ExprKind::If { condition, then, otherwise } => match (self.expr(condition)?.bool(), otherwise) {
                (true, _) => self.block(then)?,
                (false, Some(otherwise)) => self.expr(otherwise)?,
                (false, None) => UNIT,
            },
            ExprKind::Block { label, block } => match self.block(block) {
                Err(Flow::Break(left, value)) if Some(left) == *label => value,
                other => other?,
            },
            ExprKind::Loop { label, body } => loop {
                match self.block(body) {
                    Err(Flow::Break(left, value)) if left == *label => break value,
                    Err(Flow::Continue(next)) if next == *label => {}
                    other => {
                        other?;
                    }
                }
            },
            ExprKind::While { label, condition, body } => {
                while self.expr(condition)?.bool() && self.iterate(*label, body)? {}
                UNIT
            }
            ExprKind::For { label, counter, range, body } => {
                self.for_loop(*label, *counter, range, body)?;
                UNIT
            }
            ExprKind::Break { label, value, .. } => {
                let value = value.as_ref().map_or(Ok(UNIT), |value| self.expr(value))?;
                return Err(Flow::Break(*label, value));
            }
            ExprKind::Continue { label, .. } => return Err(Flow::Continue(*label)),
            ExprKind::Return(None) => return Err(Flow::End),
            ExprKind::Return(Some(value)) => return Err(Flow::Return(self.expr(value)?)),
            ExprKind::Assert { condition, .. } => match self.expr(condition)?.bool() {
                true => UNIT,
                false => return Err(Flow::End),
            },
            ExprKind::Assign { target, value } => {
                let value = self.expr(value)?;
                self.assign(target, value)?
            }
            ExprKind::CompoundAssign { op, place, value, .. } => {
                let value = self.expr(value)?.int();
                let old = match &place.kind {
                    ExprKind::Index { base, .. } if self.is_memory(base) => 0,
                    ExprKind::Element { .. } => 0,
                    _ => self.part(place)?.int(),
                };
                let new = operate(*op, place.ty.as_scalar().unwrap_or(Scalar::Usize), old, value)?;
                self.store(place, new)?;
                UNIT
            }
            _ => panic!("not generated"),
        })
    }

    fn method(&mut self, name: &str, receiver: &'f Expr, args: &'f [Expr]) -> Outcome {
        // A slice stands for its length.
        let a = match self.expr(receiver)? {
            Data::Tuple(values) => values.len() as u64,
            receiver => receiver.int(),
        };
        let args = args.iter().map(|arg| self.expr(arg).map(|arg| arg.int())).collect::<Result<Vec<u64>, Flow>>()?;
        let scalar = receiver.ty.as_scalar().unwrap_or(Scalar::Usize);
        let integer = |value: u64| integer(value, scalar);
        Ok(match (name, args.as_slice()) {
            ("len", []) => Data::Int(a),
            ("min", [b]) => Data::Int(integer(a).min(integer(*b)) as u64),
            ("max", [b]) => Data::Int(integer(a).max(integer(*b)) as u64),
            ("clamp", [least, most]) if integer(*least) > integer(*most) => return Err(Flow::End),
            ("clamp", [least, most]) => Data::Int(integer(a).clamp(integer(*least), integer(*most)) as u64),
            ("saturating_sub", [b]) => Data::Int(a.saturating_sub(*b)),
            ("rem_euclid", [0]) => return Err(Flow::End),
            ("rem_euclid", [b]) => Data::Int(integer(a).rem_euclid(integer(*b)) as u64),
            ("checked_sub", [b]) => Data::Option(a.checked_sub(*b).map(|rest| Box::new(Data::Int(rest)))),
            other => panic!("{other:?} is not generated"),
        })
    }

    pub(super) fn store(&mut self, place: &'f Expr, value: Data) -> Result<(), Flow> {
        match &place.kind {
            ExprKind::Local(local) => {
                self.locals.insert(*local, value);
            }
            ExprKind::Index { base, index, site } if self.is_memory(base) => {
                self.index(base, index, *site, true)?;
            }
            ExprKind::Element { base, indices, sites } => {
                self.element(base, indices, sites, true)?;
            }
            _ => *self.part(place)? = value,
        }
        Ok(())
    }

    fn index(&mut self, base: &'f Expr, index: &'f Expr, site: SiteId, writes: bool) -> Outcome {
        let index = self.expr(index)?.int();
        if matches!(base.ty, Type::Shared(_)) {
            self.check(index, SHARED_LENGTH, site)?;
            self.shared.push((self.barriers.len(), index, writes));
            // Another thread may have written to it since.
            return Ok(Data::Int((index + self.shared.len() as u64) % 3));
        }
        let param = self.param(base);
        self.check(index, self.params[param], site)?;
        self.touched.push((param, [index, 0], writes));
        // Some contents: those of `x` depend on the index alone.
        Ok(Data::Int(index % 3))
    }

    fn element(&mut self, base: &'f Expr, indices: &'f [Expr], sites: &[SiteId], writes: bool) -> Outcome {
        let mut position = [0; 2];
        for (place, index) in position.iter_mut().zip(indices) {
            *place = self.expr(index)?.int();
        }
        let param = self.param(base);
        for (axis, site) in sites.iter().enumerate() {
            self.check(position[axis], self.shapes[param][axis], *site)?;
        }
        self.touched.push((param, position, writes));
        Ok(Data::Int(position[0].wrapping_add(position[1]) % 3))
    }

    fn is_memory(&self, base: &Expr) -> bool {
        matches!(base.kind, ExprKind::Local(local) if matches!(self.function.local(local).kind, LocalKind::Param(_)))
            || matches!(base.ty, Type::Shared(_))
    }

    fn param(&self, base: &Expr) -> usize {
        let ExprKind::Local(local) = base.kind else { panic!("not generated") };
        match self.function.local(local).kind {
            LocalKind::Param(param) => param,
            _ => panic!("not generated"),
        }
    }

    /// Ends the thread at an index that is out of bounds.
    pub(super) fn check(&mut self, index: u64, length: u64, site: SiteId) -> Result<(), Flow> {
        if index < length {
            return Ok(());
        }
        if self.unchecked[site.0] {
            self.overrun.get_or_insert((site, index));
        }
        Err(Flow::End)
    }

    fn iterate(&mut self, label: LabelId, body: &'f Block) -> Result<bool, Flow> {
        match self.block(body) {
            Err(Flow::Break(left, _)) if left == label => Ok(false),
            Err(Flow::Continue(next)) if next == label => Ok(true),
            Err(other) => Err(other),
            Ok(_) => Ok(true),
        }
    }

    fn for_loop(&mut self, label: LabelId, counter: LocalId, range: &'f Range, body: &'f Block) -> Result<(), Flow> {
        let run = |machine: &mut Self, values: &mut dyn Iterator<Item = u64>| -> Result<(), Flow> {
            for value in values {
                machine.locals.insert(counter, Data::Int(value));
                if !machine.iterate(label, body)? {
                    break;
                }
            }
            Ok(())
        };
        match range {
            Range::GridStride { length, .. } => {
                let n = self.expr(length)?.int();
                let threads = self.grid[0] * self.block[0];
                let first = self.block_idx[0] * self.block[0] + self.thread_idx[0];
                run(self, &mut (first..n).step_by(threads as usize))
            }
            Range::Bounds { start, end, inclusive, adapters } => {
                let scalar = self.function.local(counter).ty.as_scalar().unwrap_or(Scalar::Usize);
                let (start, end) = (integer(self.expr(start)?.int(), scalar), integer(self.expr(end)?.int(), scalar));
                let last = if *inclusive { end } else { end - 1 };
                let words = |range: &mut dyn Iterator<Item = i128>, machine: &mut Self| run(machine, &mut range.map(|value| value as u64));
                match adapters.as_slice() {
                    [] => words(&mut (start..=last), self),
                    [RangeAdapter::Rev(_)] => words(&mut (start..=last).rev(), self),
                    [RangeAdapter::StepBy { step, .. }] => {
                        let step = self.expr(step)?.int();
                        words(&mut (start..=last).step_by(step as usize), self)
                    }
                    _ => panic!("not generated"),
                }
            }
        }
    }

    fn number_in_block(&self) -> u64 {
        let ([x, y, z], [width, height, _]) = (self.thread_idx, self.block);
        (z * height + y) * width + x
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic) -> Data {
        let position = |axis: usize| Data::Int(self.block_idx[axis] * self.block[axis] + self.thread_idx[axis]);
        let axes = |values: [u64; 3]| Data::Tuple(values.map(Data::Int).to_vec());
        match intrinsic {
            Intrinsic::ThreadIdx => axes(self.thread_idx),
            Intrinsic::BlockIdx => axes(self.block_idx),
            Intrinsic::BlockDim => axes(self.block),
            Intrinsic::GridDim => axes(self.grid),
            Intrinsic::Grid1d => position(0),
            Intrinsic::Grid2d => Data::Tuple(vec![position(0), position(1)]),
            Intrinsic::Grid3d => Data::Tuple(vec![position(0), position(1), position(2)]),
            Intrinsic::Builtin { builtin: Builtin::SyncThreads, site: Some(site) } => {
                self.barriers.push(site);
                UNIT
            }
            Intrinsic::Builtin { builtin: Builtin::SyncWarp, .. } => UNIT,
            Intrinsic::Shared(_) => Data::Int(SHARED_LENGTH),
            Intrinsic::Builtin { builtin: Builtin::LaneId, .. } => Data::Int(self.number_in_block() % 32),
            Intrinsic::Builtin { builtin: Builtin::WarpId, .. } => Data::Int(self.number_in_block() / 32),
            Intrinsic::Builtin { .. } | Intrinsic::DynamicShared(_) | Intrinsic::Print(_) => panic!("not generated"),
        }
    }
}

/// The word of an integer of this type: two's complement of 64 bits.
fn word(value: u64, of: Scalar) -> u64 {
    integer(value, of) as u64
}

/// The integer of this type that the lowest bits are.
fn integer(value: u64, of: Scalar) -> i128 {
    let unused = 128 - of.bits();
    let shifted = i128::from(value) << unused;
    if of.is_signed_integer() { shifted >> unused } else { (shifted.cast_unsigned() >> unused).cast_signed() }
}

fn operate(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Outcome {
    let wrapped = |value: u64| Ok(Data::Int(word(value, scalar)));
    let (x, y) = (integer(a, scalar), integer(b, scalar));
    let bits = b & u64::from(scalar.bits() - 1);
    match op {
        BinaryOp::Add => wrapped(a.wrapping_add(b)),
        BinaryOp::Subtract => wrapped(a.wrapping_sub(b)),
        BinaryOp::Multiply => wrapped(a.wrapping_mul(b)),
        BinaryOp::Divide => match x.checked_div(y) {
            Some(quotient) if integer(quotient as u64, scalar) == quotient => wrapped(quotient as u64),
            _ => Err(Flow::End),
        },
        BinaryOp::Remainder => wrapped(x.checked_rem(y).ok_or(Flow::End)? as u64),
        BinaryOp::BitAnd => wrapped(a & b),
        BinaryOp::BitOr => wrapped(a | b),
        BinaryOp::BitXor => wrapped(a ^ b),
        BinaryOp::ShiftLeft => wrapped(a << bits),
        BinaryOp::ShiftRight => wrapped((x >> bits) as u64),
        BinaryOp::Equal => Ok(Data::Bool(x == y)),
        BinaryOp::NotEqual => Ok(Data::Bool(x != y)),
        BinaryOp::Less => Ok(Data::Bool(x < y)),
        BinaryOp::LessEqual => Ok(Data::Bool(x <= y)),
        BinaryOp::Greater => Ok(Data::Bool(x > y)),
        BinaryOp::GreaterEqual => Ok(Data::Bool(x >= y)),
    }
}
