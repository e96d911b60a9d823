//! How a call of a device function finds its instance, and a type its name. Like `__private` for generated code alone, but under a name that rustc's
//! messages about such a call can show.

mod either;
mod hygiene;
pub mod missing;
pub mod number_methods;
mod number_names;
pub mod preferred;
pub mod uniform;

pub use self::either::Either;
pub use self::hygiene::{SameVariable, Variable, same_variable};
pub use self::number_methods::{like_receiver, own_callee_of};
pub use self::number_names::{NumberName, NumberNames, name_means, names_mean};
pub use crate::__missing_function as missing_function;
pub use crate::__with_attribute as with_attribute;
pub use crate::backend::cpu::{
    Counted, Elements, ElementsByKey, MutableElementsByKey, PassView, PassViewMut, Shaped, Stop, Thread, get_unchecked, get_unchecked_mut,
    length, shape,
};
pub use crate::foreign::Elementary;
pub use crate::intrinsics::{IntrinsicName, same_function, unknown_function};
pub use crate::source::{
    Arguments, AssociatedFunction, Callee, Const, ConstBool, ConstEvidence, ConstI32, ConstU32, ConstUsize, ConvertFrom, DefaultValue,
    DeviceFunction, DeviceInstance, DeviceTypesCannotImplementDeref, Evidence, Explicit, Found, Inside, KernelType, Known, LengthEvidence,
    Lent, NamedFunction, Refused, StructField, Unknown, Whole, any, c_type, callee_of, output, place, racing_callee_of, value,
};

/// An integer, which `try_from` and `try_into` convert.
#[diagnostic::on_unimplemented(
    message = "`try_from` and `try_into` convert integers to integers in kernels, and `{Self}` is not an integer",
    label = "a conversion from or to `{Self}`",
    note = "write `x as usize` or `x as f32` for a conversion from or to a float"
)]
pub trait ConvertedInteger: crate::Integer {}

#[diagnostic::do_not_recommend]
impl<T: crate::Integer> ConvertedInteger for T {}

/// Whether `T::try_from(value)` is `Ok`: the value is the same after a conversion back, with the same sign.
#[inline(always)]
pub fn fits<T: ConvertedInteger, V: ConvertedInteger>(value: V) -> bool {
    let converted: T = value.cast();
    converted.cast::<V>() == value && (converted < T::ZERO) == (value < V::ZERO)
}

/// What `u64::from` and `f32::from` convert in kernels: a conversion of the user's is none of C's.
#[diagnostic::on_unimplemented(
    message = "numbers are made of numbers in kernels, and `{Self}` is none",
    label = "a conversion from `{Self}`",
    note = "write `x as u32` for the number of an enum, or a function with `#[gpu_device]`"
)]
pub trait ConvertedNumber {}

#[diagnostic::do_not_recommend]
impl<T: crate::Num> ConvertedNumber for T {}
impl ConvertedNumber for bool {}
impl ConvertedNumber for char {}

/// `T::from(value)`.
#[inline(always)]
pub fn number_from<T: From<V>, V: ConvertedNumber>(value: V) -> T {
    value.into()
}

/// What an index of type `Key` in a `Base` gives.
pub type IndexOutput<Base, Key> = <Base as std::ops::Index<Key>>::Output;
