//! Where a thread is in its warp, and on which quotients the threads of a warp agree.
//!
//! A warp is 32 threads with consecutive numbers in their block; x counts first.

use super::walker::Walker;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;

/// The threads of a warp.
const THREADS: u64 = 32;
/// The last warp of the largest block.
const LAST_WARP: i128 = 31;

impl Walker<'_> {
    /// `lane_id()`.
    pub(crate) fn lane(&mut self) -> Value {
        let number = self.number_in_block();
        self.arithmetic(BinaryOp::Remainder, Scalar::Usize, number, Node::number(THREADS))
    }

    /// `warp_id()`.
    pub(crate) fn warp(&mut self) -> Value {
        let (number, threads) = (self.number_in_block(), Node::number(THREADS));
        let kind = Kind::Quotient(number.clone(), threads.clone());
        self.operation_of(
            Uniformity::Warp,
            kind,
            IntegerOperation::Quotient.of(Scalar::Usize),
            &[&number, &threads],
            Interval { least: 0, most: LAST_WARP },
        )
    }

    /// Which threads get the same from `warp_shuffle(…, lane)`: those that name the same lane, if a thread with that lane passes its value.
    ///
    /// A thread of a device function does not know which threads its callers have lost.
    pub(crate) fn spread_of_lane(&self, lane: &Value) -> Uniformity {
        let are_all_here = matches!(self.function.kind, FunctionKind::Kernel(_)) && self.return_spread <= Uniformity::Warp;
        let threads = self.constants.block.iter().try_fold(1u64, |threads, extent| threads.checked_mul(extent.form.as_constant()?));
        // The last warp has these lanes; the first one is there whatever the block is.
        let last = threads.map_or(1, |threads| if threads % THREADS == 0 { THREADS } else { threads % THREADS });
        let is_there = last == THREADS || lane.form.as_constant().is_some_and(|lane| lane % THREADS < last);
        if are_all_here && is_there { lane.spread.max(Uniformity::Warp) } else { Uniformity::Thread }
    }

    /// The number of a thread in its block.
    fn number_in_block(&mut self) -> Value {
        let block = self.constants.block.clone();
        let mut number = Node::number(0);
        // An axis with an extent of 1 has the coordinate 0.
        for axis in [Axis::Z, Axis::Y, Axis::X].into_iter().filter(|axis| block[*axis as usize].form.as_constant() != Some(1)) {
            let rows = self.arithmetic(BinaryOp::Multiply, Scalar::Usize, number, block[axis as usize].clone());
            number = self.arithmetic(BinaryOp::Add, Scalar::Usize, rows, Node::symbol(Symbol::thread_idx(axis)));
        }
        number
    }

    /// Which threads get the same result of a comparison. Of a value whose quotient by 32 is the same for a warp, where it is compared with a
    /// multiple of 32 that the warp agrees on, all threads of the warp do: they are all below it, or none is.
    pub(crate) fn spread_of_comparison(&self, op: BinaryOp, a: &Value, b: &Value) -> Uniformity {
        let spread = a.spread.max(b.spread);
        // `a < b`, or the opposite of `b < a`: in the integers, `a <= b` is `a < b + 1`.
        let (low, high) = match op {
            BinaryOp::Less | BinaryOp::GreaterEqual => (a, b),
            BinaryOp::Greater | BinaryOp::LessEqual => (b, a),
            _ => return spread,
        };
        let next = |value: &Value| value.form.plus(&NormalForm::constant(1));
        let is_of_warp = |whole: &NormalForm, of_lanes: &Value| is_of_whole_warps(whole) && self.is_one_in_warps(&of_lanes.form, THREADS);
        let is_same = spread == Uniformity::Thread && (is_of_warp(&high.form, low) || is_of_warp(&next(low), high));
        if is_same { Uniformity::Warp } else { spread }
    }

    /// Whether the threads of a warp have the same `dividend / divisor`, rounded down: it is `thread_idx().x` and a multiple of 32 that they
    /// agree on. (Wrap-around, and a cast, which drops high bits or copies the sign, keep a multiple of 32 one.)
    pub(crate) fn is_one_in_warps(&self, dividend: &NormalForm, divisor: u64) -> bool {
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|axis| self.constants.block[axis as usize].form.as_constant());
        let is_in_rows = (y, z) == (Some(1), Some(1)) || x.is_some_and(|extent| extent.is_multiple_of(THREADS));
        is_in_rows && divisor > 0 && divisor.is_multiple_of(THREADS) && is_aligned(dividend)
    }
}

/// Whether it is a multiple of 32 that the threads of a warp agree on, and in addition `thread_idx().x` at most once.
fn is_aligned(form: &NormalForm) -> bool {
    let whole = |(factors, x): &&(Vec<Symbol>, i64)| !is_whole(factors, *x);
    match form.terms.as_slice().iter().filter(whole).collect::<Vec<_>>()[..] {
        [] => true,
        [(factors, 1)] => match factors.as_slice() {
            [symbol] => match &symbol.kind {
                SymbolKind::ThreadIdx(axis) => *axis == Axis::X,
                SymbolKind::Operation(name, operands) => match operands.as_slice() {
                    [operand] => name.is_conversion_of_integers() && is_aligned(operand),
                    [a, b] => name.of_unsigned() == Some(IntegerOperation::Sum) && is_aligned(&a.plus(b)),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Whether it is a multiple of 32 that the threads of a warp agree on.
fn is_of_whole_warps(form: &NormalForm) -> bool {
    form.terms.as_slice().iter().all(|(factors, x)| is_whole(factors, *x))
}

fn is_whole(factors: &[Symbol], coefficient: i64) -> bool {
    coefficient.cast_unsigned().is_multiple_of(THREADS) && factors.iter().all(|symbol| symbol.spread <= Uniformity::Warp)
}
