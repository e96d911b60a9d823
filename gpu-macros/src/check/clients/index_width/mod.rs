//! Whether a kernel computes the same with a `usize` of 32 bits, and on which launches.
//!
//! A GPU computes 64 bits in two instructions or more, and keeps them in two registers. The low 32 bits of a sum, difference or product
//! follow from those of its operands, so a `usize` whose high bits nothing looks at may lose them, even if it wraps around in between.
//! What does look at all bits is *demanding*: a comparison, a division, a cast to more bits, the limits of a loop, the argument of a
//! function, an element that is stored. There, the value must be below 2³², which the launch compares its bounds with.
//!
//! An index is not demanding, if it is proved to be in bounds and the array has fewer than 2³² elements. A view must lie compactly: its offsets
//! need at most 31 bits, and its last axis has no stride, so that the last index is not multiplied.
//!
//! An index that every launch checks is a [wide](wide_operands) expression: its sums and products are computed in 64 bits, of operands that
//! must be below the limit. So a gathered index needs no bound. The usual ones are [casts](signed), which need no 64 bits. One that only some
//! launches check has a bound, which must be below the limit where it is checked. A number that may have more bits, such as a cast of an `i32`,
//! is compared in 64 bits in the same way.
//!
//! Some variables are below the limit whatever happens: counters, whose ends are; the parameters of closures, whose arguments are; and those
//! that are only given casts of 32 bits and small literals. Another variable is below it where nothing bounds it, if all that it is given is:
//! in `while i < n { i *= 2; }`, what is given to `i` is below `2 * n`.
//!
//! A variable that an operator makes smaller, as `n >>= 1`, stays below the limit if it was; so all that it is given otherwise must be.
//!
//! The counter of a loop with a step has that added after the last round. Where the launch shows that this does not reach the limit either, the
//! loop is a [plain](Narrow::plain_loops) one.
//!
//! What lies in memory has 64 bits there. A field is read as its low bits.
//!
//! A device function is called in 32 bits by what has 32 bits itself, with arguments below the limit and slices of as many elements. It knows
//! nothing else of its launch, so that must suffice. What it returns is demanding. A caller may *rely* on that: then it computes in 32 bits
//! where the function does, and all that this relies on, which the program knows in which they are put together.
//!
//! Every other use of a `usize`, and every other expression that makes one, keeps the kernel at 64 bits.

mod prove;
mod signed;
mod small;
mod visit;

use crate::model::*;
use crate::vec_map::VecMap;
pub(crate) use prove::{Checks, Demanded};
pub(crate) use signed::{CastIndex, LONGEST, SignedLocals};
pub(crate) use small::SmallOperations;
use std::collections::{HashMap, HashSet};

/// The number of values of 32 bits.
pub(crate) const LIMIT: i128 = 1 << 32;

/// Why a function has no program in which a `usize` has 32 bits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum KeepsWide {
    /// Nothing asks, as of array functions and of kernels that are not written in Rust or compute with tiles.
    NotConsidered,
    /// It would not be faster.
    NoGain,
    /// Another type than `usize` has one in it, or a reference leads to one.
    Variable(LocalId),
    /// This use of a `usize` has 64 bits.
    Use(*const Expr),
    /// This value may be 2³² or more, as far as is known.
    Unbounded(*const Expr),
    /// This index of a view is checked by every launch.
    Checked(SiteId),
    /// No launch has what 32 bits need.
    NoLaunch,
}

/// What must hold of a kernel's expressions, that it may compute in 32 bits.
#[derive(Default)]
pub(crate) struct Narrow {
    /// The first expression that needs 64 bits.
    refused: Option<*const Expr>,
    /// The expressions whose values must be below the limit.
    pub(crate) demanding: HashSet<*const Expr>,
    /// Those of them that bound a counter to which the number of threads is added.
    strided: HashSet<*const Expr>,
    /// The indices that must be proved to be in bounds.
    sites: Vec<SiteId>,
    /// The indices that are wide where they are not proved to be in bounds.
    indices: Vec<Index>,
    /// For variables that are declared here, whether all that they are given is below the limit.
    limited: HashMap<LocalId, bool>,
    /// What else they are given: a value, or the place that an operator assigns to.
    given: HashMap<LocalId, Vec<*const Expr>>,
    /// The variables that are demanding expressions.
    locals: HashMap<*const Expr, LocalId>,
    /// Whether quotients by other numbers than literals are computed, and products of two such numbers.
    divides: bool,
    multiplies: bool,
    /// The variables that are given what is read from memory.
    gathered: HashSet<LocalId>,
    /// The variables that are declared as what is read from memory.
    loaded: HashSet<LocalId>,
    /// Whether an index is computed as a product of what is read from memory.
    scales_loaded: bool,
    /// The variables that an operator makes smaller which looks at all bits, each with a place where it does.
    shrunk: VecMap<LocalId, *const Expr>,
    /// The counters of loops from a start up to an end, in steps: with the end and the step.
    stepped: Vec<(LocalId, *const Expr, *const Expr)>,
    pub(crate) signed: SignedLocals,
    /// Whether an index is computed from a signed number, or looked up by one that was looked up before.
    casts_index: bool,
    /// The operations that indices of arrays in global memory are computed by in loops, each behind its operands but for literals.
    sums: Vec<(SiteId, small::SumOf)>,
    /// The same that variables are declared with.
    inits: HashMap<LocalId, Vec<small::SumOf>>,
    /// How many loops there are around what is visited.
    loops: usize,
    /// What is computed in 64 bits to be compared.
    compared: Vec<*const Expr>,
    /// The calls of device functions with arguments of known types, which therefore are below the limit.
    calls: HashSet<*const Expr>,
    /// Those calls whose results must be below the limit.
    relied: HashSet<*const Expr>,
    /// The constants that are passed, of those that are integers.
    constants: Vec<ConstantExpr>,
    numbers: HashSet<String>,
}

/// An index of an array.
struct Index {
    site: SiteId,
    expr: *const Expr,
    /// What is computed in 64 bits where every launch checks it, and of which operands.
    wide: Vec<*const Expr>,
    operands: Vec<*const Expr>,
    /// Of a cast: the constant that it is multiplied with, and what must be less.
    constant: Option<(ConstantExpr, i128)>,
}

/// Of an index that is checked: what it is computed of in 64 bits. `None` for an expression of 32 bits.
pub(crate) fn wide_operands<'e>(expr: &'e Expr, signed: &SignedLocals) -> Option<Vec<&'e Expr>> {
    match &expr.kind {
        _ if !is_index(&expr.ty) => None,
        _ if signed.has(expr) => Some(Vec::new()),
        ExprKind::Int(_) | ExprKind::Call { .. } => Some(Vec::new()),
        ExprKind::Cast { operand, .. } if !holds_index(&operand.ty) => Some(Vec::new()),
        ExprKind::Unary { op: UnaryOp::Not, operand } => Some(vec![operand]),
        ExprKind::Binary { op, left, right, .. } if is_index(&left.ty) => match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => matches!(right.kind, ExprKind::Int(_)).then(|| vec![&**left]),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                Some(vec![left, right])
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether two indices are compared in 64 bits, because one is a cast of what may have more than 32.
pub(crate) fn is_wide_comparison(op: BinaryOp, left: &Expr, right: &Expr, signed: &SignedLocals) -> bool {
    let is_cast = |expr: &Expr| {
        signed.has(expr) || matches!(&expr.kind, ExprKind::Cast { operand, .. } if !holds_index(&operand.ty)) && !has_few_bits(expr)
    };
    op.is_comparison() && is_index(&left.ty) && is_index(&right.ty) && (is_cast(left) || is_cast(right))
}

/// Whether a kernel gains by 32 bits: if it divides, if it multiplies and has no loop, if it looks up by what it looked up before and so waits
/// for each address, or if it computes indices of arrays in shared or local memory, or of views, whose offsets need a multiplication of 64 bits
/// for each axis. An address of global memory has 64 bits, and of `x[i * n + j]` in a loop, the compiler adds to the address and computes no
/// index, unless that has 32 bits and may wrap around. Of a gathered row, as in `x[rows[k] as usize * n + j]`, it has nothing to add to, and
/// multiplies for each.
///
/// What a device function has by reference is mostly an array of its caller. One that returns an index does so for callers that rely on it.
pub(crate) fn pays(function: &Function, narrow: &Narrow) -> bool {
    let is_array =
        |local: &Local| matches!(local.ty, Type::Shared(_) | Type::Array(..)) && (is_device_function(function) || !local.is_reference());
    let computes = narrow.divides || narrow.scales_loaded || narrow.multiplies && !has_loop(function);
    let is_about_indices = is_index(&function.output) || !narrow.relied.is_empty() || narrow.follows_gathered() || narrow.casts_index;
    function.locals.iter().any(is_array) || has_view(function) || computes || is_about_indices
}

/// Whether it also gains by 32 bits that only the numbers of constants show to be enough. Addresses of shared memory have 32 bits in any case: a
/// convolution of columns took 1.04 times as long as with 64 (H200, 2026-11-30). A local array that is a ring took 0.97 times as long.
pub(crate) fn pays_by_numbers(function: &Function, narrow: &Narrow) -> bool {
    let is_local_array = |local: &Local| matches!(local.ty, Type::Array(..)) && !local.is_reference();
    narrow.divides || !narrow.calls.is_empty() || function.locals.iter().any(is_local_array)
}

fn is_device_function(function: &Function) -> bool {
    matches!(function.kind, FunctionKind::Device)
}

fn has_loop(function: &Function) -> bool {
    function.body.any(&|expr| matches!(expr.action(), Action::Loop))
}

fn has_view(function: &Function) -> bool {
    function.locals.iter().any(|local| local.ty.view().is_some())
}

impl Narrow {
    /// An error if the function has a use of a `usize` that needs 64 bits. Also for a kernel that has neither a loop, a view, a product, a division
    /// nor a call that it relies on: then it waits for memory, not for arithmetic.
    pub(crate) fn of(function: &Function) -> Result<Narrow, KeepsWide> {
        let is_kernel = matches!(function.kind, FunctionKind::Kernel(_));
        if !(is_kernel || may_be_called_narrow(function)) || function.foreign.is_some() || function.is_tiled() {
            return Err(KeepsWide::NotConsidered);
        }
        if let Some(variable) = function.locals.iter().position(|local| !may_be_narrow(local)) {
            return Err(KeepsWide::Variable(LocalId(variable)));
        }
        let numbers = function.numbers.iter().map(|known| known.name.to_string()).collect();
        let mut narrow = Narrow { signed: SignedLocals::of(function), numbers, ..Narrow::default() };
        if !narrow.body(function) {
            return Err(narrow.refused.map_or(KeepsWide::NotConsidered, KeepsWide::Use));
        }
        let computes = narrow.divides || narrow.multiplies || narrow.casts_index || !narrow.relied.is_empty();
        let may_gain = !is_kernel || has_loop(function) || has_view(function) || computes;
        if may_gain { Ok(narrow) } else { Err(KeepsWide::NoGain) }
    }

    /// The calls that may be of functions in 32 bits, each with whether the result must be below the limit.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (*const Expr, bool)> {
        self.calls.iter().map(|call| (*call, self.relied.contains(call)))
    }

    /// The expressions whose values [`Narrow::prove`] looks at.
    pub(crate) fn recorded(&self) -> HashSet<*const Expr> {
        let of_indices = self.indices.iter().flat_map(|index| index.operands.iter().chain([&index.expr]));
        let given = self.locals.values().filter_map(|local| self.given.get(local)).flatten();
        let of_steps = self.stepped.iter().flat_map(|(_, end, step)| [end, step]);
        of_indices.chain(&self.demanding).chain(given).chain(of_steps).chain(self.parts_of_sums()).copied().collect()
    }

    /// Whether an index is computed of a variable that is given one value from memory after the other.
    fn follows_gathered(&self) -> bool {
        let is_gathered = |operand: &*const Expr| self.locals.get(operand).is_some_and(|local| self.gathered.contains(local));
        self.indices.iter().flat_map(|index| &index.operands).any(is_gathered)
    }

    /// What is computed in 64 bits.
    #[cfg(test)]
    pub(crate) fn wide(&self, bounds: &[Bound]) -> HashSet<*const Expr> {
        self.checked(bounds).flat_map(|index| &index.wide).chain(&self.compared).copied().collect()
    }

    /// The indices that every launch checks.
    #[cfg(test)]
    fn checked(&self, bounds: &[Bound]) -> impl Iterator<Item = &Index> {
        self.indices.iter().filter(|index| bounds[index.site.0] == Bound::Unknown)
    }

    /// The casts among them.
    #[cfg(test)]
    pub(crate) fn casts(&self, bounds: &[Bound]) -> HashSet<*const Expr> {
        self.checked(bounds).map(|index| index.expr).collect()
    }

    /// Whether `expr` is a variable that is always below the limit, or a call that is relied on.
    fn is_limited(&self, expr: *const Expr) -> bool {
        self.relied.contains(&expr) || self.locals.get(&expr).is_some_and(|local| self.limited.get(local) == Some(&true))
    }
}

/// `x[i] as usize`
fn is_cast_element(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Cast { operand, .. } if matches!(operand.kind, ExprKind::Index { .. }))
}

/// Whether a value is below the limit by its form.
fn has_few_bits(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(literal) => u32::try_from(literal.value).is_ok(),
        // Then it is relied on.
        ExprKind::Call { .. } => is_index(&expr.ty),
        ExprKind::Cast { operand, .. } => operand.ty.as_scalar().is_some_and(|from| from.is_unsigned_integer() && from.bits() <= 32),
        _ => false,
    }
}

/// Whether a function may be one that is called in 32 bits. Methods are not, nor are functions that get views, which may not lie compactly, nor
/// those of whose result only rustc knows whether it is a `usize`: then nothing demands it.
fn may_be_called_narrow(function: &Function) -> bool {
    let is_plain = !function.has_receiver && !function.is_async && function.returns == Holds::Value;
    is_device_function(function) && is_plain && !has_view(function) && matches!(function.output, Type::Unit | Type::Scalar(_))
}

/// Whether a variable can have 32 bits, if it is a `usize`, or what is not one can stay what it is.
fn may_be_narrow(local: &Local) -> bool {
    match (&local.ty, local.kind) {
        (Type::Slice { .. } | Type::View { .. }, LocalKind::Param(_)) => true,
        (Type::Function(_), LocalKind::Param(_)) | (Type::Slice { .. } | Type::View { .. }, _) => false,
        (Type::Function(_), _) => true,
        (ty, _) => !holds_index(ty) || (is_index(ty) && !local.is_reference()),
    }
}

fn is_index(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Usize))
}

/// Whether a value of the type has a `usize` in it.
fn holds_index(ty: &Type) -> bool {
    match ty {
        Type::Scalar(Scalar::Usize) | Type::Dim3 => true,
        // Its elements stay in memory.
        Type::Slice { .. } | Type::View { .. } => false,
        _ => {
            let mut found = false;
            ty.for_each_part(&mut |part| found = found || holds_index(part));
            found
        }
    }
}

/// Whether the macro knows whether a value of the type is a `usize`. A name may be one for that.
fn is_known(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Scalar(_)
            | Type::Parameter(_)
            | Type::Tuple(_)
            | Type::Std(..)
            | Type::Array(..)
            | Type::Slice { .. }
            | Type::Shared(_)
            | Type::Atomic(_)
            | Type::View { .. }
    )
}

fn is_name(pattern: &Pattern) -> bool {
    matches!(pattern.kind, PatternKind::Wildcard | PatternKind::Bind { sub: None, .. })
}

/// Whether the compiler knows it.
fn is_number(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Int(_) | ExprKind::Constant(_))
}

/// Whether it is a literal by which a shift keeps some of 32 bits.
fn is_small_amount(amount: &Expr) -> bool {
    matches!(&amount.kind, ExprKind::Int(literal) if literal.value < 32)
}

/// A method of a `usize` that counts some of its bits.
pub(crate) fn counts_bits(method: Method) -> bool {
    matches!(method, Method::TrailingZeros | Method::LeadingZeros | Method::CountOnes)
}

/// A method of a `usize` whose result is no `usize`, and the same of as many bits as the number needs.
fn asks_about_all_bits(method: Method) -> bool {
    matches!(method, Method::IsPowerOfTwo | Method::Ilog2 | Method::Ilog10)
}

/// A method whose result has the low bits that those of its operands make.
fn follows_from_low_bits(method: Method) -> bool {
    matches!(method, Method::WrappingAdd | Method::WrappingSub | Method::WrappingMul | Method::Pow)
}

/// A method that makes a number of 32 bits of such numbers, whatever the width in which it computes.
fn makes_no_more_bits(method: Method) -> bool {
    let is_other = || matches!(method, Method::Min | Method::Max | Method::Clamp | Method::SaturatingSub | Method::AbsDiff | Method::Isqrt);
    is_division(method) || is_other()
}

fn is_division(method: Method) -> bool {
    matches!(method, Method::DivCeil | Method::DivEuclid | Method::RemEuclid)
}

/// `y`, in `(!y).trailing_zeros()`: the high bits of `!y` are known if `y` is below the limit.
pub(crate) fn complement_of(method: Method, receiver: &Expr) -> Option<&Expr> {
    match &receiver.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } if method == Method::TrailingZeros => Some(operand),
        _ => None,
    }
}
