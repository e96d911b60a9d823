//! Runs one thread of a kernel on integers and records what it touches.

use super::interpret_memory::{Place, float_method, operate_on_conditions, operate_on_floats, some_value};
use super::interpret_values::struct_of;
use super::simulation::Launch;
use crate::check::clients::index_width::SignedLocals;
use crate::check::{LONGEST, complement_of};
use crate::model::*;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What the host passes to a generated kernel, and where the thread stands.
pub(super) struct Machine<'f> {
    pub(super) function: &'f Function,
    /// Lengths of slices and values of scalars, by parameter.
    pub(super) params: &'f [u64],
    /// Numbers in structs, by path.
    pub(super) fields: &'f [(String, u64)],
    /// Shapes of views, by parameter.
    pub(super) shapes: &'f [[u64; 3]],
    /// The constants of the crate, by name.
    pub(super) constants: &'f [(&'static str, u64)],
    /// What the atomics hold, by parameter and element.
    pub(super) atomics: &'f RefCell<HashMap<(usize, Vec<u64>), u64>>,
    /// What arrays hold that no thread writes.
    pub(super) salt: u64,
    pub(super) grid: [u64; 3],
    pub(super) block: [u64; 3],
    pub(super) block_idx: [u64; 3],
    pub(super) thread_idx: [u64; 3],
    /// Sites whose check the launch leaves out.
    pub(super) unchecked: &'f [bool],
    /// By number; `None` before a variable has a value.
    pub(super) locals: Vec<Option<Data>>,
    pub(super) closures: HashMap<LocalId, &'f Closure>,
    /// What variables refer to, `let row = &mut x[i];`.
    pub(super) references: HashMap<LocalId, Place>,
    /// Parameter, indices of the element, and whether it is written.
    pub(super) touched: Vec<(usize, Vec<u64>, bool)>,
    pub(super) barriers: Vec<SiteId>,
    /// The same of shared arrays: the barriers before, the array, the element, and whether it is written.
    pub(super) shared: Vec<(usize, LocalId, Vec<u64>, bool)>,
    /// How many values it got that other threads have a part in.
    pub(super) received: u64,
    /// What fails without a check.
    pub(super) overrun: Option<(SiteId, u64)>,
    /// Operations that do not overflow, how many of them there were, and one that did.
    pub(super) exact: HashSet<*const Expr>,
    pub(super) exact_results: usize,
    pub(super) overflow: Option<String>,
    /// A `usize` has 32 bits.
    pub(super) narrow: bool,
    /// What is computed in 64 bits even then.
    pub(super) wide: HashSet<*const Expr>,
    /// The indices that are checked if they are casts.
    pub(super) casts: HashSet<*const Expr>,
    /// The counters of loops that then are plain ones.
    pub(super) plain: HashSet<LocalId>,
    pub(super) signed: SignedLocals,
    pub(super) fuel: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Int(u64),
    Float(f64),
    Bool(bool),
    /// Of an array too.
    Tuple(Vec<Data>),
    /// By name.
    Struct(HashMap<String, Data>),
    Option(Option<Box<Data>>),
    /// Whether it is `Ok`, and what is in it.
    Result(bool, Box<Data>),
    /// Of a type that only rustc knows, whose parts are the same.
    Unknown(u64),
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

pub(super) const UNIT: Data = Data::Tuple(Vec::new());

impl Data {
    pub(super) fn int(&self) -> u64 {
        match self {
            Data::Int(value) => *value,
            Data::Unknown(seed) => *seed % 3,
            other => panic!("not a number: {other:?}"),
        }
    }

    pub(super) fn float(&self) -> f64 {
        match self {
            Data::Float(value) => *value,
            Data::Int(value) | Data::Unknown(value) => *value as f64,
            other => panic!("not a number: {other:?}"),
        }
    }

    pub(super) fn bool(&self) -> bool {
        match self {
            Data::Bool(value) => *value,
            Data::Unknown(seed) => seed.is_multiple_of(2),
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
            fields: &launch.fields,
            shapes: &launch.shapes,
            constants: &launch.constants,
            atomics: &launch.atomics,
            salt: launch.salt,
            grid: launch.grid,
            block: launch.block,
            block_idx,
            thread_idx,
            unchecked,
            locals: vec![None; function.locals.len()],
            closures: HashMap::new(),
            references: HashMap::new(),
            touched: Vec::new(),
            barriers: Vec::new(),
            shared: Vec::new(),
            received: 0,
            overrun: None,
            exact: HashSet::new(),
            exact_results: 0,
            overflow: None,
            narrow: false,
            wide: HashSet::new(),
            casts: HashSet::new(),
            signed: SignedLocals::of(function),
            plain: HashSet::new(),
            fuel: 3000,
        }
    }

    /// Whether the thread came to the end of the kernel.
    pub(super) fn run(&mut self) -> bool {
        self.start().is_ok()
    }

    /// The integer that a function returns. `None` if it fails.
    pub(super) fn run_for_result(&mut self) -> Option<u64> {
        match self.start() {
            Ok(Data::Int(value)) | Err(Flow::Return(Data::Int(value))) => Some(value),
            _ => None,
        }
    }

    fn start(&mut self) -> Outcome {
        for (i, param) in self.function.params.iter().enumerate() {
            let value = match &self.function.local(param.local).ty {
                Type::Scalar(scalar) if scalar.is_float() => Data::Float(self.params[i] as f64 / 2.0),
                Type::Named(_) if self.fields.is_empty() => Data::Unknown(self.salt),
                Type::Named(_) => struct_of(self.fields),
                _ => Data::Int(self.params[i]),
            };
            self.set(param.local, value);
        }
        self.block(&self.function.body)
    }

    pub(super) fn get(&self, local: LocalId) -> &Data {
        self.locals[local.0].as_ref().expect("a variable has a value")
    }

    pub(super) fn set(&mut self, local: LocalId, value: Data) {
        self.locals[local.0] = Some(value);
    }

    fn block(&mut self, block: &'f Block) -> Outcome {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(binding) => {
                    if let (Some(Expr { kind: ExprKind::Closure(closure), .. }), Some(name)) = (&binding.init, binding.pattern.as_name()) {
                        self.closures.insert(name, closure);
                    } else if let (Some(Expr { kind: ExprKind::Borrow { mutable, operand }, .. }), Some(name)) =
                        (&binding.init, binding.pattern.as_name())
                    {
                        self.refer(name, operand, *mutable)?;
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
        let value = self.value(expr)?;
        let is_wide = self.wide.contains(&std::ptr::from_ref(expr));
        Ok(match value {
            Data::Int(value) if self.narrow && is_wide && self.signed.has(expr) => Data::Int(word(value, Scalar::I32)),
            value if is_wide => value,
            value => self.in_its_width(&expr.ty, value),
        })
    }

    /// A value of this type.
    fn in_its_width(&self, ty: &Type, value: Data) -> Data {
        match value {
            Data::Int(value) if self.narrow && *ty == Type::USIZE => Data::Int(value & u64::from(u32::MAX)),
            value => value,
        }
    }

    fn value(&mut self, expr: &'f Expr) -> Outcome {
        self.fuel = self.fuel.checked_sub(1).ok_or(Flow::End)?;
        Ok(match &expr.kind {
            ExprKind::Int(literal) => Data::Int(literal.value as u64),
            ExprKind::Float(literal) => Data::Float(literal.digits.parse().expect("digits")),
            ExprKind::Bool(value) => Data::Bool(*value),
            ExprKind::Local(local) if !self.references.contains_key(local) => self.get(*local).clone(),
            ExprKind::Constant(path) => constant(self.constants, path, &expr.ty),
            ExprKind::Unary { op: UnaryOp::Not, operand } => match self.expr(operand)? {
                Data::Bool(value) => Data::Bool(!value),
                value => Data::Int(word(!value.int(), operand.ty.as_scalar().unwrap_or(Scalar::Usize))),
            },
            ExprKind::Unary { op: UnaryOp::Negate, operand } => match self.expr(operand)? {
                Data::Float(value) => Data::Float(-value),
                value => operate(BinaryOp::Subtract, operand.ty.as_scalar().expect("an integer"), &Data::Int(0), &value)?,
            },
            ExprKind::Binary { op, left, right, site } => {
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                self.note_exact(expr, *op, &a, &b);
                operate(*op, left.ty.as_scalar().unwrap_or(Scalar::Usize), &a, &b).or_else(|_| self.fail(0, *site))?
            }
            ExprKind::Logical { op, left, right } => {
                let left = self.expr(left)?.bool();
                let decided = left == (*op == LogicalOp::Or);
                Data::Bool(if decided { left } else { self.expr(right)?.bool() })
            }
            ExprKind::Cast { operand, to } => {
                let value = self.expr(operand)?;
                cast(&value, operand.ty.as_scalar().unwrap_or(Scalar::Usize), *to)
            }
            ExprKind::Local(_)
            | ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::TupleField { .. }
            | ExprKind::Field { .. } => match self.memory(expr) {
                Some(array) => self.access(array, expr, false)?,
                None if expr.place().variable().is_some() => self.part(expr)?.clone(),
                None if let ExprKind::TupleField { base, index } = &expr.kind
                    && let ExprKind::Intrinsic { .. } = base.kind =>
                {
                    match self.expr(base)? {
                        Data::Tuple(parts) => parts[*index].clone(),
                        other => panic!("no tuple: {other:?}"),
                    }
                }
                // Of what a function returns, or a constant.
                None => some_value(&expr.ty, self.received),
            },
            ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Variant { .. }
            | ExprKind::Again { .. }
            | ExprKind::Either(_)
            | ExprKind::CallLocal { .. } => self.aggregate(expr)?,
            ExprKind::Match { scrutinee, arms } => self.match_arms(scrutinee, arms)?,
            ExprKind::Let { pattern, value } => {
                let value = self.expr(value)?;
                Data::Bool(self.matches(pattern, &value)?)
            }
            ExprKind::Extent { base, axis } => Data::Int(self.shapes[self.param(base)][*axis]),
            ExprKind::Axis { base, axis, .. } => match self.expr(base)? {
                Data::Tuple(values) => values[*axis as usize].clone(),
                other => panic!("no axes: {other:?}"),
            },
            ExprKind::Method { name, receiver, args, site, .. } => self.method(&name.to_string(), receiver, args, *site)?,
            ExprKind::Atomic { method, place, args, .. } => self.atomic(expr, *method, place, args)?,
            ExprKind::Call { args, awaited, .. } => {
                for arg in args {
                    self.expr(arg)?;
                }
                if *awaited {
                    self.barriers.push(SiteId(self.function.sites.len()));
                }
                self.received += 1;
                some_value(&expr.ty, self.received + self.number_in_block())
            }
            // Of a vector type, which is no index.
            ExprKind::Associated { args, .. } => {
                for arg in args {
                    self.expr(arg)?;
                }
                Data::Float(1.0)
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(_), args, .. } => self.expr(&args[0])?,
            ExprKind::Intrinsic { intrinsic, args, .. } => {
                for arg in args {
                    self.expr(arg)?;
                }
                self.intrinsic(*intrinsic, &expr.ty)
            }
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
            ExprKind::CompoundAssign { op, place, value, site } => {
                let value = self.expr(value)?;
                let old = match self.memory(place) {
                    Some(_) => some_value(&place.ty, 0),
                    None => self.part(place)?.clone(),
                };
                let old = self.in_its_width(&place.ty, old);
                self.note_exact(expr, *op, &old, &value);
                let new = operate(*op, place.ty.as_scalar().unwrap_or(Scalar::Usize), &old, &value).or_else(|_| self.fail(0, *site))?;
                self.store(place, new)?;
                UNIT
            }
            _ => panic!("not generated: {:?} in line {}", expr.span.source_text(), expr.span.start().line),
        })
    }

    /// Compares an operation that does not overflow with the integers.
    fn note_exact(&mut self, expr: &Expr, op: BinaryOp, a: &Data, b: &Data) {
        let (ExprKind::Binary { left: place, .. } | ExprKind::CompoundAssign { place, .. }) = &expr.kind else { return };
        if !self.exact.contains(&std::ptr::from_ref(expr)) {
            return;
        }
        let scalar = place.ty.as_scalar().unwrap_or(Scalar::Usize);
        let [a, b] = [a, b].map(|operand| if let Data::Int(number) = operand { integer(*number, scalar) } else { 0 });
        let exact = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a.saturating_mul(b),
            _ => return,
        };
        self.exact_results += 1;
        // An index is small too.
        let is_small = scalar != Scalar::Usize || [a, b, exact].iter().all(|number| (0..LONGEST).contains(number));
        if integer(exact as u64, scalar) != exact || !is_small {
            self.overflow = Some(format!("{a} {} {b}", op.symbol()));
        }
    }

    fn method(&mut self, name: &str, receiver: &'f Expr, args: &'f [Expr], site: Option<SiteId>) -> Outcome {
        if let Some((_, rank)) = receiver.ty.view() {
            let shape = &self.shapes[self.param(receiver)][..rank];
            return Ok(Data::Int(shape.iter().product()));
        }
        // A slice stands for its length.
        let a = match self.expr(receiver)? {
            Data::Tuple(values) => values.len() as u64,
            Data::Float(value) => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<Data>, Flow>>()?;
                return Ok(Data::Float(args.iter().fold(float_method(name, value), |sum, arg| sum + arg.float())));
            }
            receiver => receiver.int(),
        };
        let args = args.iter().map(|arg| self.expr(arg).map(|arg| arg.int())).collect::<Result<Vec<u64>, Flow>>()?;
        let scalar = receiver.ty.as_scalar().unwrap_or(Scalar::Usize);
        let integer = |value: u64| integer(value, scalar);
        Ok(match (name, args.as_slice()) {
            ("len", []) => Data::Int(a),
            ("min", [b]) => Data::Int(integer(a).min(integer(*b)) as u64),
            ("max", [b]) => Data::Int(integer(a).max(integer(*b)) as u64),
            ("clamp", [least, most]) if integer(*least) > integer(*most) => return self.fail(*most, site),
            ("clamp", [least, most]) => Data::Int(integer(a).clamp(integer(*least), integer(*most)) as u64),
            ("wrapping_sub", [b]) => Data::Int(word(a.wrapping_sub(*b), scalar)),
            ("abs", []) => Data::Int(word(integer(a).unsigned_abs() as u64, scalar)),
            ("abs_diff", [b]) => Data::Int(integer(a).abs_diff(integer(*b)) as u64),
            ("count_ones", []) => Data::Int(a.count_ones().into()),
            // The high bits of a complement are 1.
            ("trailing_zeros", []) if a == 0 && self.narrow && complement_of(Method::TrailingZeros, receiver).is_some() => Data::Int(32),
            ("trailing_zeros", []) => Data::Int(a.trailing_zeros().min(scalar.bits()).into()),
            ("leading_zeros", []) => Data::Int((a << (64 - scalar.bits())).leading_zeros().min(scalar.bits()).into()),
            ("reverse_bits", []) => Data::Int(a.reverse_bits() >> (64 - scalar.bits())),
            ("saturating_sub", [b]) => Data::Int(a.saturating_sub(*b)),
            ("rem_euclid", [0]) => return Err(Flow::End),
            ("rem_euclid", [b]) => Data::Int(integer(a).rem_euclid(integer(*b)) as u64),
            ("checked_sub", [b]) => Data::Option(a.checked_sub(*b).map(|rest| Box::new(Data::Int(rest)))),
            (name, args) if scalar.bits() == 64 && !scalar.is_signed_integer() => return word_method(name, a, args),
            other => panic!("{other:?} is not generated"),
        })
    }

    pub(super) fn store(&mut self, place: &'f Expr, value: Data) -> Result<(), Flow> {
        match &place.kind {
            ExprKind::Local(local) if !self.references.contains_key(local) => {
                self.set(*local, value);
            }
            _ if self.memory(place).is_some() => {
                self.access(self.memory(place).expect("an array"), place, true)?;
            }
            _ => *self.part(place)? = value,
        }
        Ok(())
    }

    pub(super) fn param(&self, base: &Expr) -> usize {
        let ExprKind::Local(local) = base.kind else { panic!("not generated") };
        match self.function.local(local).kind {
            LocalKind::Param(param) => param,
            _ => panic!("not generated"),
        }
    }

    /// Ends the thread at a cast that makes an index wrap around in 32 bits.
    pub(super) fn check_cast(&mut self, index: &'f Expr) -> Result<(), Flow> {
        let checked = if self.narrow && self.casts.contains(&std::ptr::from_ref(index)) { Some(index) } else { None };
        let (cast, factor) = match checked.and_then(|index| self.signed.cast_index(index)) {
            Some(cast) if cast.may_wrap() => (cast.cast, cast.factor),
            _ => return Ok(()),
        };
        // What it reads is read once.
        let (touched, received, fuel) = (self.touched.len(), self.received, self.fuel);
        let cast = self.expr(cast)?.int() & u64::from(u32::MAX);
        let factor = factor.map_or(Ok(1), |factor| self.expr(factor).map(|factor| factor.int()))?;
        self.touched.truncate(touched);
        (self.received, self.fuel) = (received, fuel);
        if u128::from(cast) < LONGEST.cast_unsigned().div_ceil(factor.into()) { Ok(()) } else { Err(Flow::End) }
    }

    /// Ends the thread at an index that is out of bounds.
    pub(super) fn check(&mut self, index: u64, length: u64, site: SiteId) -> Result<(), Flow> {
        if index < length { Ok(()) } else { self.fail(index, Some(site)).map(|_| ()) }
    }

    /// Ends the thread at `site`, for which it must be checked.
    fn fail(&mut self, value: u64, site: Option<SiteId>) -> Outcome {
        if let Some(site) = site.filter(|site| self.unchecked[site.0]) {
            self.overrun.get_or_insert((site, value));
        }
        Err(Flow::End)
    }

    fn iterate(&mut self, label: LabelId, body: &'f Block) -> Result<bool, Flow> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Flow::End)?;
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
                machine.set(counter, Data::Int(value));
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
                run(self, &mut plain_loop(self.narrow, first, n, threads))
            }
            Range::Bounds { start, end, adapters, .. } if self.narrow && self.plain.contains(&counter) => {
                let (start, end) = (self.expr(start)?.int(), self.expr(end)?.int());
                let [RangeAdapter::StepBy { step, .. }] = adapters.as_slice() else { panic!("no loop with a step") };
                let step = self.step(step)?;
                run(self, &mut plain_loop(true, start, end, step as u64))
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
                        let step = self.step(step)?;
                        words(&mut (start..=last).step_by(step), self)
                    }
                    [RangeAdapter::Rev(_), RangeAdapter::StepBy { step, .. }] => {
                        let step = self.step(step)?;
                        words(&mut (start..=last).rev().step_by(step), self)
                    }
                    _ => panic!("not generated"),
                }
            }
        }
    }

    /// The step of a loop. Without one, the thread fails.
    fn step(&mut self, step: &'f Expr) -> Result<usize, Flow> {
        match self.expr(step)?.int() {
            0 => Err(Flow::End),
            step => Ok(step as usize),
        }
    }

    pub(super) fn number_in_block(&self) -> u64 {
        let ([x, y, z], [width, height, _]) = (self.thread_idx, self.block);
        (z * height + y) * width + x
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, ty: &Type) -> Data {
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
            Intrinsic::Builtin { builtin: Builtin::LaneId, .. } => Data::Int(self.number_in_block() % 32),
            Intrinsic::Builtin { builtin: Builtin::WarpId, .. } => Data::Int(self.number_in_block() / 32),
            Intrinsic::Builtin { builtin, site } => self.builtin(builtin, site, ty),
            // An array is its name.
            Intrinsic::Shared(_) => UNIT,
            Intrinsic::Print(_) => UNIT,
            Intrinsic::DynamicShared(_) => unreachable!("the array is its length"),
        }
    }
}

/// The word of an integer of this type: two's complement of 64 bits.
pub(super) fn word(value: u64, of: Scalar) -> u64 {
    integer(value, of) as u64
}

/// The integer of this type that the lowest bits are.
fn integer(value: u64, of: Scalar) -> i128 {
    let unused = 128 - of.bits();
    let shifted = i128::from(value) << unused;
    if of.is_signed_integer() { shifted >> unused } else { (shifted.cast_unsigned() >> unused).cast_signed() }
}

/// `value`, of type `from`, as `to`.
fn cast(value: &Data, from: Scalar, to: Scalar) -> Data {
    match value {
        Data::Float(value) if to.is_float() => Data::Float(*value),
        Data::Float(value) => Data::Int(word(*value as i64 as u64, to)),
        Data::Bool(value) => Data::Int((*value).into()),
        value if to.is_float() => Data::Float(integer(value.int(), from) as f64),
        value => Data::Int(word(value.int(), to)),
    }
}

/// Whether the last name of `path` is this: a constant of a type or of another module has other names before it.
pub(super) fn is_named(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

/// The constant at `path`: one of the crate, or of a type, such as `u32::MAX`.
fn constant(known: &[(&'static str, u64)], path: &syn::Path, ty: &Type) -> Data {
    if let Some((_, value)) = known.iter().find(|(name, _)| is_named(path, name)) {
        return Data::Int(*value);
    }
    let Some(scalar) = ty.as_scalar() else { return Data::Unknown(1) };
    match scalar {
        scalar if scalar.is_float() => Data::Float(f64::INFINITY),
        scalar if scalar.is_signed_integer() => Data::Int(word(u64::MAX >> (65 - scalar.bits()), scalar)),
        scalar => Data::Int(word(u64::MAX, scalar)),
    }
}

/// As in C: the last addition may wrap around.
fn plain_loop(narrow: bool, first: u64, end: u64, step: u64) -> impl Iterator<Item = u64> {
    let mask = if narrow { u64::from(u32::MAX) } else { u64::MAX };
    let next = move |counter: &u64| Some(counter.wrapping_add(step) & mask);
    std::iter::successors(Some(first & mask), next).take_while(move |counter| *counter < end)
}

/// A method of `u64` or `usize`.
fn word_method(name: &str, a: u64, args: &[u64]) -> Outcome {
    let checked = |result: Option<u64>| Data::Option(result.map(|value| Box::new(Data::Int(value))));
    let overflowing = |(value, over): (u64, bool)| Data::Tuple(vec![Data::Int(value), Data::Bool(over)]);
    Ok(match (name, args) {
        ("wrapping_add", [b]) => Data::Int(a.wrapping_add(*b)),
        ("div_ceil", [0]) => return Err(Flow::End),
        ("div_ceil", [b]) => Data::Int(a.div_ceil(*b)),
        ("wrapping_mul", [b]) => Data::Int(a.wrapping_mul(*b)),
        ("isqrt", []) => Data::Int(a.isqrt()),
        ("saturating_add", [b]) => Data::Int(a.saturating_add(*b)),
        ("saturating_mul", [b]) => Data::Int(a.saturating_mul(*b)),
        ("checked_add", [b]) => checked(a.checked_add(*b)),
        ("checked_mul", [b]) => checked(a.checked_mul(*b)),
        ("checked_div", [b]) => checked(a.checked_div(*b)),
        ("overflowing_add", [b]) => overflowing(a.overflowing_add(*b)),
        ("overflowing_mul", [b]) => overflowing(a.overflowing_mul(*b)),
        ("pow", [b]) => Data::Int(a.wrapping_pow(*b as u32)),
        ("rotate_left", [b]) => Data::Int(a.rotate_left(*b as u32)),
        ("swap_bytes", []) => Data::Int(a.swap_bytes()),
        other => panic!("{other:?} is not generated"),
    })
}

pub(super) fn operate(op: BinaryOp, scalar: Scalar, a: &Data, b: &Data) -> Outcome {
    let (a, b) = match (a, b) {
        (Data::Float(_), Data::Float(_) | Data::Unknown(_)) | (Data::Unknown(_), Data::Float(_)) => {
            return Ok(operate_on_floats(op, a.float(), b.float()));
        }
        (Data::Bool(a), Data::Bool(b)) => return Ok(operate_on_conditions(op, *a, *b)),
        (Data::Tuple(_), Data::Tuple(_)) if op == BinaryOp::Equal => return Ok(Data::Bool(a == b)),
        (a, b) => (a.int(), b.int()),
    };
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
        BinaryOp::PartialOrder | BinaryOp::TotalOrder => unreachable!("the tests compare with operators"),
    }
}
