//! Operators of types that the macro does not see: numbers, vectors, complex numbers, and users' types with `#[gpu_device] impl Add`.

use super::arithmetic::{Arithmetic, Negate};
use super::bits::Bits;
use super::division::{self, Divide, defined};
use super::pairs::{ArithmeticWith, DivideBy};
use std::marker::PhantomData;

use crate::backend::cpu::{Stop, Thread};
use crate::failure::IntegerOperation::{Addition, Multiplication, Subtraction};
use crate::source::{CType, Callee, DeviceType, DeviceTypesCannotImplementDeref, KernelType, any};

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}
    )+};
}

operators! {
    /// `a + b`
    Add
    /// `a - b`
    Sub
    /// `a * b`
    Mul
    /// `a / b`
    Div
    /// `a % b`
    Rem
    /// `a & b`
    BitAnd
    /// `a | b`
    BitOr
    /// `a ^ b`
    BitXor
    /// `-a`
    Neg
    /// `!a`
    Not
    /// `a == b`
    Equal
    /// `a.partial_cmp(&b)`, `a < b`
    PartialOrder
    /// `a.cmp(&b)`
    TotalOrder
}

/// A type with the operator `Op` in kernels, where the right operand is of type `Right`.
///
/// # Safety
///
/// The CUDA C of the function computes the same: that of `callee`, or what the snippets of the runtime have for these types.
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` and `{Right}` is not supported in kernels",
    label = "kernels do not have this operator for these types",
    note = "for a type of your own, write `#[gpu_device]` above the `impl` of the operator",
    note = "numbers have operators with numbers of the same type; complex numbers have `+`, `-`, `*` and `/`: for others, compute with `z.re` and `z.im`"
)]
pub unsafe trait Operator<Op, Right>: Copy {
    /// The type of the result.
    type Output;
    /// `self op right`, which may fail at `site`.
    #[doc(hidden)]
    fn apply(self, right: Right, thread: &Thread<'_>, site: Option<u32>) -> Result<Self::Output, Stop>;
    /// The CUDA C of a user's operator.
    #[doc(hidden)]
    fn callee() -> Option<Callee> {
        None
    }
}

/// The operator `Op` of operands of which the left or the right one is a reference: `&a + b`.
#[derive(Debug)]
pub struct Referring<Op, const LEFT: bool, const RIGHT: bool>(PhantomData<fn() -> Op>);

/// A type with the operator `Op` in kernels where the left or the right operand, or both, are references to values of these types.
///
/// # Safety
///
/// As for [`Operator`].
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` and `{Right}` is not declared for references in kernels",
    label = "one of the two operands is a reference, or both are",
    note = "use the values: write `*a` for a reference `a`, and `a` for `&a`",
    note = "or declare the operator for references, such as `#[gpu_device] impl Add<&B> for &A`"
)]
pub unsafe trait ReferenceOperator<Op, const LEFT: bool, const RIGHT: bool, Right>: Copy {
    /// The type of the result.
    type Output;
    /// `self op right`, which may fail at `site`.
    #[doc(hidden)]
    fn apply(self, right: Right, thread: &Thread<'_>, site: Option<u32>) -> Result<Self::Output, Stop>;
    /// The CUDA C of a user's operator.
    #[doc(hidden)]
    fn callee() -> Option<Callee> {
        None
    }
}

// SAFETY: it is the same.
unsafe impl<Op, A: ReferenceOperator<Op, LEFT, RIGHT, B>, B, const LEFT: bool, const RIGHT: bool> Operator<Referring<Op, LEFT, RIGHT>, B>
    for A
{
    type Output = A::Output;
    #[inline(always)]
    #[cfg_attr(debug_assertions, track_caller)]
    fn apply(self, right: B, thread: &Thread<'_>, site: Option<u32>) -> Result<Self::Output, Stop> {
        ReferenceOperator::apply(self, right, thread, site)
    }
    fn callee() -> Option<Callee> {
        <A as ReferenceOperator<Op, LEFT, RIGHT, B>>::callee()
    }
}

/// A type with the operator `Op` before it in kernels.
///
/// # Safety
///
/// As for [`Operator`].
#[diagnostic::on_unimplemented(
    message = "this operator of `{Self}` is not supported in kernels",
    label = "kernels do not have this operator for this operand",
    note = "if the operand is a reference, use its value: write `-*a` for a reference `a`, and `-a` for `-&a`",
    note = "for a type of your own, write `#[gpu_device]` above the `impl` of the operator"
)]
pub unsafe trait UnaryOperator<Op>: Copy {
    /// The type of the result.
    type Output;
    /// `op self`
    #[doc(hidden)]
    fn apply(self, thread: &Thread<'_>) -> Result<Self::Output, Stop>;
    /// The CUDA C of a user's operator.
    #[doc(hidden)]
    fn callee() -> Option<Callee> {
        None
    }
}

/// What an assignment ends with. (Messages of rustc show the functions below.)
#[doc(hidden)]
pub type Assigned = Result<(), Stop>;

/// A type with an `impl` of the assignment of operator `Op`, such as `AddAssign` for [`Add`], with `#[gpu_device]`.
///
/// # Safety
///
/// The CUDA C of `callee` computes the same.
#[diagnostic::on_unimplemented(
    message = "the compound assignment of `{Self}` and `{Right}` has an `impl` without `#[gpu_device]`",
    label = "kernels do not know what this assignment does",
    note = "write `#[gpu_device]` above that `impl`, such as `impl AddAssign`, or write `a = a + b`"
)]
pub unsafe trait AssignmentOperator<Op, Right> {
    /// `self op= right`
    #[doc(hidden)]
    fn apply(&mut self, right: Right, thread: &Thread<'_>) -> Assigned;
    /// The CUDA C of the user's function.
    #[doc(hidden)]
    fn callee() -> Option<Callee>;
}

/// `place op= right`, of which a method follows.
#[derive(Debug)]
pub struct Assignment<'p, Op, A, B> {
    place: &'p mut A,
    right: B,
    op: PhantomData<fn() -> Op>,
}

/// `place op= right`, where `place` may be of a type with a `#[gpu_device] impl` of that assignment.
#[inline(always)]
pub fn assignment<Op, A, B>(place: &mut A, right: B) -> Assignment<'_, Op, A, B> {
    Assignment { place, right, op: PhantomData }
}

macro_rules! of_own_types {
    ($($Op:ident: $Assign:ident)+) => {$(
        impl<A: DeviceTypesCannotImplementDeref + std::ops::$Assign<B>, B> Assignment<'_, $Op, A, B> {
            /// The same, of a type with `#[derive(DeviceType)]` that has this assignment: it may be another than that of the operator.
            #[inline(always)]
            #[must_use]
            pub fn declared(self) -> Self
            where
                A: AssignmentOperator<$Op, B>,
            {
                self
            }
        }
    )+};
}

of_own_types! {
    Add: AddAssign
    Sub: SubAssign
    Mul: MulAssign
    Div: DivAssign
    Rem: RemAssign
    BitAnd: BitAndAssign
    BitOr: BitOrAssign
    BitXor: BitXorAssign
}

/// What rustc finds for other types, and for those without the assignment.
pub trait NotDeclared: Sized {
    /// The same.
    #[inline(always)]
    #[must_use]
    fn declared(self) -> Self {
        self
    }
}

impl<Op, A, B> NotDeclared for Assignment<'_, Op, A, B> {}

impl<Op, A: AssignmentOperator<Op, B>, B> Assignment<'_, Op, A, B> {
    /// What the user's function does.
    #[inline(always)]
    pub fn assign(self, thread: &Thread<'_>, _: Option<u32>) -> Assigned {
        self.place.apply(self.right, thread)
    }
}

/// What rustc finds for types without such an `impl`: `place = place op right`.
pub trait AssignResult<Op, A, B> {
    /// `place = place op right`
    fn assign(self, thread: &Thread<'_>, site: Option<u32>) -> Assigned
    where
        A: Operator<Op, B, Output = A>;
}

impl<Op, A, B> AssignResult<Op, A, B> for Assignment<'_, Op, A, B> {
    #[inline(always)]
    #[cfg_attr(debug_assertions, track_caller)]
    fn assign(self, thread: &Thread<'_>, site: Option<u32>) -> Assigned
    where
        A: Operator<Op, B, Output = A>,
    {
        *self.place = (*self.place).apply(self.right, thread, site)?;
        Ok(())
    }
}

macro_rules! binary {
    ($($Op:ident: $Own:ident + $Bound:ident<$B:ident> |$a:ident, $b:ident, $thread:ident, $site:ident| $result:expr => $Output:ty;)+) => {$(
        // SAFETY: the trait's own operators are in the snippets.
        // `$Own` has no parameters, so that rustc sees that no type of another crate has it, and `impl<T> Mul<T> for Dual<T>` is another.
        #[diagnostic::do_not_recommend]
        unsafe impl<A: $Own + $Bound<$B>, $B> Operator<$Op, $B> for A {
            type Output = $Output;
            #[inline(always)]
            #[cfg_attr(debug_assertions, track_caller)]
            fn apply(self, right: $B, $thread: &Thread<'_>, $site: Option<u32>) -> Result<Self::Output, Stop> {
                let ($a, $b) = (self, right);
                $result
            }
        }

        // SAFETY: a reference is its value in CUDA C.
        #[diagnostic::do_not_recommend]
        unsafe impl<A: $Own + $Bound<$B>, $B, const LEFT: bool, const RIGHT: bool> ReferenceOperator<$Op, LEFT, RIGHT, $B> for A {
            type Output = $Output;
            #[inline(always)]
            #[cfg_attr(debug_assertions, track_caller)]
            fn apply(self, right: $B, thread: &Thread<'_>, site: Option<u32>) -> Result<Self::Output, Stop> {
                Operator::<$Op, $B>::apply(self, right, thread, site)
            }
        }
    )+};
}

binary! {
    Add: Arithmetic + ArithmeticWith<B> |a, b, thread, _site| {
        thread.watch(|| ArithmeticWith::overflow(a, Addition, &b));
        Ok(ArithmeticWith::add(a, b))
    } => <A as ArithmeticWith<B>>::Output;
    Sub: Arithmetic + ArithmeticWith<B> |a, b, thread, _site| {
        thread.watch(|| ArithmeticWith::overflow(a, Subtraction, &b));
        Ok(ArithmeticWith::sub(a, b))
    } => <A as ArithmeticWith<B>>::Output;
    Mul: Arithmetic + ArithmeticWith<B> |a, b, thread, _site| {
        thread.watch(|| ArithmeticWith::overflow(a, Multiplication, &b));
        Ok(ArithmeticWith::mul(a, b))
    } => <A as ArithmeticWith<B>>::Output;
    Div: Divide + DivideBy<B> |a, b, thread, site| defined(thread, DivideBy::div(a, b), at(site)) => <A as DivideBy<B>>::Output;
}

// SAFETY: `Remainder` is sealed, and `ops.cu` has its functions.
#[diagnostic::do_not_recommend]
unsafe impl<T: division::Remainder> Operator<Rem, T> for T {
    type Output = T;
    #[inline(always)]
    fn apply(self, right: T, thread: &Thread<'_>, site: Option<u32>) -> Result<T, Stop> {
        defined(thread, self.rem(right), at(site))
    }
}

/// The place of what can fail: it always has one where kernels do it.
#[inline(always)]
pub(super) fn at(site: Option<u32>) -> u32 {
    site.expect("what can fail has a site")
}

macro_rules! same {
    ($($Op:ident $name:ident)+) => {$(
        // SAFETY: `Bits` is sealed, and `ops.cu` has its functions.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: Bits> Operator<$Op, T> for T {
            type Output = T;
            #[inline(always)]
            fn apply(self, right: T, _: &Thread<'_>, _: Option<u32>) -> Result<T, Stop> {
                Ok(Bits::$name(self, right))
            }
        }
    )+};
}

same! { BitAnd bitand BitOr bitor BitXor bitxor }

macro_rules! of_references {
    ($($Op:ident for $Bound:path;)+) => {$(
        // SAFETY: a reference is its value in CUDA C.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: $Bound, const LEFT: bool, const RIGHT: bool> ReferenceOperator<$Op, LEFT, RIGHT, T> for T {
            type Output = T;
            #[inline(always)]
            #[cfg_attr(debug_assertions, track_caller)]
            fn apply(self, right: T, thread: &Thread<'_>, site: Option<u32>) -> Result<T, Stop> {
                Operator::<$Op, T>::apply(self, right, thread, site)
            }
        }
    )+};
}

of_references! {
    Rem for division::Remainder;
    BitAnd for Bits;
    BitOr for Bits;
    BitXor for Bits;
}

macro_rules! unary {
    ($($Op:ty, for $Bound:ident: |$a:ident, $thread:pat_param| $result:expr;)+) => {$(
        // SAFETY: the bound is sealed, and `ops.cu` has its function. A reference is its value in CUDA C.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: $Bound> UnaryOperator<$Op> for T {
            type Output = T;
            #[inline(always)]
            #[cfg_attr(debug_assertions, track_caller)]
            fn apply(self, $thread: &Thread<'_>) -> Result<T, Stop> {
                let $a = self;
                Ok($result)
            }
        }
    )+};
}

unary! {
    Neg, for Negate: |a, thread| thread.neg(a);
    Referring<Neg, true, false>, for Negate: |a, thread| thread.neg(a);
    Not, for Bits: |a, _| Bits::not(a);
    Referring<Not, true, false>, for Bits: |a, _| Bits::not(a);
}

/// `a op b`, where the macro does not know the type of the result.
#[cfg_attr(debug_assertions, inline, track_caller)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn operator<Op, A: Operator<Op, B>, B>(thread: &Thread<'_>, a: A, b: B, site: Option<u32>) -> Result<A::Output, Stop> {
    a.apply(b, thread, site)
}

/// The same, where the result has the type of `a`.
#[cfg_attr(debug_assertions, inline, track_caller)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn operator_like_left<Op, A: Operator<Op, B, Output = A>, B>(thread: &Thread<'_>, a: A, b: B, site: Option<u32>) -> Result<A, Stop> {
    a.apply(b, thread, site)
}

/// The same, where the result has the type of `b`.
#[cfg_attr(debug_assertions, inline, track_caller)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn operator_like_right<Op, A: Operator<Op, B, Output = B>, B>(thread: &Thread<'_>, a: A, b: B, site: Option<u32>) -> Result<B, Stop> {
    a.apply(b, thread, site)
}

/// `op a`, which has the type of `a`.
#[cfg_attr(debug_assertions, inline, track_caller)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn unary_operator<Op, A: UnaryOperator<Op, Output = A>>(thread: &Thread<'_>, a: A) -> Result<A, Stop> {
    a.apply(thread)
}

/// The operands of an operator, of the types that rustc finds for them.
#[derive(Debug)]
pub struct Operands<Op, A>(PhantomData<fn() -> (Op, A)>);

/// The types of the operands that `_operands` would return: a pair, or one. It is not called.
pub fn operands_of<Op, A>(_operands: impl FnOnce() -> A) -> Operands<Op, A> {
    Operands(PhantomData)
}

impl<Op, A: Operator<Op, B>, B> Operands<Op, (A, B)> {
    /// The CUDA C of the operator, if it is a user's.
    #[must_use]
    pub fn callee(&self) -> Option<Callee> {
        A::callee()
    }
}

impl<Op, A: AssignmentOperator<Op, B>, B> Operands<Op, (A, B)> {
    /// The CUDA C of the assignment, if it is a user's.
    #[must_use]
    pub fn assignment_callee(&self) -> Option<Callee> {
        A::callee()
    }
}

impl<Op, A: Operator<Op, B> + DeviceType, B: DeviceType> Operands<Op, (A, B)> {
    /// The C type of the left operand.
    #[must_use]
    pub fn left_type(&self) -> CType {
        A::c_type()
    }

    /// The C type of the right operand.
    #[must_use]
    pub fn right_type(&self) -> CType {
        B::c_type()
    }
}

impl<Op, A: UnaryOperator<Op>> Operands<Op, A> {
    /// The CUDA C of the operator, if it is a user's.
    #[must_use]
    pub fn unary_callee(&self) -> Option<Callee> {
        A::callee()
    }
}

/// What rustc finds where there is no operator. The twin gets the message about that.
pub trait NoOperator {
    /// None.
    fn callee(&self) -> Option<Callee> {
        None
    }
    /// None.
    fn unary_callee(&self) -> Option<Callee> {
        None
    }
    /// None.
    fn assignment_callee(&self) -> Option<Callee> {
        None
    }
    /// None.
    fn index_callee(&self) -> Option<Callee> {
        None
    }
    /// None.
    fn index_mut_callee(&self) -> Option<Callee> {
        None
    }
    /// Any.
    fn left_type(&self) -> CType {
        CType::Scalar("f32")
    }
    /// Any.
    fn right_type(&self) -> CType {
        CType::Scalar("f32")
    }
}

impl<Op, A> NoOperator for Operands<Op, A> {}

/// The result, for rustc to continue with.
#[must_use]
pub fn result_of<Op, A: Operator<Op, B, Output: 'static>, B>(_operands: (A, B)) -> &'static mut A::Output {
    any()
}

/// The C type of a value that rustc knows. It is not evaluated.
pub fn c_type_of<T: KernelType>(_value: impl FnOnce() -> T) -> CType {
    T::c_type()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::on_host;

    #[test]
    fn a_literal_takes_the_type_of_the_other_operand() {
        let (x, n): (f32, i64) = (3.0, i64::MAX);
        assert_eq!(on_host(|thread| operator_like_right::<Mul, _, _>(thread, 0.1, x, None)), 0.1f32 * x);
        assert_eq!(on_host(|thread| operator_like_left::<Add, _, _>(thread, n, 1, None)), i64::MIN);
    }
}
