//! Which parameters of an `async` device function must be the same for all threads of a block, because barriers depend on them, and when its
//! result is.
//!
//! A function does not see its callees, so what a caller must pass is a constant of each function, which may depend on those of the
//! functions that it calls. The caller asserts it by a type.

use super::Expr;

/// Parameters, arguments, or awaited calls, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ParameterSet(pub(crate) u32);

pub(crate) const NO_PARAMETERS: ParameterSet = ParameterSet(0);

impl ParameterSet {
    /// What has a number beyond these is in no set.
    pub(crate) const MOST: usize = 32;

    pub(crate) fn of(numbers: impl IntoIterator<Item = usize>) -> Self {
        ParameterSet(numbers.into_iter().filter(|number| *number < Self::MOST).fold(0, |set, number| set | 1 << number))
    }

    pub(crate) fn contains(self, number: usize) -> bool {
        number < Self::MOST && self.0 >> number & 1 == 1
    }

    pub(crate) fn without(self, number: usize) -> Self {
        ParameterSet(self.0 & !Self::of([number]).0)
    }

    pub(crate) fn numbers(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |number| self.contains(*number))
    }

    pub(crate) fn is_empty(self) -> bool {
        self == NO_PARAMETERS
    }
}

/// What a function needs of its callers, passes to those that it calls, and returns.
#[derive(Debug, Clone)]
pub(crate) struct UniformParameters {
    /// The parameters that its own barriers depend on.
    pub(crate) required: ParameterSet,
    /// For each awaited call, in the order of [`awaited_calls`].
    pub(crate) calls: Vec<UniformArguments>,
    /// When all threads of a block get the same result. `None` if they may always differ.
    pub(crate) result: Option<UniformResult>,
}

impl UniformParameters {
    pub(crate) const NONE: UniformParameters = UniformParameters { required: NO_PARAMETERS, calls: Vec::new(), result: None };
}

/// What must be the same for all threads of a block so that the result of a function is.
#[derive(Debug, Clone)]
pub(crate) struct UniformResult {
    pub(crate) parameters: ParameterSet,
    /// The results of these calls, each with its arguments that may differ then.
    pub(crate) calls: Vec<(usize, ParameterSet)>,
}

/// What a walk takes to be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Assumed {
    /// The parameters that are the same for all threads of a block.
    pub(crate) parameters: ParameterSet,
    /// The awaited calls, in the order of [`awaited_calls`], whose results are.
    pub(crate) results: ParameterSet,
    /// The extents of the blocks.
    pub(crate) block: Option<[u64; 3]>,
    /// Whether constants have the [numbers](Function::numbers) that the text around the function gives them, and loops as many
    /// [rounds](crate::check::walk::known_rounds) as numbers say.
    pub(crate) numbers: bool,
    /// Whether a thread may go on after an index that is out of bounds.
    pub(crate) goes_on: bool,
    /// Whether each parameter that is a `usize` has 32 bits, and the length of each slice.
    pub(crate) fits: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct UniformArguments {
    /// The arguments that may differ between the threads of a block.
    pub(crate) divergent: ParameterSet,
    /// The arguments that are the same if these parameters of the caller are.
    pub(crate) through: Vec<(usize, ParameterSet)>,
    /// Whether a barrier depends on the result. Then, the arguments that may differ.
    pub(crate) decides: Option<ParameterSet>,
}

/// The awaited calls in a body, in an order that both sides agree on.
pub(crate) fn awaited_calls(body: &super::Block) -> Vec<&Expr> {
    let mut found = Vec::new();
    body.for_each_child(&mut |expr| collect(expr, &mut found));
    found
}

fn collect<'f>(expr: &'f Expr, found: &mut Vec<&'f Expr>) {
    if let super::ExprKind::Call { awaited: true, .. } = expr.kind {
        found.push(expr);
    }
    expr.for_each_child(&mut |child| collect(child, found));
}
