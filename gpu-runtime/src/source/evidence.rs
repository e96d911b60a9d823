//! What a call of a generic device function shows of its types.
//!
//! The macro that writes a call knows some of the types in it and does not know the callee. The callee knows which of its
//! parameters have which type parameter as their type. So the caller hands over what it knows, place by place, and the callee
//! looks for each of its type parameters through the places that it stands in: the first that is known decides. (That the
//! others agree is what rustc checks in the twin.)

use std::marker::PhantomData;

/// A place in a call whose type, or whose elements' type, is `T`.
#[derive(Debug)]
pub struct Known<T>(PhantomData<T>);

/// A place in a call whose type the macro does not see: a literal, or a constant.
#[derive(Debug)]
pub struct Unknown;

/// A place in a call that has a reference to an array of type `A`, for a callee that takes a slice, or such a reference.
#[derive(Debug)]
pub struct Lent<A>(PhantomData<A>);

/// Places in a call that have one type: a list `(first, (second, … ()))`.
#[diagnostic::on_unimplemented(
    message = "cannot infer the types of this generic device function",
    label = "this function is generic, and no argument here has a type that the macro sees",
    note = "write the type of a literal, such as `2.0f32`, or bind an argument with its type first",
    note = "or name the types: `f::<f32>(…)` for a call, `f::<f32>` for a function that is passed"
)]
pub trait Evidence {
    /// The first known type.
    type Type;
}

impl<T, Rest> Evidence for (Known<T>, Rest) {
    type Type = T;
}

impl<T, const LENGTH: usize, Rest> Evidence for (Lent<[T; LENGTH]>, Rest) {
    type Type = T;
}

impl<Rest: Evidence> Evidence for (Unknown, Rest) {
    type Type = Rest::Type;
}

macro_rules! explicit {
    ($($P:ident),*; $([$($named:ident = $T:ident),*] $($missing:ident)*;)*) => {
        /// The types that a call names between `::<` and `>`, in order; [`Unknown`] for those that it does not.
        pub trait Explicit {
            $(
                /// The type parameter at this position.
                type $P;
            )*
        }

        $(impl<$($T),*> Explicit for ($($T,)*) {
            $(type $named = $T;)*
            $(type $missing = Unknown;)*
        })*
    };
}

explicit! {
    P0, P1, P2, P3, P4, P5, P6, P7;
    [] P0 P1 P2 P3 P4 P5 P6 P7;
    [P0 = A] P1 P2 P3 P4 P5 P6 P7;
    [P0 = A, P1 = B] P2 P3 P4 P5 P6 P7;
    [P0 = A, P1 = B, P2 = C] P3 P4 P5 P6 P7;
    [P0 = A, P1 = B, P2 = C, P3 = D] P4 P5 P6 P7;
    [P0 = A, P1 = B, P2 = C, P3 = D, P4 = E] P5 P6 P7;
    [P0 = A, P1 = B, P2 = C, P3 = D, P4 = E, P5 = F] P6 P7;
    [P0 = A, P1 = B, P2 = C, P3 = D, P4 = E, P5 = F, P6 = G] P7;
    [P0 = A, P1 = B, P2 = C, P3 = D, P4 = E, P5 = F, P6 = G, P7 = H];
}

/// A constant between `::<` and `>`, as each of the types that a const parameter may have; [`Unknown`] where it has not that type.
#[derive(Debug)]
pub struct Const<Usize, U32, I32, Bool>(PhantomData<(Usize, U32, I32, Bool)>);

/// A constant as a type.
#[derive(Debug)]
pub struct ConstUsize<const VALUE: usize>;

/// A constant as a type.
#[derive(Debug)]
pub struct ConstU32<const VALUE: u32>;

/// A constant as a type.
#[derive(Debug)]
pub struct ConstI32<const VALUE: i32>;

/// A constant as a type.
#[derive(Debug)]
pub struct ConstBool<const VALUE: bool>;

/// What stands between `::<` and `>` for a const parameter.
#[diagnostic::on_unimplemented(
    message = "a const parameter of this device function is not named in the call",
    label = "this function has a const parameter",
    note = "name every parameter, in the order that the function declares them: `f::<8>(…)`, `f::<f32, 8>(…)`"
)]
pub trait ConstEvidence {
    /// The constant as a `usize`.
    type Usize;
    /// The constant as a `u32`.
    type U32;
    /// The constant as an `i32`.
    type I32;
    /// The constant as a `bool`.
    type Bool;
}

impl<Usize, U32, I32, Bool> ConstEvidence for Const<Usize, U32, I32, Bool> {
    type Usize = Usize;
    type U32 = U32;
    type I32 = I32;
    type Bool = Bool;
}

/// Places in a call that determine one length, in a list like that of [`Evidence`]: between `::<` and `>` a constant, then arrays.
#[diagnostic::on_unimplemented(
    message = "cannot infer the length of an array in this call of a device function",
    label = "the macro cannot see the type of any array here",
    note = "bind the array with its type first, `let a: [f32; 8] = …`, or name the length: `f::<8>(…)`"
)]
pub trait LengthEvidence {
    /// The first known length.
    type Usize;
}

impl<Usize, U32, I32, Bool, Rest> LengthEvidence for (Const<Usize, U32, I32, Bool>, Rest) {
    type Usize = Usize;
}

impl<T, const LENGTH: usize, Rest> LengthEvidence for (Known<[T; LENGTH]>, Rest) {
    type Usize = ConstUsize<LENGTH>;
}

impl<T, const LENGTH: usize, const ROWS: usize, Rest> LengthEvidence for (Lent<[[T; LENGTH]; ROWS]>, Rest) {
    type Usize = ConstUsize<LENGTH>;
}

impl<Rest: LengthEvidence> LengthEvidence for (Unknown, Rest) {
    type Usize = Rest::Usize;
}

/// A place that is an array or an `Option`: what it shows of the types inside.
#[diagnostic::on_unimplemented(message = "`{Self}` has no elements", label = "the callee takes an array here")]
pub trait Inside {
    /// The place for that.
    type Element;
}

impl<T, const LENGTH: usize> Inside for Known<[T; LENGTH]> {
    type Element = Known<T>;
}

/// The place of a callee's parameter that is an `Option` or a `Result`: what it shows of the types in it.
pub trait Arguments {
    /// The place for the type of what is in `Some` or `Ok`.
    type P0;
    /// The place for the type of what is in `Err`.
    type P1;
}

impl<T> Arguments for Known<Option<T>> {
    type P0 = Known<T>;
    type P1 = Unknown;
}

impl<T, E> Arguments for Known<Result<T, E>> {
    type P0 = Known<T>;
    type P1 = Known<E>;
}

impl Arguments for Unknown {
    type P0 = Unknown;
    type P1 = Unknown;
}

impl<T, const LENGTH: usize, const ROWS: usize> Inside for Lent<[[T; LENGTH]; ROWS]> {
    type Element = Known<T>;
}

impl Inside for Unknown {
    type Element = Unknown;
}

/// The place of a callee's parameter that is a reference to an array: what it shows of that array. A slice has been refused.
pub trait Whole {
    /// The place for that.
    type Array;
}

impl<T, const LENGTH: usize> Whole for Lent<[T; LENGTH]> {
    type Array = Known<[T; LENGTH]>;
}

impl<T> Whole for Known<T> {
    type Array = Unknown;
}

impl Whole for Unknown {
    type Array = Unknown;
}
