//! Which parameters of an `async` device function must be the same for all threads of a block, because barriers depend on them.
//!
//! A function does not see its callees, so what a caller must pass is a constant of each function, which may depend on those of the
//! functions that it calls. The caller asserts it by a type.

use super::Expr;

/// Parameters, or arguments, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ParameterSet(pub(crate) u32);

pub(crate) const NO_PARAMETERS: ParameterSet = ParameterSet(0);

impl ParameterSet {
    /// Parameters beyond these are in no set.
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

/// What a function needs of its callers, and passes to those that it calls.
#[derive(Debug, Clone)]
pub(crate) struct UniformParameters {
    /// The parameters that its own barriers depend on.
    pub(crate) required: ParameterSet,
    /// For each awaited call, in the order of [`awaited_calls`].
    pub(crate) calls: Vec<UniformArguments>,
}

impl UniformParameters {
    pub(crate) const NONE: UniformParameters = UniformParameters { required: NO_PARAMETERS, calls: Vec::new() };
}

#[derive(Debug, Clone)]
pub(crate) struct UniformArguments {
    /// The arguments that may differ between the threads of a block.
    pub(crate) divergent: ParameterSet,
    /// The arguments that are the same if these parameters of the caller are.
    pub(crate) through: Vec<(usize, ParameterSet)>,
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
