//! Arrays that threads share, what threads get from each other, and numbers with a fraction, for the interpreter.
//!
//! Nothing is stored in arrays: what a thread reads is some value. Of what no thread writes, the indices determine it.

use super::interpret::{Data, Flow, Machine, Outcome, UNIT, is_named, operate, word};
use crate::model::*;

/// How many elements an array has whose type only rustc knows.
pub(super) const UNKNOWN_LENGTH: u64 = 5;

/// What a reference leads to: a variable or an array, and the way to a part of it.
#[derive(Clone)]
pub(super) struct Place {
    root: LocalId,
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Index(u64),
    Field(String),
}

impl<'f> Machine<'f> {
    /// `let name = &operand;`. Nothing else may use what is behind a mutable reference.
    pub(super) fn refer(&mut self, name: LocalId, operand: &'f Expr, mutable: bool) -> Result<(), Flow> {
        let place = self.place(operand)?;
        self.references.insert(name, place);
        if let Some(array) = self.memory_of(name)
            && !matches!(operand.ty, Type::Atomic(_))
        {
            self.touch(array, &operand.ty, self.elements_of(name), mutable);
        }
        Ok(())
    }

    fn place(&mut self, place: &'f Expr) -> Result<Place, Flow> {
        let (base, step) = match &place.kind {
            ExprKind::Local(local) => {
                return Ok(self.references.get(local).cloned().unwrap_or(Place { root: *local, steps: Vec::new() }));
            }
            ExprKind::Index { base, .. } | ExprKind::Element { base, .. } => {
                // In the order of the indices, each of which is checked.
                let inner = self.place(base)?;
                let mut found = Vec::new();
                self.last_indices(place, &mut found)?;
                return Ok(inner.then(found.into_iter().map(Step::Index)));
            }
            ExprKind::Field { base, name } => (base, Step::Field(name.to_string())),
            ExprKind::TupleField { base, index } => (base, Step::Field(index.to_string())),
            _ => panic!("no place"),
        };
        Ok(self.place(base)?.then([step]))
    }

    /// The variable, or what it refers to.
    pub(super) fn variable(&mut self, local: LocalId) -> &mut Data {
        let Some(Place { root, steps }) = self.references.get(&local) else {
            return self.locals[local.0].as_mut().expect("a variable has a value");
        };
        let whole = self.locals[root.0].as_mut().expect("a variable has a value");
        steps.iter().fold(whole, |part, step| match (part, step) {
            (Data::Tuple(values), Step::Index(index)) => &mut values[*index as usize],
            (Data::Tuple(values), Step::Field(name)) => &mut values[name.parse::<usize>().expect("a position")],
            (Data::Struct(values), Step::Field(name)) => values.get_mut(name).expect("a field"),
            (other, _) => panic!("no parts: {other:?}"),
        })
    }

    /// The array that threads share to which `local` leads.
    fn memory_of(&self, local: LocalId) -> Option<LocalId> {
        let root = self.references.get(&local).map_or(local, |place| place.root);
        let declared = self.function.local(root);
        matches!(declared.ty, Type::Slice { .. } | Type::View { .. } | Type::Shared(_)).then_some(root)
    }

    /// The indices on the way that a reference leads.
    fn elements_of(&self, local: LocalId) -> Vec<u64> {
        let steps = self.references.get(&local).map_or(&[][..], |place| &place.steps);
        let indices = steps.iter().filter_map(|step| match step {
            Step::Index(index) => Some(*index),
            Step::Field(_) => None,
        });
        indices.collect()
    }

    fn touch(&mut self, array: LocalId, ty: &Type, element: Vec<u64>, writes: bool) {
        let mut touched = Vec::new();
        self.parts(ty, element, &mut touched);
        for part in touched {
            match self.function.local(array).kind {
                LocalKind::Param(param) => self.touched.push((param, part, writes)),
                _ => self.shared.push((self.barriers.len(), array, part, writes)),
            }
        }
    }

    /// The array in which `place` is, if threads share it.
    pub(super) fn memory(&self, place: &Expr) -> Option<LocalId> {
        match &place.kind {
            ExprKind::Local(local) => self.memory_of(*local),
            ExprKind::Index { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::TupleField { base, .. } => self.memory(base),
            _ => None,
        }
    }

    /// Reads or writes `place` in `array`.
    pub(super) fn access(&mut self, array: LocalId, place: &'f Expr, writes: bool) -> Outcome {
        let mut element = Vec::new();
        self.indices(place, &mut element)?;
        self.touch(array, &place.ty, element.clone(), writes);
        let first = match self.function.local(array) {
            Local { ty: Type::Slice { mutable: false, .. } | Type::View { mutable: false, .. }, kind: LocalKind::Param(param), .. } => {
                self.salt * (*param as u64 + 1)
            }
            _ => {
                self.received += 1;
                self.received
            }
        };
        let seed = element.iter().fold(first, |sum, index| sum.wrapping_add(*index));
        Ok(some_value(&place.ty, seed))
    }

    /// Evaluates and checks the indices of `place`, from the outermost on.
    fn indices(&mut self, place: &'f Expr, found: &mut Vec<u64>) -> Result<(), Flow> {
        match &place.kind {
            ExprKind::Local(local) => found.extend(self.elements_of(*local)),
            ExprKind::Index { base, .. } => {
                self.indices(base, found)?;
                self.last_indices(place, found)?;
            }
            ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } => self.indices(base, found)?,
            _ => self.last_indices(place, found)?,
        }
        Ok(())
    }

    /// The same of the last `[…]` alone.
    fn last_indices(&mut self, place: &'f Expr, found: &mut Vec<u64>) -> Result<(), Flow> {
        match &place.kind {
            ExprKind::Index { base, index, site } => {
                self.check_cast(index)?;
                let index = self.expr(index)?.int();
                let length = self.length(base);
                self.check(index, length, *site)?;
                found.push(index);
            }
            ExprKind::Element { base, indices, sites } => {
                for index in indices {
                    found.push(self.expr(index)?.int());
                }
                let shape = self.shapes[self.param(base)];
                for ((site, index), extent) in sites.iter().zip(found.iter()).zip(shape) {
                    self.check(*index, extent, *site)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All elements that a value of this type at `element` consists of.
    fn parts(&self, ty: &Type, element: Vec<u64>, found: &mut Vec<Vec<u64>>) {
        match ty {
            Type::Array(part, length) => {
                for index in 0..self.arithmetic(length.arithmetic()) {
                    self.parts(part, [element.as_slice(), &[index]].concat(), found);
                }
            }
            _ => found.push(element),
        }
    }

    fn length(&self, base: &Expr) -> u64 {
        match (&base.ty, &base.kind) {
            (Type::Array(_, length), _) => self.arithmetic(length.arithmetic()),
            (Type::Shared(array), _) => match &**array {
                Type::Array(_, length) => self.arithmetic(length.arithmetic()),
                other => panic!("no array: {other:?}"),
            },
            (_, ExprKind::Local(local)) => self.get(*local).int(),
            // Of a type that only rustc knows.
            _ => UNKNOWN_LENGTH,
        }
    }

    pub(super) fn arithmetic(&self, length: &Arithmetic) -> u64 {
        arithmetic(self.constants, length)
    }

    /// An operation on the atomic at `place`. The threads run one after the other, and all of them see the integers of parameters.
    pub(super) fn atomic(&mut self, whole: &'f Expr, method: AtomicMethod, place: &'f Expr, args: &'f [Expr]) -> Outcome {
        let mut element = Vec::new();
        self.indices(place, &mut element)?;
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<Data>, Flow>>()?;
        if let Some(old) = self.change_integer(method, place, element, &args)? {
            return Ok(if whole.ty == Type::Unit { UNIT } else { Data::Int(old) });
        }
        self.received += 1;
        // What was there may be anything.
        Ok(some_value(&whole.ty, self.received.wrapping_add(self.number_in_block())))
    }

    /// Does `method` to an integer of a parameter, if it is one of those that tests use to count. Gives what was there.
    fn change_integer(&self, method: AtomicMethod, place: &Expr, element: Vec<u64>, args: &[Data]) -> Result<Option<u64>, Flow> {
        let local = self.memory(place).map(|array| self.function.local(array).kind);
        let (Some(LocalKind::Param(param)), Type::Atomic(AtomicValue::Scalar(scalar))) = (local, &place.ty) else { return Ok(None) };
        if !scalar.is_integer() {
            return Ok(None);
        }
        let start = match element.iter().sum::<u64>() % 3 {
            // What mostly marks an element that no thread has been at.
            1 if self.salt == param as u64 => word(u64::MAX, *scalar),
            small => small,
        };
        let key = (param, element);
        let old = self.atomics.borrow().get(&key).copied().unwrap_or(start);
        let operator = match method {
            AtomicMethod::FetchAdd => Some(BinaryOp::Add),
            AtomicMethod::FetchSub => Some(BinaryOp::Subtract),
            AtomicMethod::FetchAnd => Some(BinaryOp::BitAnd),
            AtomicMethod::Load | AtomicMethod::Store | AtomicMethod::Swap => None,
            _ => return Ok(None),
        };
        let new = match (operator, args) {
            (Some(operator), [operand]) => operate(operator, *scalar, &Data::Int(old), operand)?.int(),
            (None, [new]) => new.int(),
            _ => old,
        };
        self.atomics.borrow_mut().insert(key, new);
        Ok(Some(old))
    }

    /// A function in which threads of a block may exchange values.
    pub(super) fn builtin(&mut self, builtin: Builtin, site: Option<SiteId>, ty: &Type) -> Data {
        if let (Effect::Collective, Some(site)) = (builtin.effect, site) {
            self.barriers.push(site);
        }
        if *ty == Type::Unit {
            return UNIT;
        }
        self.received += 1;
        // As many threads get the same as the function says.
        let seed = match builtin.uniform {
            Uniform::Block => self.barriers.len() as u64,
            Uniform::Warp => self.number_in_block() / 32,
            Uniform::No | Uniform::OfLane => self.received + self.number_in_block(),
        };
        some_value(ty, seed)
    }
}

impl Place {
    fn then(mut self, steps: impl IntoIterator<Item = Step>) -> Place {
        self.steps.extend(steps);
        self
    }
}

/// The value of a length.
pub(super) fn arithmetic(constants: &[(&'static str, u64)], length: &Arithmetic) -> u64 {
    let both = |operands: &[Arithmetic; 2]| (arithmetic(constants, &operands[0]), arithmetic(constants, &operands[1]));
    match length {
        Arithmetic::Number(number) => *number,
        Arithmetic::Constant(path) => constants.iter().find(|(name, _)| is_named(path, name)).expect("a constant of the crate").1,
        Arithmetic::Sum(operands) => both(operands).0 + both(operands).1,
        Arithmetic::Difference(operands) => both(operands).0 - both(operands).1,
        Arithmetic::Product(operands) => both(operands).0 * both(operands).1,
        Arithmetic::Quotient(dividend, divisor) => arithmetic(constants, dividend) / divisor,
        Arithmetic::Cast(_) => panic!("not generated: a cast"),
        Arithmetic::Other(tokens) => panic!("not generated: {tokens}"),
    }
}

/// A value of this type; of integers, a small one.
pub(super) fn some_value(ty: &Type, seed: u64) -> Data {
    match ty {
        Type::Array(element, length) => {
            let length = length.value().expect("a literal");
            Data::Tuple((0..length).map(|index| some_value(element, seed.wrapping_add(index))).collect())
        }
        Type::Tuple(parts) => Data::Tuple(parts.iter().map(|part| some_value(part, seed)).collect()),
        Type::Std(StdEnum::Result, arguments) => {
            let is_ok = seed.is_multiple_of(2);
            Data::Result(is_ok, Box::new(some_value(&arguments[usize::from(!is_ok)], seed)))
        }
        Type::Named(_) | Type::Opaque => Data::Unknown(seed),
        _ => match ty.as_scalar() {
            Some(Scalar::Bool) => Data::Bool(seed.is_multiple_of(2)),
            Some(scalar) if scalar.is_float() => Data::Float((seed % 5) as f64 - 1.0),
            _ => Data::Int(seed % 3),
        },
    }
}

/// A function of `value`; which one does not matter, unless the result is an index.
pub(super) fn float_method(name: &str, value: f64) -> f64 {
    match name {
        "abs" => value.abs(),
        "sqrt" => value.abs().sqrt(),
        "floor" => value.floor(),
        _ => value * 0.5,
    }
}

pub(super) fn operate_on_floats(op: BinaryOp, a: f64, b: f64) -> Data {
    match op {
        BinaryOp::Add => Data::Float(a + b),
        BinaryOp::Subtract => Data::Float(a - b),
        BinaryOp::Multiply => Data::Float(a * b),
        BinaryOp::Divide => Data::Float(a / b),
        BinaryOp::Remainder => Data::Float(a % b),
        BinaryOp::Equal => Data::Bool(a == b),
        BinaryOp::NotEqual => Data::Bool(a != b),
        BinaryOp::Less => Data::Bool(a < b),
        BinaryOp::LessEqual => Data::Bool(a <= b),
        BinaryOp::Greater => Data::Bool(a > b),
        BinaryOp::GreaterEqual => Data::Bool(a >= b),
        other => panic!("{} of floats", other.symbol()),
    }
}

pub(super) fn operate_on_conditions(op: BinaryOp, a: bool, b: bool) -> Data {
    Data::Bool(match op {
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor | BinaryOp::NotEqual => a != b,
        BinaryOp::Equal => a == b,
        other => panic!("{} of conditions", other.symbol()),
    })
}
