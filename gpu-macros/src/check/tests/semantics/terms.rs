//! Expressions of two variables of one type and an amount, as text and as what Rust computes.

use super::rust::{self, Operator};
use crate::model::*;
use std::collections::HashMap;

/// The number of an expression. Its parts have smaller ones.
pub(super) type TermId = usize;

pub(super) enum Operation {
    Variable(usize),
    Number(u64),
    Of(Operator, Vec<TermId>),
}

struct Term {
    text: String,
    ty: Scalar,
    /// It is a number or `bool`, not an `Option` or a tuple.
    is_integer: bool,
    /// Which of the three variables are in it.
    variables: [bool; 3],
}

/// Expressions, each once.
pub(super) struct Terms {
    /// The type of `a` and `b`. That of the amount `s` is `u32`.
    scalar: Scalar,
    terms: Vec<Term>,
    operations: Vec<Operation>,
    by_text: HashMap<String, TermId>,
    /// `let` statements that give numbers names: rustc refuses `x << 32` of a literal.
    constants: String,
}

impl Terms {
    pub(super) fn new(scalar: Scalar) -> Terms {
        let mut terms = Terms { scalar, terms: Vec::new(), operations: Vec::new(), by_text: HashMap::new(), constants: String::new() };
        for (number, (name, ty)) in [("a", scalar), ("b", scalar), ("s", Scalar::U32)].into_iter().enumerate() {
            terms.add(name.to_owned(), ty, true, Operation::Variable(number));
        }
        terms
    }

    fn add(&mut self, text: String, ty: Scalar, is_integer: bool, operation: Operation) -> TermId {
        if let Some(known) = self.by_text.get(&text) {
            return *known;
        }
        self.by_text.insert(text.clone(), self.terms.len());
        let variables = match &operation {
            Operation::Variable(variable) => [0, 1, 2].map(|other| other == *variable),
            Operation::Number(_) => [false; 3],
            Operation::Of(_, parts) => [0, 1, 2].map(|variable| parts.iter().any(|part| self.terms[*part].variables[variable])),
        };
        self.terms.push(Term { text, ty, is_integer, variables });
        self.operations.push(operation);
        self.terms.len() - 1
    }

    pub(super) const A: TermId = 0;
    pub(super) const B: TermId = 1;
    pub(super) const AMOUNT: TermId = 2;

    /// The variable that is parameter `number`.
    pub(super) fn variable(&self, number: usize) -> Option<TermId> {
        (number < 3).then_some(number)
    }

    pub(super) fn parameters(&self) -> String {
        let name = self.scalar.name();
        format!("a: {name}, b: {name}, s: u32")
    }

    pub(super) fn constants(&self) -> &str {
        &self.constants
    }

    pub(super) fn ids(&self) -> std::ops::Range<TermId> {
        0..self.terms.len()
    }

    pub(super) fn text(&self, term: TermId) -> &str {
        &self.terms[term].text
    }

    pub(super) fn ty(&self, term: TermId) -> Scalar {
        self.terms[term].ty
    }

    pub(super) fn is_integer(&self, term: TermId) -> bool {
        self.terms[term].is_integer
    }

    pub(super) fn variables(&self, term: TermId) -> [bool; 3] {
        self.terms[term].variables
    }

    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The integer of type `ty` that has this word.
    pub(super) fn number(&mut self, ty: Scalar, word: u64) -> TermId {
        let (name, integer) = (ty.name(), word.cast_signed());
        let (text, value) = match integer < 0 && ty.is_signed_integer() {
            true => (format!("{name}_minus_{}", integer.unsigned_abs()), format!("-{}", integer.unsigned_abs())),
            false => (format!("{name}_{word}"), word.to_string()),
        };
        if !self.by_text.contains_key(&text) {
            self.constants.push_str(&format!("let {text} = {value}{name}; "));
        }
        self.add(text, ty, true, Operation::Number(word))
    }

    pub(super) fn unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        let ty = self.ty(a);
        let symbol = match op {
            UnaryOp::Negate => "-",
            UnaryOp::Not => "!",
        };
        self.add(format!("({symbol}{})", self.text(a)), ty, true, Operation::Of(rust::unary(op, ty), vec![a]))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let (ty, operator) = (self.ty(a), rust::operator(op, self.ty(a)));
        if op.is_order() {
            let text = format!("{}.{}(&{})", self.text(a), op.symbol(), self.text(b));
            return self.add(text, ty, false, Operation::Of(operator, vec![a, b]));
        }
        let result = if op.is_comparison() { Scalar::Bool } else { ty };
        self.add(format!("({} {} {})", self.text(a), op.symbol(), self.text(b)), result, true, Operation::Of(operator, vec![a, b]))
    }

    /// `a && b`, or `a || b`.
    pub(super) fn both(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let symbol = op.symbol().repeat(2);
        let operator = rust::operator(op, Scalar::Bool);
        self.add(format!("({} {symbol} {})", self.text(a), self.text(b)), Scalar::Bool, true, Operation::Of(operator, vec![a, b]))
    }

    pub(super) fn cast(&mut self, a: TermId, to: Scalar) -> TermId {
        self.add(format!("({} as {})", self.text(a), to.name()), to, true, Operation::Of(rust::cast(to), vec![a]))
    }

    /// `None` if the type has no such method.
    pub(super) fn method(&mut self, method: Method, parts: &[TermId]) -> Option<TermId> {
        let ty = self.ty(parts[0]);
        let operator = rust::method(method, ty)?;
        let (result, is_integer) = match method.result {
            Operand::Same => (ty, true),
            Operand::Bool => (Scalar::Bool, true),
            Operand::U32 => (Scalar::U32, true),
            Operand::I32 => (Scalar::I32, true),
            Operand::Usize => (Scalar::Usize, true),
            Operand::Unsigned => (ty.to_unsigned(), true),
            Operand::Bytes | Operand::Pair | Operand::Overflowing | Operand::Checked | Operand::WithExponent => (ty, false),
        };
        let args: Vec<&str> = parts[1..].iter().map(|part| self.text(*part)).collect();
        let text = format!("{}.{}({})", self.text(parts[0]), method.name, args.join(", "));
        Some(self.add(text, result, is_integer, Operation::Of(operator, parts.to_vec())))
    }
}
